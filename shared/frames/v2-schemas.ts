import { decisionWords, grantDurations, withdrawReasons } from '../ask/types.ts';
import type { SchemaObject } from '../schema/compile.ts';
import { compile } from '../schema/compile.ts';
import { askSchema, id, text } from './ask-schema.ts';
import type {
  ApproverBody,
  ChallengeFrame,
  HelloFrame,
  RunnerBody,
  SealedFrame,
  WelcomeFrame,
} from './v2.ts';
import { protocolVersion } from './v2.ts';

const nonce = { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' };
const mac = { type: 'string', pattern: '^[0-9a-f]{64}$' };
const time = { type: 'integer', minimum: 0 };

const exactly = (properties: Record<string, SchemaObject>, optional: string[] = []) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

export const checkChallenge = compile<ChallengeFrame>(
  exactly({
    type: { const: 'challenge' },
    version: { const: protocolVersion },
    serverNonce: nonce,
    ttlMs: { type: 'integer', minimum: 1, maximum: 60_000 },
  }),
);

export const checkHello = compile<HelloFrame>(
  exactly({
    type: { const: 'hello' },
    version: { const: protocolVersion },
    clientNonce: nonce,
    ts: time,
    mac,
  }),
);

export const checkWelcome = compile<WelcomeFrame>(exactly({ type: { const: 'welcome' }, mac }));

export const checkSealed = compile<SealedFrame>(
  exactly({ seq: { type: 'integer', minimum: 1 }, ts: time, body: { type: 'string' }, mac }),
);

const ping = exactly({ type: { const: 'ping' } });

const ask = exactly({ type: { const: 'ask' }, ask: askSchema });

const withdraw = exactly({
  type: { const: 'withdraw' },
  id,
  reason: { enum: withdrawReasons },
});

const state = exactly({
  type: { const: 'state' },
  state: exactly({
    mode: { enum: ['armed', 'paused', 'locked'] },
    reason: { anyOf: [text, { type: 'null' }] },
    running: { type: 'integer', minimum: 0 },
    pending: { type: 'integer', minimum: 0 },
    policyProblem: { anyOf: [text, { type: 'null' }] },
  }),
});

const plainDecision = exactly(
  {
    type: { const: 'decision' },
    id,
    askDigest: mac,
    decision: { enum: decisionWords.filter((word) => word !== 'allow-always') },
    note: { type: 'string', maxLength: 2_000 },
  },
  ['note'],
);

const lastingDecision = exactly(
  {
    type: { const: 'decision' },
    id,
    askDigest: mac,
    decision: { const: 'allow-always' },
    remember: exactly({
      duration: { enum: grantDurations.filter((duration) => duration !== 'once') },
      proposalId: id,
    }),
    note: { type: 'string', maxLength: 2_000 },
  },
  ['remember', 'note'],
);

export const checkAskBody = compile<RunnerBody>(ask);

/** By type, so that an error names the field and not the choice. */
export const runnerBodyChecks = {
  ask: checkAskBody,
  withdraw: compile<RunnerBody>(withdraw),
  state: compile<RunnerBody>(state),
  ping: compile<RunnerBody>(ping),
};

export const approverBodyChecks = {
  decision: compile<ApproverBody>({ oneOf: [plainDecision, lastingDecision] }),
  ping: compile<ApproverBody>(ping),
};
