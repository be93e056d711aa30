import { randomBytes } from 'node:crypto';
import { refuse } from '../../base/index.ts';
import type { Clock } from '../../base/index.ts';
import type { Ask, Decision, RunnerState, WithdrawReason } from '../../engine/index.ts';
import { systemClock } from '../../home/index.ts';
import { defaultLimits } from '../../wire/index.ts';
import type { Limits } from '../../wire/index.ts';
import type { CloseCode, Duplex } from '../transport/duplex.ts';
import { ViolationError } from './violation.ts';
import type { Violation, ViolationCode } from './violation.ts';

/** Remembers nonces for as long as a frame that carries them could still be accepted. */
export interface NonceMemory {
  /**
   * True when the nonce is new; it is then remembered until `until` (milliseconds since the epoch).
   * False when it was used before, and also when the memory is full: better refuse than forget.
   */
  use(nonce: string, until: number): boolean;
  readonly size: number;
}

/** `capacity`: how many nonces are kept at most. */
export function createNonceMemory(clock: Pick<Clock, 'now'>, capacity = 20_000): NonceMemory {
  const seen = new Map<string, number>();
  const forgetOld = (): void => {
    const now = clock.now();
    for (const [nonce, until] of seen) if (until < now) seen.delete(nonce);
  };
  return {
    use(nonce, until) {
      const known = seen.get(nonce);
      if (known !== undefined && known >= clock.now()) return false;
      if (seen.size >= capacity) forgetOld();
      if (seen.size >= capacity) return false;
      seen.set(nonce, until);
      return true;
    },
    get size() {
      return seen.size;
    },
  };
}

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
  dispose(): void;
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
  dispose(): void;
}

/** Shorter tokens can be guessed; older clients make 32 characters, and so do we or more. */
const shortestToken = 16;

/** The options of a session with every default filled in. */
export interface Context {
  readonly token: string;
  readonly uid: number;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly nonces: NonceMemory;
  readonly limits: Limits;
  readonly onViolation: NonNullable<SessionOptions['onViolation']>;
}

export function contextOf(options: SessionOptions): Context {
  if (options.token.length < shortestToken) {
    throw refuse(
      'config-invalid',
      'The approvals token of the policy file is missing or too short.',
      'Run "interlock init" to make a new one.',
    );
  }
  const clock = options.clock ?? systemClock;
  return {
    token: options.token,
    uid: options.uid,
    clock,
    random: options.random ?? ((bytes) => new Uint8Array(randomBytes(bytes))),
    nonces: options.nonces ?? createNonceMemory(clock),
    limits: { ...defaultLimits, ...options.limits },
    onViolation: options.onViolation ?? (() => {}),
  };
}

/** A nonce of 32 random bytes as it stands on the wire. */
export function freshNonce(context: Pick<Context, 'random'>): string {
  return Buffer.from(context.random(32)).toString('base64url');
}

/** Throws unless the kernel says that the peer runs as our own user. */
export function requireOwnPeer(duplex: Pick<Duplex, 'peer'>, uid: number): void {
  if (duplex.peer === null) {
    throw new ViolationError('foreign-peer', 'The user of the peer could not be read.');
  }
  if (duplex.peer.uid !== uid) {
    throw new ViolationError(
      'foreign-peer',
      `The peer runs as user ${String(duplex.peer.uid)}, not as user ${String(uid)}.`,
    );
  }
}
