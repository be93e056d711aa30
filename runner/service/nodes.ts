import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { displayPlain, messageOf, refuse } from '../../shared/base/index.ts';
import type { Check } from '../../shared/base/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import type { NodeProblem, NodesBody } from '../../shared/wire/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import type { NodeGateway } from '../nodes/gateway.ts';
import type { NodeState } from '../nodes/handshake.ts';
import type { NodeLink } from '../nodes/link.ts';
import { addressText, parseAddress } from '../nodes/address.ts';
import type { Dialled, StreamDialOptions } from '../nodes/dial.ts';
import { accessOf, readFleet } from '../fleet/files.ts';
import type { Fleet } from '../fleet/files.ts';
import type { Caller, ListenerOptions } from '../nodes/listener.ts';
import { gatewayText, readNodeFile } from '../nodes/node-file.ts';
import type { KeptNode } from '../nodes/node-file.ts';
import type { Standing } from '../nodes/stay.ts';
import { readVersion } from '../version.ts';
import { callOut } from './call-nodes.ts';
import { note } from './log.ts';
import type { Parts, PartsOptions } from './parts.ts';

/** What machines say over a link, and who takes it up: at the gateway, and at the node. */
export interface NodeTraffic<ToGateway, ToNode> {
  readonly checkAtGateway: Check<ToGateway>;
  readonly checkAtNode: Check<ToNode>;
  /** A node is there, by the pairing of that name. What it throws ends the link. */
  readonly onNode: (link: NodeLink<ToGateway, ToNode>, pairing: string) => void;
  /** A person has removed a node. */
  readonly onRemoved: (id: string) => void;
  /** The gateway is there. */
  readonly onGateway: (link: NodeLink<ToNode, ToGateway>, pairing: string) => void;
  /** It says, with each sign of life, what it is. */
  readonly onGatewayState: (state: NodeState) => void;
}

/** The other machines of a runner: those that call here, and the one that it calls. */
export interface Nodes<ToGateway, ToNode> extends Pick<
  NodeGateway<ToGateway, ToNode>,
  'approve' | 'decline' | 'remove' | 'linkTo'
> {
  body(): Omit<NodesBody, 'ok'>;
  /** Looks at the settings and at `node.json` anew. Never rejects: what cannot be opened is told. */
  apply(): Promise<void>;
  dispose(): Promise<void>;
}

type Base = Pick<PartsOptions, 'uid' | 'clock' | 'log' | 'audit'> & {
  readonly paths: Pick<
    HomePaths,
    | 'fleet'
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
  base: Base,
  openTraffic: () => Promise<NodeTraffic<ToGateway, ToNode>>,
): Nodes<ToGateway, ToNode> {
  const { log } = base;
  const { config } = parts;
  const state = (): NodeState => ({
    version: readVersion(),
    policyHash: parts.policy.current().hash,
  });
  const lockOut = async (reason: string | null): Promise<unknown> =>
    parts.stops.lockout(reason, 'fleet');
  const here: Here<ToGateway, ToNode> = {
    gateway: null,
    listening: null,
    calls: [],
    problemsOf: () => [],
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
      const fleet = readFleet(base.paths.fleet, base.uid);
      if (listen === null && ssh.length === 0 && fleet === null) return null;
      const open = async () =>
        openGateway({ ...base, state, listen, ssh, fleet }, await openTraffic(), here);
      // Whom a fleet has revoked changes with each removal, and nothing has to be opened anew for it.
      const as = JSON.stringify([listen, ssh, fleet?.name, fleet && accessOf(fleet)]);
      return { as, open };
    });
    out = await change('This machine is not a node', out, () => {
      const node = readNodeFile(base.paths.nodeFile, base.uid);
      const open = async () =>
        stayThere({ ...base, state, lockOut, node }, await openTraffic(), here);
      return node === null ? null : { as: JSON.stringify(node.file), open };
    });
  };
  const apply = async (): Promise<void> => (turn = turn.then(look));
  const gateway = (): NodeGateway<ToGateway, ToNode> => here.gateway ?? notListening();
  return {
    apply,
    body: () => bodyOf(here),
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

/** How it stands with both directions. */
interface Here<ToGateway, ToNode> {
  gateway: NodeGateway<ToGateway, ToNode> | null;
  listening: string | null;
  calls: readonly string[];
  /** What is wrong with a node, as the fleet says. */
  problemsOf: (id: string) => readonly NodeProblem[];
  own: { readonly node: KeptNode; standing: Standing } | null;
  readonly problems: Map<string, string>;
}

type Opening = Base & { readonly state: () => NodeState };

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
    fleet,
  }: Opening & Config['nodes'] & { readonly fleet: Fleet | null },
  traffic: NodeTraffic<ToGateway, ToNode>,
  here: Here<ToGateway, ToNode>,
): Promise<Opened['close']> {
  const { createNodeGateway } = await import('../nodes/gateway.ts');
  const { openGatewayCertificate } = await import('../nodes/certificate.ts');
  const { openDevice } = await import('../nodes/device.ts');
  const { openRegistry } = await import('../nodes/registry.ts');
  const { versionWithAsks } = await import('../nodes/own-asks.ts');
  const registry = openRegistry({ path: paths.nodes, uid });
  let revoke = (): void => undefined;
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
    state: () => ({ ...state(), version: versionWithAsks(state().version) }),
    check: traffic.checkAtGateway,
    onRemoved: (id) => {
      traffic.onRemoved(id);
      revoke();
    },
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
  here.calls = [...ssh.map((each) => `ssh ${each}`), ...(fleet?.servers ?? [])];
  const how = { ...door, env: process.env, random: Math.random };
  const own = { device, told: paths.fleetTold, note: tellAndKeep };
  const called = { ssh, fleet, path: paths.fleet, uid, registry, tell, ...own };
  const calls = await callOut(called, how);
  revoke = () => calls.revoke();
  here.problemsOf = (id) => calls.problemsOf(id);
  here.gateway = gateway;
  return async () => {
    here.gateway = null;
    here.listening = null;
    here.calls = [];
    here.problemsOf = () => [];
    gateway.dispose();
    await Promise.all([listener?.dispose(), calls.dispose()]);
  };
}

type Door = Pick<ListenerOptions, 'certificate' | 'clock' | 'onCaller'>;

interface Told {
  readonly here: { listening: string | null; readonly problems: Map<string, string> };
  readonly log: Base['log'];
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

/** Connects to the gateway that this machine is a node of, and stays. */
async function stayThere<ToGateway, ToNode>(
  { node, ...base }: Staying & { readonly node: KeptNode | null },
  traffic: NodeTraffic<ToGateway, ToNode>,
  here: Here<ToGateway, ToNode>,
): Promise<Opened['close']> {
  if (node === null) throw new Error('there is no node to be');
  const { clock, log, state } = base;
  const { stayAtGateway } = await import('../nodes/stay.ts');
  const { gateway } = node.file;
  const { certificate } = gateway;
  const where = `${displayPlain(gateway.displayName)} (${gatewayText(gateway)})`;
  const way = await wayTo(node, base);
  const own = {
    node,
    standing: { connected: false, since: clock.now(), problem: null, given: false } as Standing,
  };
  here.own = own;
  const stop = new AbortController();
  const done = stayAtGateway<ToNode, ToGateway>({
    node,
    clock,
    nonce,
    random: Math.random,
    signal: stop.signal,
    state,
    dial: async (signal) => way.dial({ certificate, clock, signal }),
    check: traffic.checkAtNode,
    onLink: (link) => traffic.onGateway(link, String(node.file.pairedAt)),
    onState: traffic.onGatewayState,
    onStanding: (now) => {
      const before = own.standing;
      own.standing = now;
      if (now.connected) log.info(`Connected to the gateway ${where}.`);
      else if (before.connected || now.given || now.problem !== before.problem)
        log.warn(`No connection to the gateway ${where}: ${now.problem ?? ''}`);
    },
  });
  return async () => {
    here.own = null;
    stop.abort();
    await done;
    way.dispose();
  };
}

/** How a node comes to its gateway. */
async function wayTo(
  { device, file: { gateway } }: KeptNode,
  { paths, uid, clock, log, audit, lockOut }: Staying,
): Promise<Way> {
  const { dial, dialThrough } = await import('../nodes/dial.ts');
  const dispose = (): void => undefined;
  if (!('via' in gateway)) return { dial: async (how) => dial({ ...gateway, ...how }), dispose };
  if (gateway.via === 'nats') {
    const { connectFleet, openNodeStream } = await import('../fleet/streams.ts');
    const { access } = gateway;
    const { followFleet } = await import('../fleet/follow.ts');
    const follower = {
      access,
      device,
      gatewayKey: gateway.key,
      path: paths.fleetState,
      uid,
      clock,
      lockOut,
      note: (code: string, text: string) => {
        log.info(text);
        note({ audit, clock, log }, code, text);
      },
    };
    const stream = async () => {
      const connection = await connectFleet(access);
      // What it is told counts whether or not the gateway itself is there.
      followFleet(connection, follower).catch(() => undefined);
      return openNodeStream(connection, access);
    };
    return { dial: async (how) => dialThrough({ ...how, stream: await stream() }), dispose };
  }
  const { openStreamSocket } = await import('../nodes/stdio.ts');
  const socket = await openStreamSocket(paths.nodeSocket);
  return {
    dial: async (how) => dialThrough({ ...how, stream: await socket.next(how.signal) }),
    dispose: () => socket.dispose(),
  };
}

interface Staying extends Opening {
  /** Closes the lock of this machine. */
  readonly lockOut: (reason: string | null) => Promise<unknown>;
}

interface Way {
  readonly dial: (how: Omit<StreamDialOptions, 'stream'>) => Promise<Dialled>;
  readonly dispose: () => void;
}

const longestName = 64;

function bodyOf({
  gateway,
  listening,
  calls,
  problemsOf,
  own,
  problems,
}: Here<unknown, unknown> | Here<never, never>): Omit<NodesBody, 'ok'> {
  return {
    listening,
    calls,
    problem: [...problems].map(([what, why]) => `${what}: ${why}`).join(' ') || null,
    nodes: (gateway?.nodes() ?? []).map((node) =>
      node.state === 'approved'
        ? { ...node, problems: [...node.problems, ...problemsOf(node.id)] }
        : node,
    ),
    waiting: gateway?.pairings() ?? [],
    own:
      own === null
        ? null
        : {
            id: own.node.file.id,
            displayName: displayPlain(own.node.file.displayName),
            gateway: displayPlain(own.node.file.gateway.displayName),
            address: gatewayText(own.node.file.gateway),
            ...own.standing,
          },
  };
}

function notListening(): never {
  throw refuse(
    'host-unavailable',
    'This runner listens for no nodes.',
    'Set nodes.listen in config.json, such as "0.0.0.0:7433", and start the runner again.',
  );
}
