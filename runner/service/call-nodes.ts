import type { HomePaths } from '../../shared/home/index.ts';
import { accessOf } from '../fleet/files.ts';
import type { Fleet } from '../fleet/files.ts';
import type { NodeProblem } from '../../shared/wire/index.ts';
import type { Device } from '../nodes/device.ts';
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
  /** Of the gateway, with what it told its fleet last. */
  readonly device: Device;
  readonly told: HomePaths['fleetTold'];
  readonly note: (code: string, text: string) => void;
}

/** What brings nodes without a port of this machine's. */
export interface Calls {
  /** A node was removed: what it may do elsewhere ends. */
  revoke(): void;
  /** What is wrong with a node, as the fleet says. */
  problemsOf(id: string): readonly NodeProblem[];
  dispose(): Promise<void>;
}

/** Connects to what brings nodes without a port of this machine's, and stays. */
export async function callOut({ ssh, fleet, ...called }: Called, how: How): Promise<Calls> {
  const { callNodes } = await import('../nodes/ssh.ts');
  const onProblem = (destination: string, why: string | null): void =>
    called.tell(`No connection to ${destination} by SSH`, why);
  const calls = callNodes({ ...how, destinations: ssh, onProblem });
  if (fleet === null) return { ...calls, revoke: () => undefined, problemsOf: () => [] };
  const joined = await callAtFleet(fleet, called, how);
  return {
    ...joined,
    dispose: async () => void (await Promise.all([calls.dispose(), joined.dispose()])),
  };
}

async function callAtFleet(
  fleet: Fleet,
  { path, uid, registry, tell, device, told, note }: Omit<Called, 'ssh' | 'fleet'>,
  how: How,
): Promise<Calls> {
  const { watchFleet } = await import('../fleet/watch.ts');
  const { joinFleet } = await import('../fleet/streams.ts');
  const { openRevocations } = await import('../fleet/revoke.ts');
  const unreached = `No connection to the fleet "${fleet.name}"`;
  const unrevoked = 'A machine that was removed may still connect to nats-server';
  const kept = 'nats-server keeps something from the nodes';
  const nodeOf = (id: string) => {
    const node = registry.list().find((each) => each.id === id);
    return node?.state === 'approved' ? node : null;
  };
  const watch = watchFleet({
    device,
    keyOf: (id) => nodeOf(id)?.key ?? null,
    clock: how.clock,
    path: told,
    uid,
    note,
    onWithheld: (why) => tell(kept, why),
  });
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
    onReached: (connection) => {
      revocations.tell();
      void watch.reached(connection);
    },
    onProblem: (why) => tell(unreached, why),
  });
  return {
    revoke,
    // Whoever came by another way has no part in it.
    problemsOf: (id) => ((nodeOf(id)?.users ?? []).length > 0 ? watch.of(id) : []),
    dispose: async () => {
      await Promise.all([joined.dispose(), revocations.dispose()]);
      tell(unreached, null);
      tell(unrevoked, null);
      tell(kept, null);
    },
  };
}
