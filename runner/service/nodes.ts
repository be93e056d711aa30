import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { displayPlain, messageOf, refuse } from '../../shared/base/index.ts';
import type { Check } from '../../shared/base/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import type { FleetGatewayInfo, NodesBody, OwnNode } from '../../shared/wire/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import type { NodeGateway, ShownNode } from '../nodes/gateway.ts';
import type { NodeState } from '../nodes/handshake.ts';
import type { NodeLink } from '../nodes/link.ts';
import { addressText, parseAddress } from '../nodes/address.ts';
import type { Caller, ListenerOptions } from '../nodes/listener.ts';
import { gatewayText, readNodeFile } from '../nodes/node-file.ts';
import { readVersion } from '../version.ts';
import { callOut, readSeat } from './call-nodes.ts';
import type { Calls, FleetSeat } from './call-nodes.ts';
import { note } from './log.ts';
import type { OwnGateways, Staying } from './own-gateways.ts';
import type { Parts, PartsOptions } from './parts.ts';

/** What machines say over a link, and who takes it up: at the gateway, and at the node. */
export interface NodeTraffic<ToGateway, ToNode> {
  readonly checkAtGateway: Check<ToGateway>;
  readonly checkAtNode: Check<ToNode>;
  /** A node is there, by the pairing of that name. What it throws ends the link. */
  readonly onNode: (link: NodeLink<ToGateway, ToNode>, pairing: string) => void;
  /** A person has removed a node. */
  readonly onRemoved: (id: string) => void;
  /** These, by their ids, are the gateways of this machine; no other is any more. */
  readonly onGateways: (ids: readonly string[], pairing: string) => void;
  /** One of them is there. */
  readonly onGateway: (link: NodeLink<ToNode, ToGateway>, pairing: string) => void;
  /** The one with this id says, with each sign of life, what it is. */
  readonly onGatewayState: (id: string, state: NodeState) => void;
}

/** The other machines of a runner: those that call here, and the one that it calls. */
export interface Nodes<ToGateway, ToNode> extends Pick<
  NodeGateway<ToGateway, ToNode>,
  'approve' | 'decline' | 'remove' | 'linkTo'
> {
  body(): Omit<NodesBody, 'ok'>;
  /** The nodes alone, for who looks for one at each run. */
  list(): readonly ShownNode[];
  /** Looks at the settings and at `node.json` anew. Never rejects: what cannot be opened is told. */
  apply(): Promise<void>;
  dispose(): Promise<void>;
}

export type NodesBase = Pick<PartsOptions, 'uid' | 'clock' | 'log' | 'audit'> & {
  readonly paths: Pick<
    HomePaths,
    | 'fleet'
    | 'fleetGateway'
    | 'fleetState'
    | 'fleetTold'
    | 'nodes'
    | 'nodeFile'
    | 'nodeSocket'
    | 'nodesDevice'
    | 'nodesCertificate'
  >;
};

/** Whatever is open, and how it is closed. */
interface Opened {
  /** Of what it was opened with, so that the same is not opened anew. */
  readonly as: string;
  readonly close: () => Promise<void>;
}

/** The links to other machines. Nothing is opened before `apply`, and no port without `nodes.listen`. */
export function joinNodes<ToGateway, ToNode>(
  parts: Pick<Parts, 'config' | 'policy' | 'stops'>,
  base: NodesBase,
  openTraffic: () => Promise<NodeTraffic<ToGateway, ToNode>>,
): Nodes<ToGateway, ToNode> {
  const { log } = base;
  const { config } = parts;
  const state = (): NodeState => ({
    version: readVersion(),
    policyHash: parts.policy.current().hash,
  });
  const here: Here<ToGateway, ToNode> = {
    gateway: null,
    listening: null,
    calls: [],
    fleet: noFleet,
    own: null,
    problems: new Map(),
  };
  let port: Opened | null = null;
  let out: Opened | null = null;
  let isOver = false;
  let turn = Promise.resolve();

  const change = async (
    what: string,
    was: Opened | null,
    wanted: () => { readonly as: string; readonly open: () => Promise<Opened['close']> } | null,
  ): Promise<Opened | null> => {
    let is = was;
    try {
      const next = isOver ? null : wanted();
      if (next?.as === is?.as) return is;
      await is?.close();
      is = null;
      here.problems.delete(what);
      if (next !== null) is = { as: next.as, close: await next.open() };
    } catch (error) {
      here.problems.set(what, displayPlain(messageOf(error)));
      log.error(what, error);
      await is?.close();
      is = null;
    }
    return is;
  };
  const look = async (): Promise<void> => {
    port = await change('Nodes are not listened for', port, () => {
      if (config.problem() !== null) return null;
      const { listen, ssh } = config.current().nodes;
      const seat = readSeat(base.paths, base.uid);
      if (listen === null && ssh.length === 0 && seat === null) return null;
      const open = async () =>
        openGateway({ ...base, state, listen, ssh, seat }, await openTraffic(), here);
      // Whom a fleet has revoked changes with each removal, and nothing has to be opened anew for it.
      const as = JSON.stringify([listen, ssh, seat?.name, seat?.keeper, seat?.access]);
      return { as, open };
    });
    out = await change('This machine is not a node', out, () => {
      const node = readNodeFile(base.paths.nodeFile, base.uid);
      if (node === null) return null;
      const open = async () =>
        stayThere({ ...base, state, ...lockFor(parts.stops), node }, await openTraffic(), here);
      return { as: JSON.stringify(node.file), open };
    });
  };
  const apply = async (): Promise<void> => (turn = turn.then(look));
  const gateway = (): NodeGateway<ToGateway, ToNode> => here.gateway ?? notListening();
  parts.stops.onChange(() => here.own?.changed());
  return {
    apply,
    body: () => bodyOf(here),
    list: () => here.gateway?.nodes() ?? [],
    linkTo: (id) => here.gateway?.linkTo(id) ?? null,
    approve: (code) => gateway().approve(code),
    decline: (code) => gateway().decline(code),
    remove: (name) => gateway().remove(name),
    dispose: async () => {
      isOver = true;
      await apply();
    },
  };
}

/** The lock of this machine, as its gateways have it closed and are told of it. */
function lockFor({
  lockout,
  state,
}: Pick<Parts['stops'], 'lockout' | 'state'>): Pick<Staying, 'lockOut' | 'isLocked'> {
  return {
    lockOut: async (reason) => lockout(reason, 'fleet'),
    isLocked: () => state().mode === 'locked',
  };
}

/** How it stands with both directions. */
interface Here<ToGateway, ToNode> {
  gateway: NodeGateway<ToGateway, ToNode> | null;
  listening: string | null;
  calls: readonly string[];
  fleet: SeenFleet;
  own: OwnGateways | null;
  readonly problems: Map<string, string>;
}

/** What the fleet says: what is wrong with a node, and which gateways there are. */
type SeenFleet = Pick<Calls, 'problems' | 'gateways'>;
const noFleet: SeenFleet = { problems: () => () => [], gateways: () => [] };

type Opening = NodesBase & { readonly state: () => NodeState };

const nonce = (): string => randomBytes(32).toString('base64url');

/** Lets nodes in. What a runner without nodes does without is loaded here. */
async function openGateway<ToGateway, ToNode>(
  {
    paths,
    uid,
    clock,
    log,
    audit,
    state,
    listen,
    ssh,
    seat,
  }: Opening & Config['nodes'] & { readonly seat: FleetSeat | null },
  traffic: NodeTraffic<ToGateway, ToNode>,
  here: Here<ToGateway, ToNode>,
): Promise<Opened['close']> {
  const { createNodeGateway } = await import('../nodes/gateway.ts');
  const { openGatewayCertificate } = await import('../nodes/certificate.ts');
  const { openDevice } = await import('../nodes/device.ts');
  const { openRegistry } = await import('../nodes/registry.ts');
  const { versionOfGateway } = await import('../nodes/session.ts');
  const registry = openRegistry({ path: paths.nodes, uid });
  let changed = (): void => undefined;
  const device = openDevice(paths.nodesDevice, uid);
  const tellAndKeep = (code: string, text: string): void => {
    log.info(text);
    note({ audit, clock, log }, code, text);
  };
  const gateway = createNodeGateway<ToGateway, ToNode>({
    device,
    displayName: hostname().slice(0, longestName) || 'gateway',
    registry,
    clock,
    nonce,
    state: () => ({ ...state(), version: versionOfGateway(state().version) }),
    check: traffic.checkAtGateway,
    onRemoved: (id) => {
      traffic.onRemoved(id);
      changed();
    },
    onPaired: () => changed(),
    onLink: (link) => traffic.onNode(link, String(registry.find(link.peer.id)?.pairedAt ?? 'none')),
    note: tellAndKeep,
  });
  const certificate = await openGatewayCertificate({
    path: paths.nodesCertificate,
    uid,
    now: clock.now(),
  });
  const door = { certificate, clock, onCaller: (caller: Caller) => gateway.receive(caller) };
  const listener = listen === null ? null : await listenAt(listen, door, { here, log });
  const tell = (what: string, why: string | null): void => {
    if (why === null) here.problems.delete(what);
    else if (here.problems.get(what) !== why) {
      here.problems.set(what, why);
      log.warn(`${what}: ${why}`);
    }
  };
  here.calls = [...ssh.map((each) => `ssh ${each}`), ...(seat?.access.servers ?? [])];
  const how = { ...door, env: process.env, random: Math.random };
  const own = { device, told: paths.fleetTold, note: tellAndKeep };
  const called = { ssh, seat, path: paths.fleet, uid, registry, gateway, tell, ...own };
  const calls = await callOut(called, how);
  changed = () => calls.changed();
  here.fleet = calls;
  here.gateway = gateway;
  return async () => {
    here.gateway = null;
    here.listening = null;
    here.calls = [];
    here.fleet = noFleet;
    gateway.dispose();
    await Promise.all([listener?.dispose(), calls.dispose()]);
  };
}

/** Connects to the gateways of this machine, and stays. */
async function stayThere<ToGateway, ToNode>(
  staying: Staying,
  traffic: NodeTraffic<ToGateway, ToNode>,
  here: Here<ToGateway, ToNode>,
): Promise<Opened['close']> {
  const own = await import('./own-gateways.ts');
  const gateways = await own.stayAtGateways(staying, traffic);
  here.own = gateways;
  return async () => {
    here.own = null;
    await gateways.close();
  };
}

type Door = Pick<ListenerOptions, 'certificate' | 'clock' | 'onCaller'>;

interface Told {
  readonly here: { listening: string | null; readonly problems: Map<string, string> };
  readonly log: NodesBase['log'];
}

async function listenAt(
  listen: string,
  door: Door,
  { here, log }: Told,
): Promise<{ readonly dispose: () => Promise<void> }> {
  const { listenForNodes } = await import('../nodes/listener.ts');
  const address = parseAddress(listen);
  const listener = await listenForNodes({ ...address, ...door });
  here.listening = addressText({ ...address, port: listener.port });
  log.info(`Nodes are listened for on ${here.listening}`);
  return listener;
}

const longestName = 64;

function bodyOf({
  gateway,
  listening,
  calls,
  fleet,
  own,
  problems,
}: Here<unknown, unknown> | Here<never, never>): Omit<NodesBody, 'ok'> {
  const nodes = gateway?.nodes() ?? [];
  const problemsOf = fleet.problems();
  return {
    listening,
    calls,
    problem: [...problems].map(([what, why]) => `${what}: ${why}`).join(' ') || null,
    nodes: nodes.map((node) =>
      node.state === 'approved'
        ? { ...node, problems: [...node.problems, ...problemsOf(node.id)] }
        : node,
    ),
    gateways: fleet.gateways().map((each) => seenBy(nodes, each)),
    waiting: gateway?.pairings() ?? [],
    own: own === null ? null : ownBody(own),
  };
}

/** What the nodes that are here say of a gateway. */
function seenBy(
  nodes: readonly ShownNode[],
  gateway: Pick<FleetGatewayInfo, 'id' | 'displayName' | 'isThis'>,
): FleetGatewayInfo {
  if (gateway.isThis) {
    const links = nodes.filter(({ online }) => online).length;
    return { ...gateway, links, lastSeenAt: null };
  }
  const told = nodes.flatMap(({ gateways = [] }) => gateways.filter(({ id }) => id === gateway.id));
  const links = told.filter(({ connected }) => connected).length;
  const times = told.flatMap(({ since }) => since ?? []);
  return {
    ...gateway,
    links: told.length === 0 ? null : links,
    lastSeenAt: links > 0 || times.length === 0 ? null : Math.max(...times),
  };
}

function ownBody(own: OwnGateways): OwnNode {
  const { file } = own.node;
  const all = own.list();
  const standing = all[0]?.standing ?? { connected: false, since: 0, problem: null, given: false };
  return {
    id: file.id,
    displayName: displayPlain(file.displayName),
    gateway: displayPlain(file.gateway.displayName),
    address: gatewayText(file.gateway),
    ...standing,
    ...(all.length > 1 && {
      further: all.slice(1).map(({ id, displayName, standing: now, wasThere }) => {
        const { given: _given, ...rest } = now;
        const lastSeenAt = wasThere && !now.connected ? now.since : null;
        return { id, displayName, ...rest, lastSeenAt };
      }),
    }),
  };
}

function notListening(): never {
  throw refuse(
    'host-unavailable',
    'This runner listens for no nodes.',
    'Set nodes.listen in config.json, such as "0.0.0.0:7433", and start the runner again.',
  );
}
