import type { Clock } from '../../shared/base/index.ts';
import { createNonceMemory, serveApprovals } from '../../shared/ipc/index.ts';
import type { ApproverSession, Duplex, V1Handlers } from '../../shared/ipc/index.ts';
import { refusalOfError } from './refusals.ts';

interface ConnectionServerOptions {
  readonly uid: number;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /**
   * The token as it is now; null while the policy is not valid. Rejects with a refusal where the
   * secret store that has it does not answer.
   */
  readonly token: () => Promise<string | null>;
  /** A connection was closed because it broke the protocol. */
  readonly onBreach: (code: string, pid: number | null) => void;
  readonly onSession: (session: ApproverSession) => void;
  /** Asked for each connection; null where `config.json` turns version 1 off. */
  readonly version1: () => V1Handlers | null;
}

/** How many connections may be open that have not yet proved that they know the token. */
interface CrowdLimits {
  readonly inAll: number;
  readonly perProcess: number;
  /** Of those, places for processes that have proved it before: a runner that comes back. */
  readonly kept: number;
}

const crowdLimits: CrowdLimits = { inAll: 64, perProcess: 16, kept: 8 };

/**
 * Serves connections to the approvals socket. Without a token nobody can authenticate. Each has the
 * protocol's time to prove that it knows the token; until then it holds a place that it can lose to
 * another, so that a crowd of half-open connections keeps no runner from its approver.
 */
export function connectionServer(
  options: ConnectionServerOptions,
  limits: CrowdLimits = crowdLimits,
): (duplex: Duplex) => void {
  const { uid, clock, log, token, onBreach, onSession, version1 } = options;
  const nonces = createNonceMemory(clock);
  const waitingRoom = createWaitingRoom(limits, log);
  const serve = async (duplex: Duplex, proved: () => void): Promise<void> => {
    try {
      const secret = await token();
      if (secret === null) {
        log('refused a connection: the policy file has no valid token');
        duplex.destroy();
        return;
      }
      serveApprovals(duplex, {
        v2: {
          token: secret,
          uid,
          clock,
          nonces,
          onViolation: ({ code, detail }) => {
            log(`closed a connection: ${code}: ${detail}`);
            onBreach(code, duplex.peer?.pid ?? null);
          },
          onSession: (session) => {
            proved();
            onSession(session);
          },
        },
        v1: telling(version1, proved),
      });
    } catch (error) {
      log(`refused a connection: ${refusalOfError(error).message}`);
      duplex.destroy();
    }
  };
  return (duplex) => void serve(duplex, waitingRoom.enter(duplex));
}

/**
 * A version-1 handler is called only after the frame's proof of the token was checked. Where version 1
 * was turned off while a person thought, the client gets no answer.
 */
function telling(version1: () => V1Handlers | null, proved: () => void): V1Handlers | null {
  const handlers = version1();
  if (handlers === null) return null;
  return {
    decide: async (...asked) => {
      proved();
      const word = await handlers.decide(...asked);
      return version1() === null ? null : word;
    },
    onExec: async (...asked) => {
      proved();
      return handlers.onExec(...asked);
    },
  };
}

interface WaitingRoom {
  /** Gives a connection a place, and hands back how to say that it has proved itself. */
  enter(duplex: Duplex): () => void;
}

/** Pids remembered as of processes that have proved themselves; the oldest is forgotten first. */
const mostKnown = 32;

/**
 * The connections that have not proved themselves, oldest first. Where there is no place left, the
 * process that holds most of them loses its oldest; the new one always comes in.
 */
function createWaitingRoom(limits: CrowdLimits, log: (line: string) => void): WaitingRoom {
  const waiting = new Set<Duplex>();
  const known = new Set<number>();
  const pidOf = ({ peer }: Duplex): number => peer?.pid ?? -1;
  const of = (pid: number): readonly Duplex[] => [...waiting].filter((each) => pidOf(each) === pid);
  const turnOut = (duplex: Duplex | undefined): void => {
    if (duplex === undefined) return;
    waiting.delete(duplex);
    log('closed a connection that had said nothing: too many are open');
    duplex.destroy();
  };
  const makeRoom = (pid: number): void => {
    const own = of(pid);
    if (own.length > limits.perProcess) return turnOut(own[0]);
    const guests = [...waiting].filter((each) => !known.has(pidOf(each)));
    const [crowd, most] = known.has(pid)
      ? [[...waiting], limits.inAll]
      : [guests, limits.inAll - limits.kept];
    if (crowd.length <= most) return undefined;
    const first = guests.length > 0 ? guests : crowd;
    return turnOut(oldestOfLargest(first, pidOf));
  };
  return {
    enter: (duplex) => {
      const pid = pidOf(duplex);
      waiting.add(duplex);
      duplex.onClose(() => waiting.delete(duplex));
      makeRoom(pid);
      return () => {
        waiting.delete(duplex);
        if (pid < 0) return;
        known.delete(pid);
        known.add(pid);
        const [oldest] = known;
        if (known.size > mostKnown && oldest !== undefined) known.delete(oldest);
      };
    },
  };
}

/** The oldest of those that share a process with most others. */
function oldestOfLargest(
  duplexes: readonly Duplex[],
  pidOf: (duplex: Duplex) => number,
): Duplex | undefined {
  const counts = new Map<number, number>();
  for (const duplex of duplexes) counts.set(pidOf(duplex), (counts.get(pidOf(duplex)) ?? 0) + 1);
  const largest = Math.max(...counts.values());
  return duplexes.find((duplex) => counts.get(pidOf(duplex)) === largest);
}
