import { randomBytes } from 'node:crypto';
import { displayPlain } from '../../shared/base/index.ts';
import type { FleetFollower } from '../fleet/follow.ts';
import type { FleetGateway } from '../fleet/roster.ts';
import { deviceId } from '../nodes/device.ts';
import type { Dialled, StreamDialOptions } from '../nodes/dial.ts';
import type { NodeState } from '../nodes/handshake.ts';
import { gatewayText } from '../nodes/node-file.ts';
import type { KeptNode } from '../nodes/node-file.ts';
import type { Reporter } from '../nodes/session.ts';
import type { Standing, StayOptions } from '../nodes/stay.ts';
import { Rejection } from '../nodes/talk.ts';
import { note } from './log.ts';
import type { NodesBase, NodeTraffic } from './nodes.ts';

/** A gateway of this machine, and how it stands with it. */
export interface OwnGateway {
  readonly id: string;
  readonly displayName: string;
  standing: Standing;
  /** Whether there was a link to it since this runner was started. */
  wasThere: boolean;
}

/** How it stands with the gateways of this machine; the first is the one that it was paired with. */
export interface OwnGateways {
  readonly node: KeptNode;
  list(): readonly OwnGateway[];
  /** This machine was locked or unlocked: its gateways are told how it stands. */
  changed(): void;
  close(): Promise<void>;
}

export interface Staying extends NodesBase {
  readonly state: () => NodeState;
  /** Closes the lock of this machine. */
  readonly lockOut: (reason: string | null) => Promise<unknown>;
  readonly isLocked: () => boolean;
  readonly node: KeptNode;
}

type Traffic<ToGateway, ToNode> = Pick<
  NodeTraffic<ToGateway, ToNode>,
  'checkAtNode' | 'onGateway' | 'onGatewayState' | 'onGateways'
>;

/** Connects to the gateway that this machine is a node of, and to all others of its fleet, and stays. */
export async function stayAtGateways<ToGateway, ToNode>(
  base: Staying,
  traffic: Traffic<ToGateway, ToNode>,
): Promise<OwnGateways> {
  const { node } = base;
  const { gateway } = node.file;
  const pairing = String(node.file.pairedAt);
  const stays = new Map<string, Stay>();
  const gateways = (): readonly OwnGateway[] => [...stays.values()].map(({ own }) => own);
  const { reporter, changed } = reporterOf(base, gateways);
  const first = deviceId(gateway.key);
  const further = new Map<string, FleetGateway>();
  const look = (): void => {
    further.clear();
    for (const each of way.further()) further.set(deviceId(each.key), each);
    further.delete(first);
    for (const [id, { leave }] of stays) if (id !== first && !further.has(id)) leave();
    // Before any of them is there: what is asked for by nobody any more ends.
    traffic.onGateways([first, ...further.keys()], pairing);
    for (const [id, each] of further) if (!stays.has(id)) begin(id, each, way.dialTo(id, each));
    changed();
  };
  const way = await wayTo(base, () => look());
  const { stayAtGateway } = await import('../nodes/stay.ts');
  const begin = (id: string, to: Met, dial: Dial): void => {
    const stop = new AbortController();
    const { signal } = stop;
    const own: OwnGateway = {
      id,
      displayName: displayPlain(to.displayName),
      standing: { connected: false, since: base.clock.now(), problem: null, given: false },
      wasThere: false,
    };
    const done = stayAtGateway<ToNode, ToGateway>({
      ...howToStay(base, own, { isFirst: id === first, changed }),
      reporter,
      gateway: { key: to.key, address: 'host' in gateway ? gateway.host : null },
      signal,
      dial: async (gone) => dial({ certificate: to.certificate, clock: base.clock, signal: gone }),
      check: traffic.checkAtNode,
      onLink: (link) => traffic.onGateway(link, pairing),
      onState: (now) => traffic.onGatewayState(id, now),
    });
    const leave = (): void => {
      stays.delete(id);
      stop.abort();
    };
    stays.set(id, { own, leave, done });
  };
  begin(first, gateway, way.dial);
  look();
  return {
    node,
    list: gateways,
    changed,
    close: async () => {
      const all = [...stays.values()];
      for (const { leave } of all) leave();
      await Promise.all(all.map(async ({ done }) => done));
      way.dispose();
    },
  };
}

/** What gateways are told of how this machine stands. */
function reporterOf(
  { clock, isLocked }: Pick<Staying, 'clock' | 'isLocked'>,
  gateways: () => readonly OwnGateway[],
): { readonly reporter: Reporter; readonly changed: () => void } {
  const told = new Set<() => void>();
  return {
    reporter: {
      read: () => ({
        locked: isLocked(),
        gateways: gateways().map(({ id, standing: { connected, since }, wasThere }) => ({
          id,
          connected,
          forMs: wasThere ? Math.max(0, clock.now() - since) : null,
        })),
      }),
      onChange: (one) => {
        told.add(one);
        return () => told.delete(one);
      },
    },
    changed: () => {
      for (const one of told) one();
    },
  };
}

interface Stay {
  readonly own: OwnGateway;
  readonly leave: () => void;
  readonly done: Promise<void>;
}

type Met = Pick<FleetGateway, 'displayName' | 'key' | 'certificate'>;

function howToStay(
  { node, clock, log, state }: Staying,
  own: OwnGateway,
  { isFirst, changed }: { readonly isFirst: boolean; readonly changed: () => void },
): Pick<
  StayOptions<never, never>,
  'node' | 'clock' | 'nonce' | 'random' | 'state' | 'isFinal' | 'onStanding'
> {
  const { gateway } = node.file;
  const where = isFirst ? `${own.displayName} (${gatewayText(gateway)})` : own.displayName;
  return {
    node,
    clock,
    nonce: () => randomBytes(32).toString('base64url'),
    random: Math.random,
    state,
    // A further gateway may not have heard of this machine yet, and is named by a list that changes.
    isFinal: ({ code, isFinal }) => (isFirst ? isFinal : code === 'removed'),
    onStanding: (now) => {
      const before = own.standing;
      const isSame = now.connected === before.connected;
      own.standing = isSame ? { ...now, since: before.since } : now;
      own.wasThere ||= now.connected;
      if (!isSame) changed();
      if (now.connected) log.info(`Connected to the gateway ${where}.`);
      else if (before.connected || now.given || now.problem !== before.problem)
        log.warn(`No connection to the gateway ${where}: ${now.problem ?? ''}`);
    },
  };
}

type Dial = (how: Omit<StreamDialOptions, 'stream'>) => Promise<Dialled>;

/** How a node comes to its gateways. */
interface Way {
  readonly dial: Dial;
  /** To a further gateway of the fleet. */
  readonly dialTo: (id: string, gateway: FleetGateway) => Dial;
  readonly further: () => readonly FleetGateway[];
  readonly dispose: () => void;
}

async function wayTo(base: Staying, onGateways: () => void): Promise<Way> {
  const { gateway } = base.node.file;
  const { dial, dialThrough } = await import('../nodes/dial.ts');
  const alone = {
    dialTo: () => async () => Promise.reject(new Error('there is one gateway')),
    further: () => [],
    dispose: () => undefined,
  };
  if (!('via' in gateway)) return { ...alone, dial: async (how) => dial({ ...gateway, ...how }) };
  if (gateway.via === 'nats') return wayOverNats(base, gateway, onGateways);
  const { openStreamSocket } = await import('../nodes/stdio.ts');
  const socket = await openStreamSocket(base.paths.nodeSocket);
  return {
    ...alone,
    dial: async (how) => dialThrough({ ...how, stream: await socket.next(how.signal) }),
    dispose: () => socket.dispose(),
  };
}

async function wayOverNats(
  { node: { device }, paths, uid, clock, log, audit, lockOut }: Staying,
  { access, key }: Extract<KeptNode['file']['gateway'], { via: 'nats' }>,
  onGateways: () => void,
): Promise<Way> {
  const { dialThrough } = await import('../nodes/dial.ts');
  const { connectFleet, openNodeStream } = await import('../fleet/streams.ts');
  const { openFollower } = await import('../fleet/follow.ts');
  const follower: FleetFollower = openFollower({
    access,
    device,
    keeper: key,
    path: paths.fleetState,
    uid,
    clock,
    lockOut,
    onGateways,
    note: (code: string, text: string) => {
      log.info(text);
      note({ audit, clock, log }, code, text);
    },
  });
  return {
    dial: async (how) => {
      const connection = await connectFleet(access);
      // What it is told counts whether or not the gateway itself is there.
      void follower.attach(connection);
      return dialThrough({ ...how, stream: await openNodeStream(connection, access) });
    },
    dialTo:
      (id, { key: own }) =>
      async (how) => {
        const connection = await connectFleet(access);
        // First: it may have been removed while this machine was away.
        await follower.attach(connection);
        if (!follower.gateways().some((each) => each.key === own)) {
          await connection.close();
          throw new Rejection('lost', 'It is no gateway of the fleet any more.');
        }
        return dialThrough({ ...how, stream: await openNodeStream(connection, access, id) });
      },
    further: () => follower.gateways(),
    dispose: () => undefined,
  };
}
