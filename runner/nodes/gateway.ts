import { displayPlain, messageOf, refuse } from '../../shared/base/index.ts';
import type { Check, Clock } from '../../shared/base/index.ts';
import type { NodeProblem, NodeStanding } from '../../shared/wire/index.ts';
import { resolveNode } from './binding.ts';
import type { Device } from './device.ts';
import { receiveNode } from './handshake.ts';
import type { NodeState } from './handshake.ts';
import type { NodeLink } from './link.ts';
import type { Caller } from './listener.ts';
import { paceEach } from './pace.ts';
import { createPairingDesk } from './pairing-desk.ts';
import type { PairingDesk, WaitingPairing } from './pairing-desk.ts';
import type { NodeEntry, NodeRegistry, SharedNode } from './registry.ts';
import { openSession } from './session.ts';
import type { NodeReport } from './session.ts';
import { Rejection } from './talk.ts';
import { createTroubles } from './troubles.ts';
import type { Troubles } from './troubles.ts';

/** A node as people see it: nothing that would let anybody in. */
export interface ShownNode extends Omit<NodeEntry, 'key' | 'tokenHash' | 'users'> {
  readonly online: boolean;
  readonly problems: readonly NodeProblem[];
  /** Whether it is locked, by its own word; absent: it is not there, or says nothing of it. */
  readonly isLocked?: boolean;
  /** How it stands with the gateways of its fleet, by its own word; absent as above. */
  readonly gateways?: readonly NodeStanding[];
}

export interface NodeGatewayOptions<In, Out> {
  readonly device: Device;
  readonly displayName: string;
  readonly registry: NodeRegistry;
  readonly clock: Clock;
  /** 32 fresh bytes, base64url. */
  readonly nonce: () => string;
  /** Shape of what nodes may say once they are linked. */
  readonly check: Check<In>;
  readonly state: () => NodeState;
  /** A node is there. What it throws ends the link. */
  readonly onLink: (link: NodeLink<In, Out>) => void;
  /** A person has removed the node of this id. */
  readonly onRemoved: (id: string) => void;
  /** A node was paired here. */
  readonly onPaired: (id: string) => void;
  /** For the record; never a secret. */
  readonly note: (code: string, text: string) => void;
}

/** The gateway's end of all links. */
export interface NodeGateway<In, Out> {
  /** Takes a connection up, whoever it is. Never throws. */
  receive(caller: Caller): void;
  nodes(): readonly ShownNode[];
  pairings(): readonly WaitingPairing[];
  /** The link to a node, while it is there. */
  linkTo(id: string): NodeLink<In, Out> | null;
  /** Pairs the machine that shows this code. Throws `invalid-request` where none does. */
  approve(code: string): ShownNode;
  decline(code: string): void;
  /** Ends the pairing with the node that is called so, and its connection. */
  remove(name: string): ShownNode;
  /** Another gateway of the fleet has paired this one, maybe anew. */
  adopt(node: SharedNode): void;
  /** A person has removed it at another gateway of the fleet; nothing where it is not here. */
  removedElsewhere(id: string): void;
  /** Ends every connection; none is taken up any more. */
  dispose(): void;
}

/** How long a refused attempt is not told of again. */
const quietMs = 60_000;

/** The gateway of a registry. It listens nowhere: callers are brought to it. */
export function createNodeGateway<In, Out>(
  options: NodeGatewayOptions<In, Out>,
): NodeGateway<In, Out> {
  const { device, displayName, registry, clock, nonce, note } = options;
  const links = new Map<string, LiveNode<In, Out>>();
  const callers = new Set<Caller>();
  const desk = createPairingDesk({ clock, newToken: nonce, registry });
  const refusals = quietRefusals(options);
  const troubles = createTroubles(clock, options.state().version);
  const seen = { links, troubles };
  const mayConnect = paceEach(clock, connecting);
  let isOver = false;

  const receive = async (caller: Caller, named: (id: string) => void): Promise<void> => {
    const { talk, channel, address } = caller;
    const met = await receiveNode(talk, {
      device,
      displayName,
      channel,
      nonce,
      find: (id) => {
        named(id);
        return registry.find(id);
      },
      approve: async (offer, gone) => {
        // From here on a person is waited for, in one of the few seats of the desk.
        caller.isProven();
        return desk.offer(offer, { address, gone });
      },
      withdraw: (offer, token) => {
        desk.withdraw(offer, token);
        note('node-pairing-lost', `${offer.displayName} did not keep its pairing.`);
      },
    });
    caller.isProven();
    if (met.kind === 'paired') {
      talk.close('The pairing is done.');
      options.onPaired(met.id);
    } else if (isOver) talk.close('The gateway is stopping.');
    else if (!mayConnect(met.id))
      throw new Rejection('busy', 'A machine connects again and again, more often than it may.');
    else welcome(caller, met, { ...options, ...seen });
  };

  return {
    receive: (caller) => {
      if (isOver) {
        caller.talk.close('The gateway is stopping.');
        return;
      }
      callers.add(caller);
      let id = '';
      receive(caller, (named) => (id = named))
        .catch((error: unknown) => {
          caller.talk.close('The gateway could not take the connection up.');
          if (registry.find(id)?.state === 'approved') troubles.refused(id, error);
          refusals(error, caller.address);
        })
        .finally(() => callers.delete(caller))
        .catch(() => undefined);
    },
    nodes: () => registry.list().map((node) => shown(node, seen)),
    pairings: () => desk.list(),
    linkTo: (id) => links.get(id)?.link ?? null,
    ...changesOf(options, { desk, ...seen }),
    dispose: () => {
      isOver = true;
      for (const { talk } of callers) talk.close('The gateway is stopping.');
      for (const { link } of links.values()) link.close('The gateway is stopping.');
    },
  };
}

/** What a person changes about the nodes. */
function changesOf<In, Out>(
  { registry, note, onRemoved }: NodeGatewayOptions<In, Out>,
  { desk, ...seen }: Seen<In, Out> & { readonly desk: PairingDesk },
): Pick<NodeGateway<In, Out>, 'approve' | 'decline' | 'remove' | 'adopt' | 'removedElsewhere'> {
  const { links, troubles } = seen;
  const left = (id: string, why: string): void => {
    links.get(id)?.link.close(why);
    onRemoved(id);
  };
  return {
    approve: (code) => {
      const node = desk.approve(code);
      note('node-paired', `${node.displayName} (${node.id}) was paired by a person.`);
      // An earlier pairing of the same machine is over with its token.
      links.get(node.id)?.link.close('This machine was paired anew.');
      troubles.came(node.id);
      return shown(node, seen);
    },
    decline: (code) => desk.decline(code),
    remove: (name) => {
      const named = registry
        .list()
        .filter(({ state }) => state === 'approved')
        .map((node) => ({ ...node, remoteAddress: node.lastAddress }));
      const { id, displayName } = resolveNode(named, name);
      if (!registry.remove(id))
        throw refuse('invalid-request', 'This machine is not paired any more.', 'Look again.');
      note('node-removed', `${displayName} (${id}) was removed by a person.`);
      left(id, 'This machine was removed by a person at the gateway.');
      const node = registry.find(id);
      if (node === null) throw new Error('what was removed stays in the registry');
      return shown(node, seen);
    },
    adopt: (node) => {
      if (!registry.adopt(node)) return;
      const { displayName, id } = node;
      note('node-paired', `${displayName} (${id}) was paired at another gateway of the fleet.`);
      links.get(id)?.link.close('This machine was paired anew.');
      troubles.came(id);
    },
    removedElsewhere: (id) => {
      const name = registry.find(id)?.displayName ?? '';
      if (!registry.remove(id)) return;
      note('node-removed', `${name} (${id}) was removed at another gateway of the fleet.`);
      left(id, 'This machine was removed by a person at a gateway.');
    },
  };
}

/** A node that is there, and what it said of itself last. */
interface LiveNode<In, Out> {
  readonly link: NodeLink<In, Out>;
  state: NodeState;
  report: LiveReport;
}

type LiveReport = Pick<ShownNode, 'isLocked' | 'gateways'>;

/** Who is there, and what is wrong with whom. */
interface Seen<In, Out> {
  readonly links: ReadonlyMap<string, LiveNode<In, Out>>;
  readonly troubles: Troubles;
}

/** Opens the link of a node that has proven who it is, in the place of an earlier one. */
function welcome<In, Out>(
  { talk, wire, address }: Caller,
  { id, version, policyHash }: { readonly id: string } & NodeState,
  options: NodeGatewayOptions<In, Out> &
    Seen<In, Out> & { readonly links: Map<string, LiveNode<In, Out>> },
): void {
  const { registry, clock, check, state, links, troubles, onLink, note } = options;
  const known = registry.find(id);
  // It was removed in this very moment.
  if (known?.state !== 'approved') throw new Rejection('removed', 'This machine was removed.');
  const { displayName } = known;
  const live: Omit<LiveNode<In, Out>, 'link'> = { state: { version, policyHash }, report: {} };
  // When it comes and when it goes, and no more often: it is the node that says when it says more.
  // A full disk keeps nobody out, or a lockout could not reach them.
  const seen = (): void => {
    try {
      registry.seen(id, { ...live.state, at: clock.now(), address });
    } catch (error) {
      note('node-registry', `It could not be noted when a node was there: ${messageOf(error)}`);
    }
  };
  seen();
  troubles.came(id);
  // The node has one connection: an earlier one has broken, and nobody has noticed yet.
  links.get(id)?.link.close('The same machine connected again.');
  const link = openSession<In, Out>({
    talk,
    wire,
    clock,
    check,
    state,
    peer: { id, displayName, remoteAddress: address },
    onState: (now, report) => {
      live.state = now;
      live.report = report === undefined ? {} : reportedOf(report, clock.now());
    },
  });
  const entry = Object.assign(live, { link });
  links.set(id, entry);
  note('node-connected', `${displayName} (${id}) connected from ${address ?? 'somewhere'}.`);
  link.onClose((end) => {
    const { detail } = end;
    if (links.get(id) === entry) links.delete(id);
    troubles.ended(id, end);
    seen();
    note('node-gone', `${displayName} (${id}): ${displayPlain(detail)}`);
  });
  try {
    onLink(link);
  } catch (error) {
    link.close('The gateway could not take the connection up.');
    throw error;
  }
}

function shown<In, Out>(
  { key: _key, tokenHash: _hash, users: _users, ...node }: NodeEntry,
  { links, troubles }: Seen<In, Out>,
): ShownNode {
  const live = links.get(node.id);
  const now = { ...node, ...live?.state };
  const problems = node.state === 'approved' ? troubles.of(now) : [];
  return { ...now, ...live?.report, online: live !== undefined, problems };
}

/** With times by the clock here: the other machine's may be another. */
function reportedOf({ locked, gateways }: NodeReport, now: number): LiveReport {
  return {
    isLocked: locked,
    gateways: gateways.map(({ id, connected, forMs }) => ({
      id,
      connected,
      since: forMs === null ? null : Math.max(0, now - forMs),
    })),
  };
}

/** How often a node may connect: one that goes round and round must not fill the record. */
const connecting = { burst: 20, perSecond: 0.2 } as const;

/** Tells of refused attempts once a minute and reason: strangers must not fill the record. */
function quietRefusals({
  clock,
  note,
}: Pick<NodeGatewayOptions<never, never>, 'clock' | 'note'>): (
  error: unknown,
  address: string | null,
) => void {
  const told = new Map<string, number>();
  return (error, address) => {
    const isTold = error instanceof Rejection;
    const code = isTold ? error.code : 'failed';
    if (['lost', 'too-slow', 'declined'].includes(code)) return;
    const last = told.get(code);
    if (last !== undefined && clock.elapsed() - last < quietMs) return;
    told.set(code, clock.elapsed());
    const why = error instanceof Error ? error.message : 'something failed';
    note('node-refused', `A connection from ${address ?? 'somewhere'}: ${displayPlain(why)}`);
  };
}
