import type { HomePaths } from '../../shared/home/index.ts';
import { accessOf } from '../fleet/files.ts';
import type { Fleet } from '../fleet/files.ts';
import type { NodeRegistry } from '../nodes/registry.ts';
import type { NodeCallsOptions } from '../nodes/ssh.ts';

type How = Omit<NodeCallsOptions, 'destinations' | 'onProblem'>;

interface Called {
  readonly ssh: readonly string[];
  readonly fleet: Fleet | null;
  /** Of the fleet's file. */
  readonly path: HomePaths['fleet'];
  readonly uid: number;
  readonly registry: Pick<NodeRegistry, 'list'>;
  readonly tell: (what: string, why: string | null) => void;
}

/** What brings nodes without a port of this machine's. */
export interface Calls {
  /** A node was removed: what it may do elsewhere ends. */
  revoke(): void;
  dispose(): Promise<void>;
}

/** Connects to what brings nodes without a port of this machine's, and stays. */
export async function callOut({ ssh, fleet, ...called }: Called, how: How): Promise<Calls> {
  const { callNodes } = await import('../nodes/ssh.ts');
  const onProblem = (destination: string, why: string | null): void =>
    called.tell(`No connection to ${destination} by SSH`, why);
  const calls = callNodes({ ...how, destinations: ssh, onProblem });
  if (fleet === null) return { ...calls, revoke: () => undefined };
  const joined = await callAtFleet(fleet, called, how);
  return {
    revoke: () => joined.revoke(),
    dispose: async () => void (await Promise.all([calls.dispose(), joined.dispose()])),
  };
}

async function callAtFleet(
  fleet: Fleet,
  { path, uid, registry, tell }: Omit<Called, 'ssh' | 'fleet'>,
  how: How,
): Promise<Calls> {
  const { joinFleet } = await import('../fleet/streams.ts');
  const { openRevocations } = await import('../fleet/revoke.ts');
  const unreached = `No connection to the fleet "${fleet.name}"`;
  const unrevoked = 'A machine that was removed may still connect to nats-server';
  tell(unreached, 'It was not reached yet.');
  const revocations = openRevocations({
    ...how,
    path,
    uid,
    fleet,
    onProblem: (why) => tell(unrevoked, why),
  });
  const revoke = (): void => {
    const removed = registry.list().filter(({ state }) => state === 'removed');
    try {
      revocations.add(removed.flatMap(({ users = [] }) => users));
    } catch (error) {
      tell(unrevoked, error instanceof Error ? error.message : 'it could not be written down.');
    }
  };
  // One may have been removed while nothing could be written.
  revoke();
  const joined = joinFleet({
    ...how,
    access: accessOf(fleet),
    isRevoked: (user) => revocations.has(user),
    onReached: () => revocations.tell(),
    onProblem: (why) => tell(unreached, why),
  });
  return {
    revoke,
    dispose: async () => {
      await Promise.all([joined.dispose(), revocations.dispose()]);
      tell(unreached, null);
      tell(unrevoked, null);
    },
  };
}
