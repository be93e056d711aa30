import { compile } from '../base/index.ts';
import type { SchemaObject } from '../base/index.ts';
import { decisionWords, grantDurations, withdrawReasons } from '../engine/index.ts';
import type { Ask, Decision, RunnerState, WithdrawReason } from '../engine/index.ts';
import { askSchema, id, text } from './ask-schema.ts';

/** The approval protocol that Interlock speaks with itself. */
export const protocolVersion = 2;

/** First line, from the approver. */
export interface ChallengeFrame {
  readonly type: 'challenge';
  readonly version: typeof protocolVersion;
  /** 32 random bytes, base64url. */
  readonly serverNonce: string;
  /** How long the challenge may be answered, in milliseconds. */
  readonly ttlMs: number;
}

/** Second line, from the runner: it knows the token. */
export interface HelloFrame {
  readonly type: 'hello';
  readonly version: typeof protocolVersion;
  /** 32 random bytes, base64url. */
  readonly clientNonce: string;
  readonly ts: number;
  /** HMAC-SHA256, lower hex. */
  readonly mac: string;
}

/** Third line, from the approver: it knows the token too. */
interface WelcomeFrame {
  readonly type: 'welcome';
  readonly mac: string;
}

/** Every later line, either way. */
export interface SealedFrame {
  /** Counts from 1 in each direction, without gaps. */
  readonly seq: number;
  readonly ts: number;
  /** JSON of a body, as the exact text that was signed. */
  readonly body: string;
  readonly mac: string;
}

export interface PingBody {
  readonly type: 'ping';
}

/** What the runner may say. */
export type RunnerBody =
  | { readonly type: 'ask'; readonly ask: Ask }
  | { readonly type: 'withdraw'; readonly id: string; readonly reason: WithdrawReason }
  | { readonly type: 'state'; readonly state: RunnerState }
  | PingBody;

/** What the approver may say. */
export type ApproverBody = ({ readonly type: 'decision' } & Decision) | PingBody;

export const runnerBodyTypes = ['ask', 'withdraw', 'state', 'ping'] as const;
export const approverBodyTypes = ['decision', 'ping'] as const;

/** Who sends: stands under each mac, so that a frame cannot be sent back to its sender. */
export type Direction = 'runner' | 'approver';

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
