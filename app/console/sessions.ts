import { createHash, timingSafeEqual } from 'node:crypto';
import type { DeviceSession } from '../bridge/device-rights.ts';

/** The tokens in links: each opens one session, once. Only the newest few are valid. */
export interface OneTimeLinks {
  /** A fresh token, 32 random bytes in base64url. */
  issue(): string;
  /** True the first time for a valid token, which is then spent. */
  redeem(token: string): boolean;
}

interface OneTimeLinksOptions {
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
  /** How long an unused link is valid, in milliseconds. */
  readonly ttlMs: number;
}

/** A link that was printed and one that was asked for later may both be open in some terminal. */
const mostLinks = 4;

/** Keeps digests only, so that comparing any token takes the same time. */
export function createOneTimeLinks({ now, random, ttlMs }: OneTimeLinksOptions): OneTimeLinks {
  let open: readonly { readonly digest: Buffer; readonly until: number }[] = [];
  return {
    issue: () => {
      const token = Buffer.from(random(32)).toString('base64url');
      open = [...open, { digest: digestOf(token), until: now() + ttlMs }].slice(-mostLinks);
      return token;
    },
    redeem: (token) => {
      const digest = digestOf(token);
      let good = false;
      open = open.filter((link) => {
        const same = timingSafeEqual(link.digest, digest);
        if (same && now() <= link.until) good = true;
        return !same;
      });
      return good;
    },
  };
}

/** sha256 of a secret, for comparing in constant time whatever its length. */
function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** One page that redeemed a link. */
export interface Session {
  readonly digest: Buffer;
  lastUsedAt: number;
}

/** The open sessions. One that is idle for `idleMs` ends. */
export interface Sessions<S extends Session = Session> {
  /** The secret of a new session, 32 random bytes in base64url. */
  open(): string;
  /** The session with this secret, or null when there is none or it is over. */
  find(secret: string): S | null;
  /** A person did something in it. */
  touch(session: S): void;
  isOver(session: S): boolean;
}

interface SessionsOptions {
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly idleMs: number;
}

/** Beyond this many sessions, the one idle longest ends. */
const mostSessions = 32;

/** An empty set of sessions. */
export function createSessions({ now, random, idleMs }: SessionsOptions): Sessions {
  let sessions: readonly Session[] = [];
  const isOver = (session: Session): boolean =>
    !sessions.includes(session) || now() - session.lastUsedAt > idleMs;
  return {
    open: () => {
      const secret = Buffer.from(random(32)).toString('base64url');
      const kept = sessions
        .filter((session) => !isOver(session))
        .toSorted((a, b) => a.lastUsedAt - b.lastUsedAt)
        .slice(-(mostSessions - 1));
      sessions = [...kept, { digest: digestOf(secret), lastUsedAt: now() }];
      return secret;
    },
    find: (secret) => {
      const digest = digestOf(secret);
      const found = sessions.filter((session) => timingSafeEqual(session.digest, digest)).at(0);
      return found === undefined || isOver(found) ? null : found;
    },
    touch: (session) => {
      session.lastUsedAt = now();
    },
    isOver,
  };
}

/** One connection of a device. */
interface DeviceConnection extends Session {
  readonly who: DeviceSession;
}

interface DeviceSessionsOptions extends SessionsOptions {
  /** Whether the device is still among those of the home, and what opened it still counts. */
  readonly isKnown: (who: DeviceSession) => boolean;
}

/** How long what a device was given for its connection is good, in milliseconds. */
const ticketTtlMs = 30_000;
/** Of one device; none takes those of another. */
const mostTickets = 4;

/**
 * The connections of devices. Each takes a ticket of its own, which the device's key was shown for and
 * which opens one connection, once: there is nothing that could be kept, or stolen and used later.
 */
export function createDeviceSessions({ now, random, idleMs, isKnown }: DeviceSessionsOptions): Omit<
  Sessions<DeviceConnection>,
  'open'
> & {
  open(who: DeviceSession): string;
} {
  let tickets: readonly { readonly who: DeviceSession; readonly digest: Buffer; until: number }[] =
    [];
  const isOver = ({ who, lastUsedAt }: DeviceConnection): boolean =>
    now() - lastUsedAt > idleMs || !isKnown(who);
  return {
    open: (who) => {
      const secret = Buffer.from(random(32)).toString('base64url');
      const ticket = { who, digest: digestOf(secret), until: now() + ticketTtlMs };
      const isTheirs = (one: { readonly who: DeviceSession }): boolean =>
        one.who.device.id === who.device.id;
      const theirs = [...tickets.filter(isTheirs), ticket].slice(-mostTickets);
      tickets = [...tickets.filter((one) => !isTheirs(one) && now() <= one.until), ...theirs];
      return secret;
    },
    find: (secret) => {
      const digest = digestOf(secret);
      const found = tickets.find((ticket) => timingSafeEqual(ticket.digest, digest));
      tickets = tickets.filter((ticket) => ticket !== found);
      if (found === undefined || now() > found.until) return null;
      const connection = { who: found.who, digest, lastUsedAt: now() };
      return isOver(connection) ? null : connection;
    },
    touch: (session) => {
      session.lastUsedAt = now();
    },
    isOver,
  };
}
