import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { refuse } from '../../shared/base/index.ts';
import { resolvePolicy } from '../../shared/engine/index.ts';
import { editPolicyFile } from '../../shared/home/index.ts';
import type { NodePolicyEdit, ToGatewayFrame, ToNodeFrame } from '../../shared/wire/index.ts';
import type { NodeAsksOptions } from '../nodes/asks.ts';
import type {
  GatewayDesk,
  GatewayDeskOptions,
  LateEnd,
  LinkToNode,
} from '../nodes/gateway-runs.ts';
import type { NodeLockouts } from '../nodes/lockouts.ts';
import type { NodeDesk, NodeDeskOptions } from '../nodes/node-runs.ts';
import type { NodePolicies, OwnPolicyOptions } from '../nodes/policies.ts';
import { paceEach } from '../nodes/pace.ts';
import type { openRegistry } from '../nodes/registry.ts';
import { endsInRecord, lateEnd } from '../audit/recover.ts';
import { note } from './log.ts';
import { joinNodes } from './nodes.ts';
import type { Nodes, NodeTraffic } from './nodes.ts';
import type { Parts, PartsOptions } from './parts.ts';

type Base = Pick<PartsOptions, 'paths' | 'uid' | 'clock' | 'log' | 'audit'>;

/** The runs that this machine has others carry out, and those that it carries out for its gateway. */
interface NodeRunsService {
  /** Opened when the first link is wanted, and not before. */
  traffic(): Promise<NodeTraffic<ToGatewayFrame, ToNodeFrame>>;
  dispose(): Promise<void>;
  /** Whether a node has heard of the last lockout. */
  readonly lockoutOf: NodeLockouts['of'];
  /** Null before the first link was wanted. */
  policies(): NodePolicies | null;
}

/** The links to other machines, and the policies that decide there. */
export interface Machines extends Nodes<ToGatewayFrame, ToNodeFrame> {
  /** Of the node that is called so; throws a refusal where it is not to be had. */
  policyOf(node: string): ReturnType<NodePolicies['read']>;
  editPolicyOf(edit: NodePolicyEdit): ReturnType<NodePolicies['edit']>;
}

/** The other machines of a runner, with what runs there and for them; closed after its commands. */
export function joinMachines(parts: Parts, base: Base & Pick<PartsOptions, 'closing'>): Machines {
  const runs = nodeRunsOf(parts, base);
  base.closing.add('the runs with other machines', runs);
  const nodes = joinNodes(parts, base, async () => runs.traffic());
  parts.nodes.join(() =>
    nodes.list().map((node) => ({ ...node, remoteAddress: node.lastAddress })),
  );
  base.closing.add('the links to other machines', nodes);
  return {
    ...nodes,
    body: () => {
      const body = nodes.body();
      const told = body.nodes.map((node) => ({ ...node, lockout: runs.lockoutOf(node) }));
      return { ...body, nodes: told };
    },
    policyOf: async (node) => {
      const { id } = parts.nodes.names.find(node);
      return (runs.policies() ?? notConnected()).read(id);
    },
    editPolicyOf: async ({ node, edit, accepted }) => {
      const { id } = parts.nodes.names.find(node);
      return (runs.policies() ?? notConnected()).edit(id, edit, { accepted });
    },
  };
}

/** What the first link has opened. */
interface OpenedDesks {
  gateway?: GatewayDesk;
  node?: NodeDesk;
  lockouts?: NodeLockouts;
  policies?: NodePolicies;
}

/** Joins the gate of this runner, on both sides, with what links say. */
function nodeRunsOf(
  parts: Pick<
    Parts,
    'approver' | 'config' | 'engine' | 'events' | 'gate' | 'inFlight' | 'nodes' | 'policy' | 'stops'
  >,
  base: Base,
): NodeRunsService {
  const opened: OpenedDesks = {};
  const look = (): void => opened.lockouts?.look(parts.stops.state());
  parts.stops.onChange(look);
  const open = async (): Promise<NodeTraffic<ToGatewayFrame, ToNodeFrame>> => {
    const { checkAtGateway, openGatewayDesk } = await import('../nodes/gateway-runs.ts');
    const { checkAtNode, openNodeDesk } = await import('../nodes/node-runs.ts');
    const { openNodeLockouts } = await import('../nodes/lockouts.ts');
    const { openNodeAsks } = await import('../nodes/asks.ts');
    const { openOwnAsks } = await import('../nodes/own-asks.ts');
    const { openNodePolicies, openOwnPolicy } = await import('../nodes/policies.ts');
    const { openRegistry } = await import('../nodes/registry.ts');
    const { paths, uid, clock } = base;
    for (const directory of [paths.gatewayRuns, paths.nodeRuns])
      mkdirSync(directory, { recursive: true, mode: 0o700 });
    const common = { uid, clock, note: tellOf(base) };
    const lockouts = openNodeLockouts({
      ...common,
      path: paths.nodeLockouts,
      links: () => (opened.gateway?.links() ?? []).map(withTime),
      pairings: () => pairingsOf(openRegistry, base),
    });
    const linkTo = (id: string): LinkToNode | null =>
      opened.gateway?.links().find(({ link }) => link.peer.id === id)?.link ?? null;
    const policies = openNodePolicies({ clock, linkTo, record: recordOf(base) });
    const asks = () =>
      openOwnAsks({ ...common, allowed: () => parts.config.current().gateway.asks });
    const gateway = openGatewayDesk({
      ...common,
      asks: openNodeAsks(nodeAsksOf(parts, base)),
      onPolicy: (link, frame) => policies.answered(link, frame),
      onConnected: (link, pairing) => lockouts.connected(link, Number(pairing)),
      onLocked: (link, order) => lockouts.acknowledged(link, order),
      directory: paths.gatewayRuns,
      onLate: (late) => tellLate(late, parts, base),
      isTold: (ids) => endsInRecord(paths.auditDirectory, ids),
      onEndOf: endsOfOthers(parts, base),
    });
    const ownPolicy = openOwnPolicy(ownPolicyOf(parts, base));
    const own = { ...common, policy: ownPolicy, asks, directory: paths.nodeRuns };
    const node = openNodeDesk({ ...own, ...ownGateOf(parts) });
    Object.assign(opened, { gateway, node, lockouts, policies });
    look();
    parts.nodes.runBy(gateway);
    return {
      checkAtGateway,
      checkAtNode,
      onNode: (link, pairing) => gateway.connected(link, pairing),
      onRemoved: (id) => gateway.removed(id),
      onGateway: (link, pairing) => node.connected(link, pairing),
      onGateways: (ids, pairing) => node.gateways(ids, pairing),
      onGatewayState: (id, { version }) => node.heard(id, version),
    };
  };
  let traffic: Promise<NodeTraffic<ToGatewayFrame, ToNodeFrame>> | null = null;
  return {
    traffic: async () => {
      traffic ??= open();
      // What could not be opened may be mended by the next time.
      traffic.catch(() => {
        traffic = null;
      });
      return traffic;
    },
    policies: () => opened.policies ?? null,
    lockoutOf: (node) => opened.lockouts?.of(node) ?? null,
    dispose: async () => {
      await opened.node?.dispose();
      opened.gateway?.dispose();
      opened.lockouts?.dispose();
    },
  };
}

/** A link, with when its node was paired. */
function withTime({ link, pairing }: { readonly link: LinkToNode; readonly pairing: string }) {
  return { link, pairedAt: Number(pairing) };
}

/** When each node was paired. */
function pairingsOf(
  open: typeof openRegistry,
  { paths, uid }: Pick<Base, 'paths' | 'uid'>,
): readonly number[] {
  try {
    return open({ path: paths.nodes, uid })
      .list()
      .map((node) => node.pairedAt);
  } catch {
    // Then nobody is let in, and the log says why.
    return [];
  }
}

/** How the gateway has this machine run something, or lock. */
function ownGateOf({
  gate,
  stops,
}: Pick<Parts, 'gate' | 'stops'>): Pick<NodeDeskOptions, 'exec' | 'lock'> {
  return {
    exec: async (incoming, io) => gate.exec(incoming, io),
    lock: async (reason, by) => {
      if (stops.state().mode !== 'locked') await stops.lockout(reason, by);
    },
  };
}

/** Asks of nodes, as the person here is asked about them. */
function nodeAsksOf(
  { approver, inFlight, policy, stops }: Pick<Parts, 'approver' | 'inFlight' | 'policy' | 'stops'>,
  base: Base,
): NodeAsksOptions {
  return {
    clock: base.clock,
    newId: randomUUID,
    ask: async (draft, { timeoutMs, gone, onShown }) => {
      stops.check();
      const flight = inFlight.enter(draft.id, gone);
      try {
        const { signal } = flight;
        const asking = { timeoutMs, signal, covered: () => false, onPending: onShown };
        const ending = await approver.ask(draft, asking);
        // What was locked while the person thought about it wins over their yes.
        stops.check();
        return ending;
      } finally {
        flight.ended();
      }
    },
    wanted: (agent, risk) => {
      const { presence, approvers } = resolvePolicy(policy.document(), { agent });
      return { presence: presence?.[risk] ?? null, approvers: approvers?.[risk] ?? 1 };
    },
    record: recordOf(base),
    note: tellOf(base),
  };
}

/** The policy of this machine, for its gateway as far as the settings say. */
function ownPolicyOf(
  { config, policy, engine, stops }: Pick<Parts, 'config' | 'policy' | 'engine' | 'stops'>,
  base: Base,
): OwnPolicyOptions {
  const { paths, uid, clock } = base;
  return {
    clock,
    allowed: () => config.current().gateway.policy,
    read: () => policy.current(),
    edit: async ({ baseHash, patch }, accepted) => {
      const file = { path: paths.policy, uid, engine };
      const edited = await editPolicyFile(file, { baseHash, patches: [patch], accepted });
      // Read at once: what is told of it next is what holds.
      policy.current();
      return edited;
    },
    requireUnlocked: () => {
      if (stops.state().mode === 'locked') stops.check();
    },
    record: recordOf(base),
  };
}

function notConnected(): never {
  throw refuse(
    'host-unavailable',
    'No node is connected.',
    'Look at "interlock node list", and try again once one is there.',
  );
}

/** Writes a line to the record, and throws where that cannot be done. */
function recordOf({ audit, clock, log }: Base): (code: string, text: string) => void {
  return (code, text) => {
    log.info(`${code}: ${text}`);
    audit.append({ type: 'note', at: clock.now(), code, text });
  };
}

function tellOf(base: Base): (code: string, text: string) => void {
  return (code, text) => {
    base.log.warn(`${code}: ${text}`);
    note(base, code, text);
  };
}

/** Nobody waits for it any longer: the record says how it ended, and the agent hears of it next time. */
function tellLate(
  { nodeId, of, end }: LateEnd,
  { events, nodes }: Pick<Parts, 'events' | 'nodes'>,
  base: Base,
): void {
  const id = of?.id ?? 'unknown';
  const node = nameOf(nodeId, nodes);
  const session = of?.session ?? null;
  const outcome = end.kind === 'done' ? end.outcome : null;
  if (outcome?.kind === 'ran') {
    const code = String(outcome.exitCode ?? outcome.signal ?? 'unknown');
    events.addLate(session, { type: 'finished', node, id, code, tail: outcome.tail });
    note(base, lateEnd, `${id} on ${node} ended with ${code}.`);
    return;
  }
  const reason = outcome?.kind === 'refused' ? outcome.code : end.kind;
  events.addLate(session, { type: 'denied', node, id, reason });
  note(base, lateEnd, `${id} on ${node} did not end by itself: ${reason}.`);
}

/** How often a node may say what became of runs of others: the record is not its own. */
const telling = { burst: 1_000, perSecond: 1 } as const;
const mostRemembered = 10_000;

/** What became of runs of other gateways of the fleet, in the record of this one, too; each once. */
function endsOfOthers({ nodes }: Pick<Parts, 'nodes'>, base: Base): GatewayDeskOptions['onEndOf'] {
  const told = new Set<string>();
  const mayTell = paceEach(base.clock, telling);
  return ({ peer }, { gateway, id, end, code }) => {
    const which = [peer.id, gateway, id, end].join(' ');
    if (told.has(which) || !mayTell(peer.id)) return;
    if (told.size >= mostRemembered) told.clear();
    told.add(which);
    const how = code === null ? end : `${end} (${code})`;
    const whose = `of the gateway ${gateway.slice(0, 12)}, which is not there`;
    note(base, 'node-run-of-other', `${id} on ${nameOf(peer.id, nodes)}, ${whose}: ${how}.`);
  };
}

function nameOf(nodeId: string, nodes: Parts['nodes']): string {
  try {
    return nodes.names.find(nodeId).name;
  } catch {
    return nodeId.slice(0, 12);
  }
}
