import {
  detailForms,
  grantDurations,
  opaqueReasons,
  proposalScopes,
  requestKinds,
  riskCodes,
  stagePrograms,
} from '../engine/index.ts';
import type { SchemaObject } from '../base/index.ts';

/** The frame's own cap bounds all text; the counts here bound what a page has to lay out. */
const many = 1_000;

export const text: SchemaObject = { type: 'string' };
export const id: SchemaObject = { type: 'string', minLength: 1, maxLength: 200 };

const orNull = (schema: SchemaObject): SchemaObject => ({ anyOf: [schema, { type: 'null' }] });
const list = (items: SchemaObject, maxItems = many): SchemaObject => ({
  type: 'array',
  items,
  maxItems,
});
const record = (
  properties: Record<string, SchemaObject>,
  optional: Record<string, SchemaObject> = {},
): SchemaObject => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties: { ...properties, ...optional },
});

const count: SchemaObject = { type: 'integer', minimum: 0 };
const span = record({ start: count, end: count });

const stage = record(
  {
    argv: list(text, 20_000),
    resolvedPath: orNull(text),
    via: list(text),
    cwd: orNull(text),
    writes: list(text),
    why: text,
    span: orNull(span),
  },
  { program: { enum: stagePrograms } },
);

const finding = record({
  code: { enum: riskCodes },
  level: { enum: ['low', 'high'] },
  text,
  spans: list(span),
});

/** Rules are shown, never applied, by who receives them; the runner writes its own copy. */
const proposedRule: SchemaObject = {
  type: 'object',
  required: ['pattern'],
  properties: { pattern: text },
};

const proposal = record({
  id,
  scope: { enum: proposalScopes },
  sentence: text,
  rules: list(proposedRule),
  pastCommands: list(text),
});

/** An `Ask`, every field of it; unknown fields are refused. */
export const askSchema: SchemaObject = record(
  {
    id,
    kind: { enum: requestKinds },
    agent: text,
    session: orNull(text),
    toolUseId: orNull(text),
    statedReason: orNull(text),
    host: text,
    cwd: text,
    command: text,
    isShellText: { type: 'boolean' },
    stages: list(stage),
    opaque: orNull(record({ reason: { enum: opaqueReasons }, detail: text, span: orNull(span) })),
    why: text,
    risk: record({ level: { enum: ['none', 'low', 'high'] }, findings: list(finding) }),
    env: list(record({ name: text, value: text, unsafe: { type: 'boolean' } })),
    ancestry: list(record({ pid: count, name: text, command: text }), 64),
    proposals: list(proposal),
    durations: { type: 'array', items: { enum: grantDurations }, maxItems: grantDurations.length },
    createdAt: count,
    expiresAt: count,
  },
  {
    detail: orNull(record({ form: { enum: detailForms }, text })),
  },
);
