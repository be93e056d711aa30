import { withdrawReasons } from '../../../shared/engine/ask.ts';
import { askSchema } from '../../../shared/wire/ask-schema.ts';
import { refusalCodes } from '../../../shared/base/refusal.ts';
import { compile } from '../../../shared/base/schema.ts';
import type { SchemaObject } from '../../../shared/base/schema.ts';
import type { HostMessage } from '../../../app/bridge/messages.ts';
import { settingNames } from '../../../app/bridge/settings.ts';
import { fields } from '../../../app/bridge/schemas.ts';
import { settingSchemas } from '../../../app/bridge/schemas.ts';

const text: SchemaObject = { type: 'string' };
const textOrNull: SchemaObject = { type: ['string', 'null'] };
const count: SchemaObject = { type: 'integer', minimum: 0 };
const mode: SchemaObject = { enum: ['armed', 'paused', 'locked'] };
const list = (items: SchemaObject, maxItems: number): SchemaObject => ({
  type: 'array',
  items,
  maxItems,
});
const orNull = (schema: SchemaObject): SchemaObject => ({ anyOf: [schema, { type: 'null' }] });

const refusal = fields({ code: { enum: refusalCodes }, message: text, hint: text });

const policy = fields({ hash: text, problem: orNull(refusal) });

const runner = orNull(
  fields({
    mode,
    reason: textOrNull,
    running: count,
    pending: count,
    policyProblem: textOrNull,
  }),
);
const queued = fields({
  ask: askSchema,
  askDigest: { type: 'string', pattern: '^[0-9a-f]{64}$' },
});
const missed = fields({
  ask: askSchema,
  reason: { enum: withdrawReasons },
  at: { type: 'number' },
});
const maybe = {
  stop: fields({ mode, reason: textOrNull }),
  pace: fields({ armDelayMs: count, holdMs: count }),
  settings: fields({
    settings: fields(settingSchemas),
    honoured: list({ enum: settingNames }, settingNames.length),
    problem: textOrNull,
    taken: list(text, 10),
  }),
  canStartRunner: { type: 'boolean' },
};

const state = fields(
  {
    revision: count,
    now: { type: 'number' },
    runner,
    queue: list(queued, 500),
    missed: list(missed, 200),
    policy,
  },
  maybe,
);

const listChange = (items: SchemaObject, most: number): SchemaObject =>
  fields(
    {},
    {
      remove: list(text, most),
      replace: list(items, most),
      insert: list(fields({ at: count, items: list(items, most) }), most),
    },
  );

const change = fields(
  { base: count, revision: count, now: { type: 'number' } },
  {
    set: fields({}, { runner, policy, ...maybe }),
    queue: listChange(queued, 500),
    missed: listChange(missed, 200),
  },
);

const answer: SchemaObject = {
  anyOf: [
    fields({ ok: { const: true }, result: { type: 'object' } }),
    fields({ ok: { const: false }, refusal }, { conflict: policy }),
  ],
};

/** What a host may send to a page. For hosts and tests: a page cannot compile it. */
export const checkHostMessage = compile<HostMessage>({
  anyOf: [
    fields({ type: { const: 'connection' }, connected: { const: true }, version: count }),
    fields({
      type: { const: 'connection' },
      connected: { const: false },
      reason: { enum: ['idle', 'stopping', 'version'] },
    }),
    fields({ type: { const: 'state' }, state }),
    fields({ type: { const: 'change' }, change }),
    fields({ type: { const: 'result' }, id: count, answer }),
  ],
});
