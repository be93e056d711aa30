import type { OverrideInForce } from '../session-override.ts';
import { askModes, presenceModes, securityModes } from './types.ts';
import type {
  AgentPolicy,
  ApproversByRisk,
  AskMode,
  EffectivePolicy,
  PolicyDocument,
  PolicyModes,
  PresenceByRisk,
  Rule,
  Security,
} from './types.ts';

/** Modes that a person raised a session to. */
interface Raised {
  readonly security?: Security;
  readonly ask?: AskMode;
}

export interface ResolveOptions {
  readonly raised?: Raised | undefined;
  readonly agent: string;
  /** From the request; may only tighten. */
  readonly security?: Security | undefined;
  readonly ask?: AskMode | undefined;
  /** Where the policy does not say, in milliseconds; 120,000 when absent. */
  readonly askTimeoutMs?: number | undefined;
}

const builtIn = { security: 'deny', ask: 'on-miss', askFallback: 'deny' } as const;
const defaultAskTimeoutMs = 120_000;

/** Who has a say in a value; `setting` names the place in a person's words. */
export interface Said<T> {
  readonly value: T;
  readonly layer: Layer;
  readonly setting: string;
}
export type Layer =
  | 'request'
  | 'session'
  | 'managed'
  | 'fleet'
  | 'project'
  | 'trust'
  | 'agent'
  | 'wildcard'
  | 'defaults'
  | 'global'
  | 'built-in';

/** The modes that hold, and who said each. */
export interface SaidModes {
  readonly security: Said<Security>;
  readonly ask: Said<AskMode>;
  readonly askFallback: Said<Security>;
  readonly askTimeoutMs: Said<number>;
}

/**
 * The modes for one request of one agent. Per field: the agent's own entry, then `"*"`, then
 * `defaults`, then the built-ins; bounds may only tighten. A null document denies everything.
 */
export function resolveModes(
  document: PolicyDocument | null,
  agent: string,
  options: {
    readonly security?: readonly Said<Security>[];
    readonly ask?: readonly Said<AskMode>[];
    readonly askTimeoutMs?: number | undefined;
    /** What a person raised the session to: it stands for what the document says, save a "deny". */
    readonly raised?: Raised | undefined;
  } = {},
): SaidModes {
  const levels = levelsOf(document, agent);
  const built = <T>(value: T): Said<T> => ({
    value,
    layer: 'built-in',
    setting: document === null ? 'no policy is in force' : 'the default',
  });
  const { security: bounds = [], ask: askBounds = [], askTimeoutMs, raised = {} } = options;
  const ofSession = <T>(before: Said<T>, value: T | undefined): Said<T> =>
    value === undefined ? before : { value, layer: 'session', setting: 'the session, by a person' };
  const written = firstOf(levels, 'security') ?? built<Security>(builtIn.security);
  const isOff = written.value === 'deny';
  const security = strictest(
    securityModes,
    isOff ? written : ofSession(written, raised.security),
    bounds,
  );
  const asks = firstOf(levels, 'ask') ?? built<AskMode>(builtIn.ask);
  const fallback = firstOf(levels, 'askFallback') ?? built(builtIn.askFallback);
  return {
    security,
    ask: strictest(askModes, isOff ? asks : ofSession(asks, raised.ask), askBounds),
    askFallback: strictest(securityModes, fallback, [security]),
    askTimeoutMs: firstOf(levels, 'askTimeoutMs') ?? built(askTimeoutMs ?? defaultAskTimeoutMs),
  };
}

/**
 * What holds for one request of one agent. Per field: the agent's own entry, then `"*"`, then
 * `defaults`, then the built-ins; the request may only tighten. A null document denies everything.
 */
export function resolvePolicy(
  document: PolicyDocument | null,
  { agent, security, ask, askTimeoutMs, raised }: ResolveOptions,
): EffectivePolicy {
  const request = { layer: 'request', setting: 'the request' } as const;
  const modes = resolveModes(document, agent, {
    security: security === undefined ? [] : [{ ...request, value: security }],
    ask: ask === undefined ? [] : [{ ...request, value: ask }],
    askTimeoutMs,
    raised,
  });
  return {
    agent,
    security: modes.security.value,
    ask: modes.ask.value,
    askFallback: modes.askFallback.value,
    ...presenceIn(levelsOf(document, agent)),
    ...approversIn(levelsOf(document, agent)),
    askTimeoutMs: modes.askTimeoutMs.value,
    rules: document === null ? [] : rulesOf(document, agent),
  };
}

/** Per risk the first level that says something; of two policies what is stricter. */
function presenceIn(levels: readonly Level[]): Pick<EffectivePolicy, 'presence'> {
  const said = Object.assign(
    {},
    ...levels.toReversed().map((level) => level.modes.presence),
  ) as Partial<Record<keyof PresenceByRisk, unknown>>;
  const known = riskLevels.flatMap((risk) => {
    const mode = presenceModes.find((one) => one === said[risk]);
    return mode === undefined ? [] : [[risk, mode] as const];
  });
  return known.length === 0 ? {} : { presence: Object.fromEntries(known) };
}

function stricterPresence(
  one: PresenceByRisk = {},
  other: PresenceByRisk = {},
): Pick<EffectivePolicy, 'presence'> {
  const both = riskLevels.flatMap((risk) => {
    const mode = presenceModes.find((each) => each === one[risk] || each === other[risk]);
    return mode === undefined ? [] : [[risk, mode] as const];
  });
  return both.length === 0 ? {} : { presence: Object.fromEntries(both) };
}

/** The same for how many people it takes. */
function approversIn(levels: readonly Level[]): Pick<EffectivePolicy, 'approvers'> {
  const said: ApproversByRisk = Object.assign(
    {},
    ...levels.toReversed().map((level) => level.modes.approvers),
  );
  return Object.keys(said).length === 0 ? {} : { approvers: said };
}

function moreApprovers(
  one: ApproversByRisk = {},
  other: ApproversByRisk = {},
): Pick<EffectivePolicy, 'approvers'> {
  const both = riskLevels.flatMap((risk) => {
    const most = Math.max(one[risk] ?? 1, other[risk] ?? 1);
    return most === 1 ? [] : [[risk, most] as const];
  });
  return both.length === 0 ? {} : { approvers: Object.fromEntries(both) };
}

const riskLevels = ['none', 'low', 'high'] as const;

interface Level {
  readonly layer: Layer;
  readonly setting: string;
  readonly modes: PolicyModes;
}

function levelsOf(document: PolicyDocument | null, agent: string): readonly Level[] {
  const own = entryOf(document, agent);
  const wildcard = entryOf(document, '*');
  const defaults = document?.defaults;
  return [
    ...(own === undefined ? [] : [levelOf('agent', `agents.${agent}`, own)]),
    ...(wildcard === undefined ? [] : [levelOf('wildcard', 'agents.*', wildcard)]),
    ...(defaults === undefined ? [] : [levelOf('defaults', 'defaults', defaults)]),
  ];
}

function levelOf(layer: Layer, setting: string, modes: PolicyModes): Level {
  return { layer, setting, modes };
}

function entryOf(document: PolicyDocument | null, name: string): AgentPolicy | undefined {
  const agents = document?.agents;
  return agents !== undefined && Object.hasOwn(agents, name) ? agents[name] : undefined;
}

function firstOf<K extends keyof PolicyModes>(
  levels: readonly Level[],
  field: K,
): Said<NonNullable<PolicyModes[K]>> | undefined {
  for (const { layer, setting, modes } of levels) {
    const value = modes[field];
    if (value !== undefined)
      return { value, layer, setting: `${setting}.${field} of exec-approvals.json` };
  }
  return undefined;
}

/** The strictest of what is said, by a list that is ordered from strict to loose; the first of equals. */
export function strictest<T>(
  order: readonly T[],
  first: Said<T>,
  others: readonly Said<T>[],
): Said<T> {
  return others.reduce(
    (one, other) => (order.indexOf(other.value) < order.indexOf(one.value) ? other : one),
    first,
  );
}

/** The stricter of two words of a list that is ordered from strict to loose. */
function stricter<T>(order: readonly T[], one: T, other: T | undefined): T {
  if (other === undefined) return one;
  return order.indexOf(one) <= order.indexOf(other) ? one : other;
}

/** Who asks, and what came with the request. */
export interface ForWhom extends Pick<ResolveOptions, 'agent' | 'security' | 'ask'> {
  /** A name that nothing proves; its policy can take away and never give. */
  readonly claimed?: string | null;
  /** What holds for the session alone. */
  readonly override?: OverrideInForce | null | undefined;
  /** Rules that a person granted for a while. */
  readonly granted?: readonly Rule[];
}

/** What holds for one request: the policy, tightened by the request and by the name that was claimed. */
export function policyFor(
  document: PolicyDocument | null,
  { claimed = null, granted = [], override, ...who }: ForWhom,
  askTimeoutMs?: number,
): EffectivePolicy {
  const own = resolvePolicy(document, { ...who, askTimeoutMs, raised: override?.raised });
  const effective =
    claimed === null
      ? own
      : tightened(own, resolvePolicy(document, { ...who, agent: claimed, askTimeoutMs }));
  return { ...effective, rules: appended(effective.rules, granted) };
}

/** The same policy within further bounds; the same one where they take nothing away. */
export function boundPolicy(
  policy: EffectivePolicy,
  bounds: {
    readonly security?: Security | undefined;
    readonly ask?: AskMode | undefined;
    readonly rules: readonly Rule[];
  },
): EffectivePolicy {
  const security = stricter(securityModes, policy.security, bounds.security);
  const ask = stricter(askModes, policy.ask, bounds.ask);
  return {
    ...policy,
    security,
    ask,
    ...(policy.ask === 'off' && ask !== 'off' && { deniesMisses: true }),
    askFallback: stricter(securityModes, policy.askFallback, security),
    rules: appended(policy.rules, bounds.rules),
  };
}

/** A name that nothing proves can take away and never give: its modes and its "no" count. */
function tightened(anybody: EffectivePolicy, claimed: EffectivePolicy): EffectivePolicy {
  const known = new Set(anybody.rules);
  return {
    ...anybody,
    security: stricter(securityModes, anybody.security, claimed.security),
    ask: stricter(askModes, anybody.ask, claimed.ask),
    askFallback: stricter(securityModes, anybody.askFallback, claimed.askFallback),
    ...stricterPresence(anybody.presence, claimed.presence),
    ...moreApprovers(anybody.approvers, claimed.approvers),
    rules: appended(
      anybody.rules,
      claimed.rules.filter((rule) => (rule.effect ?? 'allow') !== 'allow' && !known.has(rule)),
    ),
  };
}

const lastAppended = new WeakMap<readonly Rule[], readonly Rule[]>();

/** The same rules after the same list yield the same array, so that they are compiled once. */
function appended(rules: readonly Rule[], more: readonly Rule[]): readonly Rule[] {
  if (more.length === 0) return rules;
  const last = lastAppended.get(rules);
  const isSame =
    last?.length === rules.length + more.length &&
    more.every((rule, index) => last[rules.length + index] === rule);
  if (last !== undefined && isSame) return last;
  const all = [...rules, ...more];
  lastAppended.set(rules, all);
  return all;
}

// The same document yields the same array, so that what is compiled from it is found again.
const known = new WeakMap<PolicyDocument, Map<string, readonly Rule[]>>();

/** The agent's rules, then the wildcard's. */
export function rulesOf(document: PolicyDocument, agent: string): readonly Rule[] {
  let byAgent = known.get(document);
  if (byAgent === undefined) known.set(document, (byAgent = new Map()));
  const wildcard = entryOf(document, '*')?.allowlist ?? [];
  const own = agent === '*' ? undefined : entryOf(document, agent)?.allowlist;
  // Agents without rules of their own share one entry, however many names are asked for.
  const key = own === undefined ? '*' : agent;
  let rules = byAgent.get(key);
  if (rules === undefined) byAgent.set(key, (rules = [...(own ?? []), ...wildcard]));
  return rules;
}
