import type { Ask, Decision, RunnerState, WithdrawReason } from '../../ask/types.ts';
import type { Clock } from '../../clock/types.ts';
import type { CloseCode } from '../transport/duplex.ts';
import type { NonceMemory } from './nonces.ts';
import type { Limits } from './limits.ts';
import type { Violation, ViolationCode } from './violation.ts';

/** What both sides of a session need. */
export interface SessionOptions {
  /** The approvals token of the policy file. It never travels. */
  readonly token: string;
  /** The user that the peer must run as: our own effective user id. */
  readonly uid: number;
  /** Default: the machine's clock. */
  readonly clock?: Clock;
  /** Default: `crypto.randomBytes`. */
  readonly random?: (bytes: number) => Uint8Array;
  /** Nonces already used; share one memory among all sessions of a process. */
  readonly nonces?: NonceMemory;
  readonly limits?: Partial<Limits>;
  /** Called once, before the close, when the peer broke the protocol: for the audit row. */
  readonly onViolation?: (violation: Violation) => void;
}

/** How a session ended. */
export interface SessionEnd {
  readonly code: CloseCode | ViolationCode;
  readonly detail: string;
}

/** Why a well-formed decision did not count although the peer did nothing wrong. */
export type LateReason = 'withdrawn' | 'expired';

/** The runner's end: it asks, and hears decisions. */
export interface RunnerSession {
  /**
   * Sends an ask. Yields its digest: sha256 (hex) of the exact body, which a decision must name.
   * Throws `invalid-request` when the ask is too large for a frame or its id was used before,
   * `concurrency-busy` or `rate-limit` when there are too many, and `approver-unavailable` when the
   * session is over.
   */
  ask(ask: Ask): string;
  /** Takes an ask back; an id that is not open does nothing. */
  withdraw(id: string, reason: WithdrawReason): void;
  state(state: RunnerState): void;
  /**
   * The decision fits an open ask, in time, once, and picks only what the ask offered. Must be set:
   * the session reads nothing before, and after it as soon as the current turn is over.
   */
  onDecision(decided: (decision: Decision) => void): void;
  /** A decision crossed with a withdrawal or came after the deadline: it counts for nothing. */
  onLateDecision(late: (decision: Decision, why: LateReason) => void): void;
  onClose(closed: (end: SessionEnd) => void): void;
  ping(): void;
  close(): void;
}

/** The approver's end: it hears asks, and decides. */
export interface ApproverSession {
  /**
   * Each ask with the digest that a decision about it must name. Must be set: the session reads
   * nothing before, and after it as soon as the current turn is over.
   */
  onAsk(asked: (ask: Ask, digest: string) => void): void;
  onWithdraw(withdrawn: (id: string, reason: WithdrawReason) => void): void;
  onState(changed: (state: RunnerState) => void): void;
  /**
   * Sends a decision. False when the ask is not open here (any more), or the digest is not its own.
   * Throws `invalid-request`, and the ask stays open, when it picks what was not offered.
   */
  decide(decision: Decision): boolean;
  onClose(closed: (end: SessionEnd) => void): void;
  ping(): void;
  close(): void;
}
