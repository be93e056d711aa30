import { messageOf } from '../../shared/base/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import type { FleetGatewayInfo, NodeProblem } from '../../shared/wire/index.ts';
import { accessOf, readFleet, readKeptGateway } from '../fleet/files.ts';
import type { Fleet, FleetAccess } from '../fleet/files.ts';
import type { Device } from '../nodes/device.ts';
import type { NodeGateway } from '../nodes/gateway.ts';
import type { NodeEntry, NodeRegistry } from '../nodes/registry.ts';
import type { NodeCallsOptions } from '../nodes/ssh.ts';

type How = Omit<NodeCallsOptions, 'destinations' | 'onProblem'>;

/** The fleet that this machine is a gateway of. */
export interface FleetSeat {
  readonly name: string;
  readonly access: FleetAccess;
  /** The key of the fleet; null where this machine made it, and has that key. */
  readonly keeper: string | null;
  /** What only the gateway that made the fleet has. */
  readonly fleet: Fleet | null;
}

/** The seat of this machine in a fleet; null where it is no gateway of one. Throws `config-invalid`. */
export function readSeat(
  { fleet: path, fleetGateway }: Pick<HomePaths, 'fleet' | 'fleetGateway'>,
  uid: number,
): FleetSeat | null {
  const fleet = readFleet(path, uid);
  if (fleet !== null) return { name: fleet.name, access: accessOf(fleet), keeper: null, fleet };
  const kept = readKeptGateway(fleetGateway, uid);
  if (kept === null || kept.joined === null) return null;
  const { user, seed, joined } = kept;
  const { name, keeper, servers, ca, jwt } = joined;
  return { name, keeper, access: { servers, ca, user, seed, jwt }, fleet: null };
}

/** What the gateway does with what it hears of nodes. */
type Heard = Pick<NodeGateway<never, never>, 'adopt' | 'removedElsewhere'>;

interface Called {
  readonly ssh: readonly string[];
  readonly seat: FleetSeat | null;
  /** Of the fleet's file. */
  readonly path: HomePaths['fleet'];
  readonly uid: number;
  readonly registry: Pick<NodeRegistry, 'list'>;
  readonly gateway: Heard;
  readonly tell: (what: string, why: string | null) => void;
  readonly device: Device;
  readonly told: HomePaths['fleetTold'];
  readonly note: (code: string, text: string) => void;
}

/** What brings nodes without a port of this machine's. */
export interface Calls {
  /** A node was paired or removed: what it may do elsewhere changes. */
  changed(): void;
  /** What is wrong with a node, by its id, as the fleet says now. */
  problems(): (id: string) => readonly NodeProblem[];
  /** All gateways of the fleet; empty where this machine is of none, or alone. */
  gateways(): readonly Pick<FleetGatewayInfo, 'id' | 'displayName' | 'isThis'>[];
  dispose(): Promise<void>;
}

/** Connects to what brings nodes without a port of this machine's, and stays. */
export async function callOut({ ssh, seat, ...called }: Called, how: How): Promise<Calls> {
  const { callNodes } = await import('../nodes/ssh.ts');
  const onProblem = (destination: string, why: string | null): void =>
    called.tell(`No connection to ${destination} by SSH`, why);
  const calls = callNodes({ ...how, destinations: ssh, onProblem });
  if (seat === null)
    return { ...calls, changed: () => undefined, problems: () => () => [], gateways: () => [] };
  const joined = await callAtFleet(seat, called, how);
  return {
    ...joined,
    dispose: async () => void (await Promise.all([calls.dispose(), joined.dispose()])),
  };
}

type AtFleet = Omit<Called, 'ssh' | 'seat'>;

async function callAtFleet(seat: FleetSeat, called: AtFleet, how: How): Promise<Calls> {
  const { registry, tell, device, told, uid, note, gateway } = called;
  const { gatewaysKept, trustKept, watchFleet } = await import('../fleet/watch.ts');
  const { shareNodes } = await import('../fleet/shared-nodes.ts');
  const { joinFleet } = await import('../fleet/streams.ts');
  const { whenKept } = await import('../fleet/control.ts');
  const unreached = `No connection to the fleet "${seat.name}"`;
  const kept = 'nats-server keeps something from the nodes';
  const keeper = seat.keeper ?? device.publicKey;
  const nodes = () => registry.list().filter(({ users = [] }) => users.length > 0);
  const find = (id: string) =>
    registry.list().find((each) => each.id === id && each.state === 'approved');
  const own = { device, keeper, path: told, uid, note };
  const watch = watchFleet({
    ...own,
    keyOf: (id) => find(id)?.key ?? null,
    clock: how.clock,
    onWithheld: (why) => tell(kept, why),
  });
  const shared = shareNodes({
    device,
    trust: () => trustKept(own),
    nodes,
    adopt: (node) => gateway.adopt(node),
    removed: (id) => gateway.removedElsewhere(id),
    note,
  });
  tell(unreached, 'It was not reached yet.');
  const revoking = await revokingOf(seat, nodes, called, how);
  // One may have been removed while nothing could be written.
  revoking.look();
  const joined = joinFleet({
    ...how,
    access: seat.access,
    gateway: seat.keeper === null ? null : device.id,
    isRevoked: (user) => revoking.has(user),
    onReached: (connection) => {
      revoking.tell();
      const unwatched = (error: unknown): void => {
        if (!connection.isClosed())
          note('fleet-unwatched', `What the fleet keeps is not known: ${messageOf(error)}`);
      };
      whenKept(connection, { device, keeper, clock: how.clock }, unwatched)
        .then(async () => watch.reached(connection))
        .then(async () => shared.reached(connection))
        .catch(unwatched);
    },
    onProblem: (why) => tell(unreached, why),
  });
  return {
    changed: () => {
      revoking.look();
      void shared.changed();
    },
    // Whoever came by another way has no part in it.
    problems: () => {
      const behind = watch.behind();
      const members = new Set(nodes().flatMap(({ id, state }) => (state === 'approved' ? id : [])));
      return (id) => (members.has(id) ? behind(id) : []);
    },
    gateways: () => gatewaysKept(own),
    dispose: async () => {
      await Promise.all([joined.dispose(), revoking.dispose()]);
      tell(unreached, null);
      tell(kept, null);
    },
  };
}

interface Revoking {
  /** Looks which users are to be let in no more. */
  look(): void;
  has(user: string): boolean;
  /** nats-server was reached. */
  tell(): void;
  dispose(): Promise<void>;
}

/** Users of removed nodes: none is answered here, and the gateway that made the fleet tells nats-server. */
async function revokingOf(
  { fleet }: FleetSeat,
  nodes: () => readonly NodeEntry[],
  { path, uid, tell }: AtFleet,
  how: How,
): Promise<Revoking> {
  const removed = (): readonly string[] =>
    nodes().flatMap(({ state, users = [] }) => (state === 'removed' ? users : []));
  if (fleet === null)
    return {
      look: () => undefined,
      has: (user) => removed().includes(user),
      tell: () => undefined,
      dispose: async () => Promise.resolve(),
    };
  const { openRevocations } = await import('../fleet/revoke.ts');
  const unrevoked = 'A machine that was removed may still connect to nats-server';
  const onProblem = (why: string | null): void => tell(unrevoked, why);
  const revocations = openRevocations({ ...how, path, uid, fleet, onProblem });
  return {
    look: () => {
      try {
        revocations.add(removed());
      } catch (error) {
        tell(unrevoked, error instanceof Error ? error.message : 'it could not be written down.');
      }
    },
    has: (user) => revocations.has(user),
    tell: () => revocations.tell(),
    dispose: async () => {
      await revocations.dispose();
      tell(unrevoked, null);
    },
  };
}
