import { timingSafeEqual } from 'node:crypto';
import { digestOf } from './one-time-links.ts';

/** One page that redeemed a link. */
export interface Session {
  readonly digest: Buffer;
  lastUsedAt: number;
}

/** The open sessions. One that nobody used for `idleMs` is over. */
export interface Sessions {
  /** The secret of a new session, 32 random bytes in base64url. */
  open(): string;
  /** The session with this secret, or null when there is none or it is over. */
  find(secret: string): Session | null;
  /** A person did something in it. */
  touch(session: Session): void;
  isOver(session: Session): boolean;
}

export interface SessionsOptions {
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
  readonly idleMs: number;
}

/** More sessions than this are not kept: the one that rested longest ends. */
const mostSessions = 32;

/** No sessions yet. */
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
