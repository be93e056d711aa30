import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';

/** A ticket as its owner gets it. */
export interface Ticket {
  /** 32 random bytes, base64url. Whoever holds it may have that one command run, once. */
  readonly ticket: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/**
 * Permissions that were given and not used yet. In memory only: a restart forgets them, and the
 * record closes their rows as it does those of a crash.
 */
export interface Tickets<T> {
  issue(permitted: T): Ticket;
  /**
   * The permission, which is gone from here with this call. Throws `replay-detected` for a used
   * ticket, `approval-timeout` for one that came too late, `stale-on-recovery` for an unknown one.
   */
  take(ticket: string): T;
  /** Takes all of them back; answers what they were for. */
  revoke(): readonly T[];
}

interface TicketsOptions<T> {
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** Called with what was never used in time. */
  readonly expired: (permitted: T) => void;
}

/** Long enough for a host to start a process under load, too short to be kept for later. */
export const ticketLifeMs = 60_000;

/** Spent tickets are remembered so that a second use is told as what it is. */
const mostSpent = 10_000;

export function createTickets<T>({ clock, random, expired }: TicketsOptions<T>): Tickets<T> {
  const open = new Map<string, { readonly permitted: T; readonly forget: () => void }>();
  const spent = new Map<string, 'used' | 'expired' | 'revoked'>();
  const spend = (ticket: string, how: 'used' | 'expired' | 'revoked'): T | undefined => {
    const found = open.get(ticket);
    if (found === undefined) return undefined;
    found.forget();
    open.delete(ticket);
    spent.set(ticket, how);
    for (const oldest of spent.keys()) {
      if (spent.size <= mostSpent) break;
      spent.delete(oldest);
    }
    return found.permitted;
  };
  return {
    issue: (permitted) => {
      const ticket = Buffer.from(random(32)).toString('base64url');
      const forget = clock.after(ticketLifeMs, () => {
        if (spend(ticket, 'expired') !== undefined) expired(permitted);
      });
      open.set(ticket, { permitted, forget });
      return { ticket, expiresAt: clock.now() + ticketLifeMs };
    },
    take: (ticket) => {
      const permitted = spend(ticket, 'used');
      if (permitted === undefined) throw whyNot(spent.get(ticket));
      return permitted;
    },
    revoke: () => [...open.keys()].flatMap((ticket) => spend(ticket, 'revoked') ?? []),
  };
}

function whyNot(how: 'used' | 'expired' | 'revoked' | undefined): Error {
  const again = 'Ask for the command again; a permission is for one start.';
  if (how === 'used') return refuse('replay-detected', 'This ticket was used already.', again);
  if (how === 'expired')
    return refuse(
      'approval-timeout',
      `The permission was not used within ${ticketLifeMs / 1000} seconds.`,
      again,
    );
  if (how === 'revoked')
    return refuse('lockout-active', 'The permission was taken back by a lockout.', again);
  return refuse(
    'stale-on-recovery',
    'This runner knows no such ticket: it was started anew since, or the ticket never was.',
    again,
  );
}
