import type { Ask, Decision, RunnerState, WithdrawReason } from '../ask/types.ts';

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
export interface WelcomeFrame {
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
