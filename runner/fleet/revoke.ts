import { messageOf, readJson, compile, s } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { keepTrying } from '../limits/keep-trying.ts';
import { readFleet, writeFleet } from './files.ts';
import type { Fleet } from './files.ts';
import { revokedUsers, topics, withRevoked } from './keys.ts';
import { connectFleet } from './streams.ts';

/** The users of removed machines, which nats-server is to let in no more. */
export interface Revocations {
  /** Whether this user is revoked, whatever nats-server does. */
  has(user: string): boolean;
  /** Revokes them, on the disk before anything is sent; nats-server is told until it says that it knows. */
  add(users: readonly string[]): void;
  /** Tells nats-server again: it was reached, and may have lost what it knew. */
  tell(): void;
  dispose(): Promise<void>;
}

export interface RevocationsOptions {
  /** The gateway's file. */
  readonly path: string;
  readonly uid: number;
  readonly fleet: Fleet;
  readonly clock: Clock;
  /** From 0 up to 1: spreads the attempts. */
  readonly random: () => number;
  /** Why nats-server may still let removed machines in, one line; null where it does not. */
  readonly onProblem: (why: string | null) => void;
}

const answerMs = 5_000;
const firstMs = 1_000;
const longestMs = 60_000;

/** Opens what is revoked. Throws `config-invalid` for an account that cannot be read. */
export function openRevocations(options: RevocationsOptions): Revocations {
  const { path, uid, clock, random, onProblem } = options;
  let { fleet } = options;
  let revoked = revokedUsers(fleet);
  const stop = new AbortController();
  let attempt = Promise.resolve();
  /** Grows with each reason to tell; what was told of an earlier one is told anew. */
  let wanted = 0;
  let told = 0;
  const tellUntilKnown = async (): Promise<void> =>
    keepTrying({
      clock,
      random,
      signal: stop.signal,
      firstMs,
      longestMs,
      attempt: async () => {
        const now = wanted;
        if (told === now || revoked.size === 0) return 'over';
        try {
          await tellServer(fleet);
          told = now;
          onProblem(null);
          return told === wanted ? 'over' : 'again';
        } catch (error) {
          onProblem(messageOf(error));
          return 'again';
        }
      },
    });
  const again = (): void => {
    wanted += 1;
    attempt = attempt.then(tellUntilKnown);
  };
  const tell = (): void => {
    try {
      // A gateway may have been removed meanwhile, at the command line.
      fleet = readFleet(path, uid) ?? fleet;
      revoked = revokedUsers(fleet);
    } catch (error) {
      onProblem(messageOf(error));
    }
    again();
  };
  return {
    has: (user) => revoked.has(user),
    add: (users) => {
      const next = withRevoked(readFleet(path, uid) ?? fleet, users, clock.now());
      if (next.accountJwt === fleet.accountJwt) return;
      // From now on here, though the disk should be full: nats-server is told all the same.
      fleet = next;
      revoked = revokedUsers(next);
      again();
      writeFleet(path, next);
    },
    tell,
    dispose: async () => {
      stop.abort();
      await attempt;
    },
  };
}

const longestAnswer = 64 * 1024;
const checkAnswer = compile(s.record(s.unknown()));

/** Brings nats-server the newest account of the fleet. Rejects where it does not say that it took it up. */
export async function tellServer({ servers, ca, registrar, accountJwt }: Fleet): Promise<void> {
  const connection = await connectFleet({ servers, ca, ...registrar });
  try {
    const answer = await connection.request(topics.account, accountJwt, { timeout: answerMs });
    const text = answer.data.length > longestAnswer ? '' : answer.string();
    const read = readJson(checkAnswer, text);
    if (!read.ok || 'error' in read.value || !('data' in read.value))
      throw new Error(
        'nats-server did not take the account up: are its settings those of this fleet?',
      );
  } finally {
    await connection.close();
  }
}
