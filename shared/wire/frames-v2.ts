import { compile, s } from '../base/index.ts';
import type { Check, Static } from '../base/index.ts';
import {
  askSchema,
  lastingDecisionFields,
  plainDecisionFields,
  runnerStateSchema,
  withdrawReasons,
} from '../engine/index.ts';

/** The approval protocol that Interlock speaks with itself: its frames and their bodies. */
export const protocolVersion = 2;

/** 32 random bytes, base64url. */
const nonce = s.string({ pattern: '^[A-Za-z0-9_-]{43}$' });
/** HMAC-SHA256, lower hex. */
const mac = s.string({ pattern: '^[0-9a-f]{64}$' });
const time = s.integer({ minimum: 0 });
const version = s.literal(protocolVersion);

/** First line, from the approver. */
const challenge = s.object({
  type: s.literal('challenge'),
  version,
  serverNonce: nonce,
  /** How long the challenge may be answered, in milliseconds. */
  ttlMs: s.integer({ minimum: 1, maximum: 60_000 }),
});
export type ChallengeFrame = Static<typeof challenge>;
export const checkChallenge = compile(challenge);

/** Second line, from the runner: it knows the token. */
const hello = s.object({ type: s.literal('hello'), version, clientNonce: nonce, ts: time, mac });
export type HelloFrame = Static<typeof hello>;
export const checkHello = compile(hello);

/** Third line, from the approver: it knows the token too. */
export const checkWelcome = compile(s.object({ type: s.literal('welcome'), mac }));

/** Every later line, either way. */
const sealed = s.object({
  /** Counts from 1 in each direction, without gaps. */
  seq: s.integer({ minimum: 1 }),
  ts: time,
  /** JSON of a body, as the exact text that was signed. */
  body: s.string(),
  mac,
});
export type SealedFrame = Static<typeof sealed>;
export const checkSealed = compile(sealed);

const ping = s.object({ type: s.literal('ping') });

/** What the runner may say. */
const runnerBodies = {
  ask: s.object({ type: s.literal('ask'), ask: askSchema }),
  withdraw: s.object({
    type: s.literal('withdraw'),
    id: s.string({ minLength: 1, maxLength: 200 }),
    reason: s.oneOf(withdrawReasons),
  }),
  state: s.object({ type: s.literal('state'), state: runnerStateSchema }),
  ping,
};
export type RunnerBody = Static<(typeof runnerBodies)[keyof typeof runnerBodies]>;

/** What the approver may say: a `Decision`, or that it is there. */
const approverBodies = {
  decision: s.union(
    s.object({ type: s.literal('decision'), ...plainDecisionFields }),
    s.object({ type: s.literal('decision'), ...lastingDecisionFields }),
  ),
  ping,
};
export type ApproverBody = Static<(typeof approverBodies)[keyof typeof approverBodies]>;

export const runnerBodyTypes = ['ask', 'withdraw', 'state', 'ping'] as const;
export const approverBodyTypes = ['decision', 'ping'] as const;

/** Who sends: stands under each mac, so that a frame cannot be sent back to its sender. */
export type Direction = 'runner' | 'approver';

export const checkAskBody = compile(runnerBodies.ask);

/** By type, so that an error names the field and not the choice. */
export const runnerBodyChecks: Readonly<
  Record<(typeof runnerBodyTypes)[number], Check<RunnerBody>>
> = {
  ask: checkAskBody,
  withdraw: compile(runnerBodies.withdraw),
  state: compile(runnerBodies.state),
  ping: compile(ping),
};

export const approverBodyChecks: Readonly<
  Record<(typeof approverBodyTypes)[number], Check<ApproverBody>>
> = {
  decision: compile(approverBodies.decision),
  ping: compile(ping),
};
