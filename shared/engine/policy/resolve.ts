import { askModes, securityModes } from './types.ts';
import type {
  AgentPolicy,
  AskMode,
  EffectivePolicy,
  PolicyDocument,
  PolicyModes,
  Rule,
  Security,
} from './types.ts';

export interface ResolveOptions {
  readonly agent: string;
  /** From the request; may only tighten. */
  readonly security?: Security | undefined;
  readonly ask?: AskMode | undefined;
  /** Where the policy does not say, in milliseconds; 120,000 when absent. */
  readonly askTimeoutMs?: number | undefined;
}

const builtIn = { security: 'deny', ask: 'on-miss', askFallback: 'deny' } as const;
const defaultAskTimeoutMs = 120_000;

/**
 * What holds for one request of one agent. Per field: the agent's own entry, then `"*"`, then
 * `defaults`, then the built-ins; the request may only tighten. A null document denies everything.
 */
export function resolvePolicy(
  document: PolicyDocument | null,
  options: ResolveOptions,
): EffectivePolicy {
  const levels = levelsOf(document, options.agent);
  const security = stricter(
    securityModes,
    firstOf(levels, 'security') ?? builtIn.security,
    options.security,
  );
  const ask = stricter(askModes, firstOf(levels, 'ask') ?? builtIn.ask, options.ask);
  const askFallback = firstOf(levels, 'askFallback') ?? builtIn.askFallback;
  return {
    agent: options.agent,
    security,
    ask,
    askFallback: stricter(securityModes, askFallback, security),
    askTimeoutMs: firstOf(levels, 'askTimeoutMs') ?? options.askTimeoutMs ?? defaultAskTimeoutMs,
    rules: document === null ? [] : rulesOf(document, options.agent),
  };
}

function levelsOf(document: PolicyDocument | null, agent: string): readonly PolicyModes[] {
  return [entryOf(document, agent), entryOf(document, '*'), document?.defaults].filter(
    (level) => level !== undefined,
  );
}

function entryOf(document: PolicyDocument | null, name: string): AgentPolicy | undefined {
  const agents = document?.agents;
  return agents !== undefined && Object.hasOwn(agents, name) ? agents[name] : undefined;
}

function firstOf<K extends keyof PolicyModes>(
  levels: readonly PolicyModes[],
  field: K,
): PolicyModes[K] | undefined {
  return levels.find((level) => level[field] !== undefined)?.[field];
}

/** The stricter of two words of a list that is ordered from strict to loose. */
export function stricter<T>(order: readonly T[], one: T, other: T | undefined): T {
  if (other === undefined) return one;
  return order.indexOf(one) <= order.indexOf(other) ? one : other;
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
