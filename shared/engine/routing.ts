import type { Refusal } from '../base/index.ts';
import { fileOf } from './config.ts';
import type { Config } from './config.ts';
import type { ExecHost } from './config-fields.ts';
import { managedBounds } from './managed.ts';
import { strictest } from './policy/resolve.ts';
import type { Said } from './policy/resolve.ts';
import type { OverrideInForce } from './session-override.ts';
import { askModes, securityModes } from './policy/types.ts';
import type { AskMode, Security } from './policy/types.ts';
import { abilitiesOf } from './trust/levels.ts';
import type { TrustLevel } from './trust/levels.ts';

/** What of a request has a say in where it runs. */
interface AskedRoute {
  readonly host?: string | undefined;
  readonly node?: string | undefined;
}

/** Whose request it is, and what it asks for. */
export interface RouteQuestion {
  readonly agent: string;
  /** How far whoever asks is trusted; absent: as the owner. */
  readonly level?: TrustLevel | undefined;
  readonly asked?: AskedRoute | undefined;
  /** The agent's own program carries it out, on this machine. */
  readonly elsewhere?: boolean;
  /** A name that nothing proves; it can take away. */
  readonly claimed?: string | null | undefined;
  /** What holds for the session alone. */
  readonly override?: OverrideInForce | null | undefined;
  /**
   * Whether two names mean one node. Absent: where they are the same text. Only who knows the nodes can
   * tell more.
   */
  readonly isSameNode?: (asked: string, bound: string) => boolean;
}

/** Where commands run, and who said so. */
interface Route {
  readonly host: Said<ExecHost>;
  /** With the host `auto`: what the request wants of it. */
  readonly wanted: 'auto' | 'gateway' | 'sandbox' | null;
  /** Name of the node, for the host `node` alone; null: none is named, and there has to be a single one. */
  readonly node: Said<string | null>;
  /** Whether that node was named by the settings, so that no request names another. */
  readonly bound: boolean;
}

export type Routed =
  { readonly ok: true; readonly route: Route } | { readonly ok: false; readonly problem: Refusal };

type RouteConfig = Pick<Config, 'exec' | 'agents' | 'managed'>;

const inAuto = ['auto', 'gateway', 'sandbox'] as const;

/**
 * Where a request runs: what it asks for, where the settings let it, else the agent's setting, else the
 * one for all, else the default. What they do not let it have is refused and never becomes something
 * else. Pure: which nodes there are, and what their names mean, is not looked at.
 */
export function resolveRoute(config: RouteConfig, question: RouteQuestion): Routed {
  const routed = chosenRoute(config, question);
  if (!routed.ok) return routed;
  const { host } = routed.route;
  const names = [
    question.agent,
    ...(question.claimed === null || question.claimed === undefined ? [] : [question.claimed]),
  ];
  const held = managedBounds(config.managed, names).hosts.find(
    ({ value }) => !value.includes(host.value) || (question.elsewhere === true && !mayHere(value)),
  );
  return held === undefined
    ? routed
    : refusedRoute(
        `Commands of "${question.agent}" may not run on the host "${host.value}".`,
        held.layer === 'project'
          ? `${held.setting} says so, which a person trusted.`
          : held.layer === 'fleet'
            ? `${held.setting} says so, which the fleet was sent.`
            : `${held.setting} says so, and only the administrator of this machine changes that.`,
      );
}

/** Whether something may happen on this machine by itself. */
function mayHere(hosts: readonly string[]): boolean {
  return hosts.includes('gateway') || hosts.includes('auto');
}

function chosenRoute(config: RouteConfig, question: RouteQuestion): Routed {
  const { override, ...base } = question;
  const values = { ...override?.own, ...override?.raised };
  const isForSession = values.host !== undefined || values.node !== undefined;
  if (!isForSession || abilitiesOf(question.level ?? 'owner').shell !== 'as-configured')
    return routeOf(config, base);
  // What a request names by itself and may have, it gets; the session stands for what it leaves open.
  const { host, node } = base.asked ?? {};
  const asIs = routeOf(config, base);
  if (host !== undefined && asIs.ok) return asIs;
  const chosen = { host: host ?? values.host, node: node ?? values.node };
  const itself = routeOf(config, { ...base, asked: chosen });
  if (itself.ok) return ofSession(itself, host === undefined);
  const { host: raisedHost, node: raisedNode } = override?.raised ?? {};
  if (raisedHost === undefined || raisedHost === 'auto') return itself;
  const { isSameNode = (one, other) => one === other } = base;
  // The person's yes was to this one node.
  if (node !== undefined && raisedNode !== undefined && !isSameNode(node, raisedNode))
    return itself;
  const own = Object.hasOwn(config.agents, base.agent) ? config.agents[base.agent] : undefined;
  const agents = { ...config.agents, [base.agent]: { ...own, hosts: [raisedHost] } };
  const raised = routeOf({ ...config, agents }, { ...base, asked: chosen });
  return ofSession(raised, host === undefined);
}

function ofSession(routed: Routed, isSessions: boolean): Routed {
  if (!routed.ok || !isSessions) return routed;
  const said = { layer: 'session', setting: 'the session' } as const;
  const { host } = routed.route;
  return { ok: true, route: { ...routed.route, host: { ...host, ...said } } };
}

function routeOf(config: RouteConfig, question: RouteQuestion): Routed {
  const { agent, level = 'owner', asked = {} } = question;
  const configured = configuredHost(config, agent, level);
  const host = askedHost(config, configured, question);
  if (host === null) {
    return refusedRoute(
      `Commands of "${agent}" run on the host "${configured.value}", not on "${asked.host ?? ''}".`,
      `Leave the host out, or have a person set exec.host, or name it in exec.hosts, in config.json (now: ${configured.setting}).`,
    );
  }
  if (host.value === 'node') return nodeRoute(config, host, question);
  if (asked.node !== undefined) {
    return refusedRoute(
      `Commands of "${agent}" run on the host "${host.value}", and on no node.`,
      'Leave the node out, or have a person set exec.host to "node" in config.json.',
    );
  }
  const isAuto = configured.value === 'auto' && inAuto.some((word) => word === host.value);
  return {
    ok: true,
    route: {
      host: isAuto ? { ...configured, value: 'auto' } : host,
      wanted: isAuto ? (inAuto.find((word) => word === (asked.host ?? 'auto')) ?? 'auto') : null,
      node: { value: null, layer: host.layer, setting: host.setting },
      bound: false,
    },
  };
}

/** The host that holds where the request names none. */
export function configuredHost(
  config: RouteConfig,
  agent: string,
  level: TrustLevel = 'owner',
): Said<ExecHost> {
  if (abilitiesOf(level).shell === 'sandbox')
    return { value: 'sandbox', layer: 'trust', setting: `the trust level "${level}"` };
  return saidOf(config, agent, 'host');
}

/** Null where the settings do not let the request have it. */
function askedHost(
  { exec, agents }: RouteConfig,
  configured: Said<ExecHost>,
  { agent, asked = {} }: RouteQuestion,
): Said<ExecHost> | null {
  const { host } = asked;
  if (host === undefined || host === configured.value) return configured;
  if (configured.layer === 'trust') return null;
  const own = Object.hasOwn(agents, agent) ? agents[agent]?.hosts : undefined;
  const further = [
    ...(own ?? exec.hosts),
    ...(configured.value === 'auto' ? (['gateway', 'sandbox'] as const) : []),
  ];
  const found = further.find((each) => each === host);
  return found === undefined
    ? null
    : { value: found, layer: 'request', setting: 'host of the request' };
}

function nodeRoute(
  config: RouteConfig,
  host: Said<ExecHost>,
  { agent, asked = {}, isSameNode = (one, other) => one === other }: RouteQuestion,
): Routed {
  const bound = saidOf(config, agent, 'node');
  if (bound.value === null) {
    const node: Said<string | null> =
      asked.node === undefined
        ? bound
        : { value: asked.node, layer: 'request', setting: 'node of the request' };
    return { ok: true, route: { host, wanted: null, node, bound: false } };
  }
  if (asked.node !== undefined && !isSameNode(asked.node, bound.value)) {
    return refusedRoute(
      `Commands of "${agent}" are bound to the node "${bound.value}", so they do not run on "${asked.node}".`,
      `Leave the node out, or have a person change ${bound.setting}.`,
    );
  }
  return { ok: true, route: { host, wanted: null, node: bound, bound: true } };
}

/** What the settings hold a request of this agent to, however loose its policy is; null: to nothing. */
interface RouteBounds {
  readonly security: Said<Security> | null;
  readonly ask: Said<AskMode> | null;
}

/**
 * `security` and `ask` of the settings. The agent's own stands for the one for all, and either only
 * tightens what the policy says.
 */
export function routeBounds(config: RouteConfig, agent: string): RouteBounds {
  const security = saidOf(config, agent, 'security');
  const ask = saidOf(config, agent, 'ask');
  return {
    security: security.value === null ? null : { ...security, value: security.value },
    ask: ask.value === null ? null : { ...ask, value: ask.value },
  };
}

/** The modes that a request may have at most, by its own word and by the settings. */
export function boundModes(
  config: RouteConfig,
  who: {
    readonly agent: string;
    readonly claimed?: string | null | undefined;
    readonly override?: OverrideInForce | null | undefined;
    readonly security?: Security | undefined;
    readonly ask?: AskMode | undefined;
  },
): { readonly security: readonly Said<Security>[]; readonly ask: readonly Said<AskMode>[] } {
  const names =
    who.claimed === null || who.claimed === undefined ? [who.agent] : [who.agent, who.claimed];
  const bounds = names.map((name) => routeBounds(config, name));
  const managed = managedBounds(config.managed, names);
  const request = { layer: 'request', setting: 'the request' } as const;
  const session = { layer: 'session', setting: 'the session' } as const;
  const { own = {}, raised = {} } = who.override ?? {};
  const ownSecurity = raised.security === undefined ? own.security : undefined;
  const ownAsk = raised.ask === undefined ? own.ask : undefined;
  return {
    security: [
      ...managed.security,
      ...(ownSecurity === undefined ? [] : [{ ...session, value: ownSecurity }]),
      ...(who.security === undefined ? [] : [{ ...request, value: who.security }]),
      ...bounds.flatMap(({ security }) => security ?? []),
    ],
    ask: [
      ...managed.ask,
      ...(ownAsk === undefined ? [] : [{ ...session, value: ownAsk }]),
      ...(who.ask === undefined ? [] : [{ ...request, value: who.ask }]),
      ...bounds.flatMap(({ ask }) => ask ?? []),
    ],
  };
}

/** The strictest of what is said; undefined where nothing is. */
export function tightest<T extends Security | AskMode>(said: readonly Said<T>[]): T | undefined {
  const [first] = said;
  if (first === undefined) return undefined;
  const order = (securityModes.some((mode) => mode === first.value)
    ? securityModes
    : askModes) as unknown as readonly T[];
  return strictest(order, first, said.slice(1)).value;
}

type RouteField = 'host' | 'node' | 'security' | 'ask';

/** A field as the settings say it: the agent's own, else the one for all, and by which name of it. */
function saidOf<F extends RouteField>(
  config: RouteConfig,
  agent: string,
  field: F,
): Said<Config['exec'][F]> {
  const { exec, agents } = config;
  const own = Object.hasOwn(agents, agent) ? agents[agent]?.[field] : undefined;
  const file = fileOf(config);
  if (own !== undefined) {
    const raw = file?.agents?.[agent];
    const isListed = file !== null && (Array.isArray(raw) || !hasField(raw, field));
    return {
      value: own as Config['exec'][F],
      layer: 'agent',
      setting: isListed
        ? `tools.exec.${field} of "${agent}" in agents.list of config.json`
        : `agents.${agent}.${field} of config.json`,
    };
  }
  const value = exec[field];
  if (file !== null && file.exec?.[field] === undefined) {
    return file.tools?.exec?.[field] === undefined
      ? { value, layer: 'built-in', setting: 'the default' }
      : { value, layer: 'global', setting: `tools.exec.${field} of config.json` };
  }
  return { value, layer: 'global', setting: `exec.${field} of config.json` };
}

function hasField(value: unknown, field: string): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, field);
}

function refusedRoute(message: string, hint: string): Routed {
  return { ok: false, problem: { code: 'host-unavailable', message, hint } };
}
