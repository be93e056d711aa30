import { compile, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import type { DecisionWord } from '../engine/index.ts';

/**
 * Frames of older clients of the approvals socket: one line each way per connection. Unknown fields
 * are let through here, because later clients add fields of their own, and nothing reads them.
 */

const id = s.string({ minLength: 1, maxLength: 200 });
/** Null means absent. */
const text = s.optional(s.nullable(s.string()));

/** Only `command` is sure to be there; null means absent. */
const askRequest = s.open({
  command: s.string({ minLength: 1 }),
  cwd: text,
  host: text,
  security: text,
  ask: text,
  agentId: text,
  resolvedPath: text,
  sessionKey: text,
  allowedDecisions: s.optional(s.nullable(s.array(s.string(), { maxItems: 20 }))),
});
export type V1AskRequest = Static<typeof askRequest>;

export const checkV1Request = compile(
  s.open({ type: s.literal('request'), token: s.string(), id, request: askRequest }),
);

export interface V1DecisionFrame {
  readonly type: 'decision';
  readonly id: string;
  readonly decision: DecisionWord;
}

const execFrame = s.open({
  type: s.literal('exec'),
  id,
  nonce: s.string({ minLength: 1, maxLength: 200 }),
  ts: s.integer(),
  hmac: s.string({ maxLength: 200 }),
  /** JSON of a `V1ExecRequest`, as the exact text that was signed. */
  requestJson: s.string(),
});
export type V1ExecFrame = Static<typeof execFrame>;

export const checkV1Exec = compile(execFrame);

/** A command to decide on and to run in one go. Null means absent. */
const execRequest = s.open({
  command: s.array(s.string(), { maxItems: 10_000 }),
  rawCommand: text,
  cwd: text,
  env: s.optional(s.nullable(s.record(s.string()))),
  timeoutMs: s.optional(s.nullable(s.number({ minimum: 0 }))),
  needsScreenRecording: s.optional(s.nullable(s.boolean())),
  agentId: text,
  sessionKey: text,
  /** What the client says was decided before. Never taken for an approval by itself. */
  approvalDecision: text,
});
export type V1ExecRequest = Static<typeof execRequest>;

export const checkV1ExecRequest = compile(execRequest);

export interface V1ExecPayload {
  readonly exitCode?: number;
  readonly timedOut: boolean;
  readonly success: boolean;
  readonly stdout: string;
  readonly stderr: string;
  readonly error?: string;
}

export interface V1ExecError {
  readonly code: 'INVALID_REQUEST' | 'UNAVAILABLE';
  readonly message: string;
  readonly reason?: string;
}

export type V1ExecOutcome =
  | { readonly ok: true; readonly payload: V1ExecPayload }
  | { readonly ok: false; readonly error: V1ExecError };

export type V1ExecResultFrame = { readonly type: 'exec-res'; readonly id: string } & V1ExecOutcome;

/** Longest line that a version-1 client may send, in bytes. */
export const v1MaxFrameBytes = 256_000;
/** How far `ts` of an exec frame may be from our clock, either way. */
export const v1TtlMs = 10_000;
/** Longest stdout or stderr in an answer, in characters; the tail is kept. */
export const v1MaxOutput = 200_000;
