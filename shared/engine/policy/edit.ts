import { refuse } from '../../base/index.ts';
import type { Refusal } from '../../base/index.ts';
import { ruleProblem } from '../rules/compiled-rule.ts';
import { withModes, withPatch } from './patch.ts';
import type { ModePatch, PolicyPatch } from './patch.ts';
import type { AgentPolicy, PolicyDocument, Rule } from './types.ts';

export type Edited =
  | { readonly ok: true; readonly document: PolicyDocument }
  | { readonly ok: false; readonly problem: Refusal };

/** Sentences about in-file examples that a rule fails; empty when it passes. See rules/examples.ts. */
export type ExampleCheck = (rule: Rule) => readonly string[];

/** The policy of a new installation: everybody asks, and nobody to ask means no. */
export function firstPolicy(socket: {
  readonly path: string;
  readonly token: string;
}): PolicyDocument {
  return {
    version: 1,
    socket,
    defaults: { security: 'deny', ask: 'on-miss', askFallback: 'deny' },
    agents: { '*': { security: 'allowlist', ask: 'on-miss', askFallback: 'deny' } },
  };
}

export interface AddOptions {
  readonly agent: string;
  readonly rules: readonly Rule[];
  readonly check?: ExampleCheck;
}

/** Adds rules at the end of an agent's list; one that cannot be understood or fails its examples blocks all. */
export function addRules(document: PolicyDocument, options: AddOptions): Edited {
  const { agent, rules, check } = options;
  const present = new Set(ruleList(document, agent).map(({ id }) => id));
  for (const rule of rules) {
    if (present.has(rule.id))
      return failed(`There already is a rule ${rule.id}.`, 'Give it another id.');
    const problem = objection(rule, check);
    if (problem !== null) return problem;
    present.add(rule.id);
  }
  return withRules(document, agent, [...ruleList(document, agent), ...rules]);
}

export interface ReplaceOptions {
  readonly agent: string;
  readonly rule: Rule;
  readonly check?: ExampleCheck;
}

/** Puts a rule in the place of the one with the same id. */
export function replaceRule(document: PolicyDocument, options: ReplaceOptions): Edited {
  const { agent, rule, check } = options;
  const rules = ruleList(document, agent);
  if (!rules.some(({ id }) => id === rule.id)) return unknownRule(rule.id);
  const problem = objection(rule, check);
  if (problem !== null) return problem;
  return withRules(
    document,
    agent,
    rules.map((each) => (each.id === rule.id ? rule : each)),
  );
}

/** Removes a rule, from one agent or from wherever it is. */
export function removeRule(
  document: PolicyDocument,
  options: { readonly agent?: string; readonly id: string },
): Edited {
  const agents = options.agent === undefined ? Object.keys(document.agents ?? {}) : [options.agent];
  const agent = agents.find((name) => ruleList(document, name).some(({ id }) => id === options.id));
  if (agent === undefined) return unknownRule(options.id);
  const rules = ruleList(document, agent).filter(({ id }) => id !== options.id);
  return withRules(document, agent, rules);
}

export interface ModeChanges {
  /** Absent: `defaults`. */
  readonly agent?: string;
  /** Null removes a field, so that the next level decides. */
  readonly modes: ModePatch;
}

/** Sets modes of one agent, or of `defaults`. */
export function setModes(document: PolicyDocument, options: ModeChanges): Edited {
  const { agent, modes } = options;
  if (agent === undefined) {
    return {
      ok: true,
      document: { ...document, defaults: withModes(document.defaults ?? {}, modes) },
    };
  }
  return withAgent(document, agent, withModes(agentOf(document, agent), modes));
}

/**
 * Puts a patch into a document. Each rule that it replaces or inserts must be understood, and pass
 * its own examples where there is a check for them. A patch that was not made for this document, or
 * has anything wrong with it, changes nothing.
 */
export function applyPatch(
  document: PolicyDocument,
  patch: PolicyPatch,
  check?: ExampleCheck,
): Edited {
  for (const [agent, { rules = {} }] of Object.entries(patch.agents ?? {})) {
    if (!canBeNamed(agent)) return unnameable(agent);
    const inserted = (rules.insert ?? []).flatMap(({ items }) => items);
    for (const rule of [...(rules.replace ?? []), ...inserted]) {
      const problem = objection(rule, check);
      if (problem !== null) return problem;
    }
  }
  const patched = withPatch(document, patch);
  return patched === null
    ? failed('The edit was made for other rules than these.', 'Read the policy again.')
    : { ok: true, document: patched };
}

function agentOf(document: PolicyDocument, agent: string): AgentPolicy {
  const agents = document.agents ?? {};
  return Object.hasOwn(agents, agent) ? (agents[agent] ?? {}) : {};
}

function ruleList(document: PolicyDocument, agent: string): readonly Rule[] {
  return agentOf(document, agent).allowlist ?? [];
}

function withRules(document: PolicyDocument, agent: string, allowlist: readonly Rule[]): Edited {
  return withAgent(document, agent, { ...agentOf(document, agent), allowlist });
}

function withAgent(document: PolicyDocument, agent: string, policy: AgentPolicy): Edited {
  if (!canBeNamed(agent)) return unnameable(agent);
  return { ok: true, document: { ...document, agents: { ...document.agents, [agent]: policy } } };
}

function canBeNamed(agent: string): boolean {
  return agent !== '__proto__' && agent !== '';
}

function unnameable(agent: string): Edited {
  return failed(`"${agent}" cannot be the name of an agent.`, 'Choose another name.');
}

function objection(rule: Rule, check: ExampleCheck | undefined): Edited | null {
  const problem = ruleProblem(rule);
  if (problem !== null) {
    return failed(
      `The rule for ${rule.pattern || 'nothing'} cannot be saved: ${problem}`,
      'Mend the rule.',
    );
  }
  const failures = check?.(rule) ?? [];
  if (failures.length === 0) return null;
  return failed(
    `The rule for ${rule.pattern} fails its own examples: ${failures.join(' ')}`,
    'Change the rule, or the examples that it should pass.',
  );
}

function unknownRule(id: string): Edited {
  return failed(`There is no rule ${id}.`, 'List the rules with: interlock approvals get');
}

function failed(message: string, hint: string): Edited {
  return { ok: false, problem: refuse('invalid-request', message, hint).refusal };
}
