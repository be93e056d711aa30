import { hosts } from './agent-host.ts';
import {
  askModes,
  decisionWords,
  detailForms,
  grantDurations,
  securityModes,
  toolKinds,
} from '../engine/index.ts';
import {
  maxArgvLength,
  maxCommandLength,
  maxHistoryPage,
  maxStdinBytes,
  maxVariables,
} from './limits.ts';

/** JSON schemas of every body and query that the runner's API takes. Unknown fields are refused. */

const shortText = { type: 'string', minLength: 1, maxLength: 256 } as const;
/** Names stand in log lines and events, so they are held to one safe word. */
const name = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$' } as const;
const hex256 = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const id = { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' } as const;

const contextFields = {
  cwd: { type: 'string', pattern: '^/[^\\u0000]*$', maxLength: 4096 },
  agent: name,
  session: name,
  host: name,
  node: name,
  security: { enum: securityModes },
  ask: { enum: askModes },
} as const;

const reasonFields = {
  toolUseId: shortText,
  statedReason: { type: 'string', maxLength: 4096 },
} as const;

const timeoutMs = { type: 'integer', minimum: 1, maximum: 86_400_000 } as const;

const commandFields = {
  ...contextFields,
  argv: {
    type: 'array',
    minItems: 1,
    maxItems: maxArgvLength,
    items: { type: 'string', maxLength: maxCommandLength, pattern: '^[^\\u0000]*$' },
  },
  command: { type: 'string', minLength: 1, maxLength: maxCommandLength, pattern: '^[^\\u0000]*$' },
  env: {
    type: 'object',
    maxProperties: maxVariables,
    propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]{0,255}$' },
    additionalProperties: { type: 'string', maxLength: 32_768, pattern: '^[^\\u0000]*$' },
  },
} as const;

/** `POST /v1/exec`. That exactly one of `argv` and `command` is there is checked by the gate. */
export const execRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['cwd'],
  properties: {
    ...commandFields,
    ...reasonFields,
    timeoutMs,
    stdin: {
      type: 'string',
      maxLength: Math.ceil(maxStdinBytes / 3) * 4,
      pattern: '^[A-Za-z0-9+/]*={0,2}$',
    },
  },
} as const;

/** `POST /v1/permits`. */
export const permitRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['cwd'],
  properties: {
    ...commandFields,
    ...reasonFields,
    timeoutMs,
    by: { enum: ['ticket', 'elsewhere'] },
  },
} as const;

const plainText = { type: 'string', pattern: '^[^\\u0000]*$' } as const;

const target = { ...plainText, minLength: 1, maxLength: 16_384 } as const;

/** `POST /v1/tools`. */
export const toolRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['cwd', 'kind', 'tool', 'target', 'detail'],
  properties: {
    ...contextFields,
    ...reasonFields,
    kind: { enum: toolKinds },
    tool: { ...plainText, minLength: 1, maxLength: 256 },
    target,
    moreTargets: { type: 'array', maxItems: 1_000, items: target },
    detail: {
      anyOf: [
        { type: 'null' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['form', 'text'],
          properties: { form: { enum: detailForms }, text: { type: 'string' } },
        },
      ],
    },
  },
} as const;

/** `POST /v1/tickets/redeem`. */
export const redeemRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['ticket', 'cwd'],
  properties: {
    ticket: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
    cwd: contextFields.cwd,
  },
} as const;

/** Path and query of `POST /v1/hooks/:host?agent=…`. */
export const hookParamsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['host'],
  properties: { host: { enum: hosts } },
} as const;

export const hookQuerySchema = {
  type: 'object',
  additionalProperties: false,
  properties: { agent: name },
} as const;

/** `POST /v1/sessions/end`. */
export const sessionEndSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['agent', 'session'],
  properties: { agent: name, session: name },
} as const;

/** `POST /v1/check`. */
export const checkRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['cwd'],
  properties: commandFields,
} as const;

/** `POST /v1/lockout`, `POST /v1/pause`. */
export const stopRequestSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { reason: { type: 'string', maxLength: 1024 } },
} as const;

/** `POST /v1/resume`. */
export const resumeRequestSchema = {
  type: 'object',
  additionalProperties: false,
  properties: { agent: { type: 'string', minLength: 1, maxLength: 128 } },
} as const;

/** `POST /v1/pending/:id/answer`. */
export const answerRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['decision', 'askDigest', 'ts', 'nonce', 'mac'],
  properties: {
    decision: { enum: decisionWords },
    askDigest: hex256,
    remember: {
      type: 'object',
      additionalProperties: false,
      required: ['duration', 'proposalId'],
      properties: {
        duration: { enum: grantDurations.filter((duration) => duration !== 'once') },
        proposalId: shortText,
      },
    },
    note: { type: 'string', maxLength: 2000 },
    ts: { type: 'integer', minimum: 0 },
    nonce: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
    mac: hex256,
  },
} as const;

const time = { type: 'integer', minimum: 0, maximum: 8_640_000_000_000_000 } as const;

/** `POST /v1/breaches`. */
export const breachReportSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['breaches', 'ts', 'nonce', 'mac'],
  properties: {
    breaches: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['code', 'count', 'firstAt', 'lastAt', 'pid'],
        properties: {
          code: { type: 'string', pattern: '^[a-z][a-z0-9-]{1,39}$' },
          count: { type: 'integer', minimum: 1, maximum: 1_000_000_000 },
          firstAt: time,
          lastAt: time,
          pid: { type: ['integer', 'null'], minimum: 0 },
        },
      },
    },
    ts: time,
    nonce: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
    mac: hex256,
  },
} as const;

/** Path of `GET /v1/pending/:id` and `POST /v1/pending/:id/answer`. */
export const pendingParamsSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: { id },
} as const;

/** Query of `GET /v1/events`. */
export const eventsQuerySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['session'],
  properties: { session: name },
} as const;

/** Query of `GET /v1/history`; numbers arrive as digits. */
export const historyQuerySchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    offset: { type: 'string', pattern: '^[0-9]{1,9}$' },
    limit: { type: 'string', pattern: '^[0-9]{1,3}$' },
    search: { type: 'string', maxLength: 256 },
    agent: name,
    decision: { enum: ['allow', 'deny'] },
  },
} as const;

/** Query of `GET /v1/history/stats`; 1 to 90 days. */
export const statsQuerySchema = {
  type: 'object',
  additionalProperties: false,
  properties: { days: { type: 'string', pattern: '^(?:[1-9]|[1-8][0-9]|90)$' }, agent: name },
} as const;

/** The page size that a `limit` asks for, held to the largest one. */
export function pageSize(limit: string | undefined): number {
  return Math.min(limit === undefined ? 100 : Number(limit), maxHistoryPage);
}
