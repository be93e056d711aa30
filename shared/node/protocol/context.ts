import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock/types.ts';
import { refuse } from '../../refusal/refusal.ts';
import { systemClock } from '../clock/system.ts';
import type { Duplex } from '../transport/duplex.ts';
import type { Limits } from './limits.ts';
import { defaultLimits } from './limits.ts';
import type { NonceMemory } from './nonces.ts';
import { createNonceMemory } from './nonces.ts';
import type { SessionOptions } from './types.ts';
import { ViolationError } from './violation.ts';

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
