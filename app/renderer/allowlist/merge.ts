import { modeFields } from '../../../shared/engine/index.ts';
import type {
  AgentPolicy,
  ApproversByRisk,
  PolicyDocument,
  PolicyModes,
  PresenceByRisk,
  Rule,
} from '../../../shared/engine/index.ts';

/** One thing of a policy that can be changed by itself: a mode or a rule. */
export type Part =
  | {
      readonly kind: 'mode';
      /** Null for the defaults. */
      readonly agent: string | null;
      readonly field: keyof PolicyModes;
    }
  | { readonly kind: 'rule'; readonly agent: string; readonly id: string };

export type PartValue = Rule | PresenceByRisk | ApproversByRisk | string | number | null;

/** Both sides changed the same part in different ways; null means that it was taken out. */
export interface Conflict {
  readonly part: Part;
  readonly mine: PartValue;
  readonly theirs: PartValue;
}

interface Merged {
  /** Theirs with my changes in it; parts in conflict are as they have them. */
  readonly document: PolicyDocument;
  readonly conflicts: readonly Conflict[];
  /** They changed more than what the runner notes when a rule is used. */
  readonly theyChanged: boolean;
}

const usageFields = ['lastUsedAt', 'lastUsedCommand', 'lastResolvedPath', 'uses'] as const;

interface Entry {
  readonly part: Part;
  readonly value: PartValue;
}

function entriesOf(document: PolicyDocument): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const add = (part: Part, value: PartValue): void => {
    entries.set(JSON.stringify(part), { part, value });
  };
  const addModes = (agent: string | null, modes: PolicyModes): void => {
    for (const field of modeFields) {
      const value = modes[field];
      if (value !== undefined) add({ kind: 'mode', agent, field }, value);
    }
  };
  addModes(null, document.defaults ?? {});
  for (const [agent, policy] of Object.entries(document.agents ?? {})) {
    addModes(agent, policy);
    for (const rule of policy.allowlist ?? []) add({ kind: 'rule', agent, id: rule.id }, rule);
  }
  return entries;
}

/** A value without what the runner notes when a rule is used, which is not an edit. */
function essence(value: PartValue): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const kept = Object.entries(value).filter(([key]) => !usageFields.some((field) => field === key));
  return JSON.stringify(kept.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function same(a: PartValue, b: PartValue): boolean {
  return a === b || essence(a) === essence(b);
}

/** The parts in which two documents differ, with their value in the second. */
export function changesBetween(from: PolicyDocument, to: PolicyDocument): readonly Entry[] {
  const before = entriesOf(from);
  const after = entriesOf(to);
  const changes: Entry[] = [];
  for (const [key, { part, value }] of after) {
    if (!same(before.get(key)?.value ?? null, value)) changes.push({ part, value });
  }
  for (const [key, { part }] of before) {
    if (!after.has(key)) changes.push({ part, value: null });
  }
  return changes;
}

/** A document with one part set, or taken out with null. Everything else stays as it is. */
export function withPart(document: PolicyDocument, part: Part, value: PartValue): PolicyDocument {
  if (part.kind === 'mode') {
    const set = (modes: PolicyModes): PolicyModes => {
      const { [part.field]: _old, ...rest } = modes;
      return value === null ? rest : { ...rest, [part.field]: value };
    };
    if (part.agent === null) return { ...document, defaults: set(document.defaults ?? {}) };
    return withAgent(document, part.agent, set(document.agents?.[part.agent] ?? {}));
  }
  const policy: AgentPolicy = document.agents?.[part.agent] ?? {};
  const rules = policy.allowlist ?? [];
  const rule = value as Rule | null;
  const known = rules.some(({ id }) => id === part.id);
  const allowlist =
    rule === null
      ? rules.filter(({ id }) => id !== part.id)
      : known
        ? rules.map((old) => (old.id === part.id ? withUsageOf(rule, old) : old))
        : [...rules, rule];
  return withAgent(document, part.agent, { ...policy, allowlist });
}

/** A document with rules added at the end of those of their agents. */
export function withRules(
  document: PolicyDocument,
  added: readonly { readonly agent: string; readonly rule: Rule }[],
): PolicyDocument {
  let next = document;
  for (const agent of new Set(added.map((each) => each.agent))) {
    const policy: AgentPolicy = next.agents?.[agent] ?? {};
    const rules = added.filter((each) => each.agent === agent).map(({ rule }) => rule);
    next = withAgent(next, agent, {
      ...policy,
      allowlist: [...(policy.allowlist ?? []), ...rules],
    });
  }
  return next;
}

function withAgent(document: PolicyDocument, agent: string, policy: AgentPolicy): PolicyDocument {
  return { ...document, agents: { ...document.agents, [agent]: policy } };
}

function withUsageOf(rule: Rule, used: Rule): Rule {
  const usage = Object.fromEntries(
    usageFields.filter((field) => used[field] !== undefined).map((field) => [field, used[field]]),
  );
  return { ...rule, ...usage };
}

/**
 * Conflicts of an earlier merge that a person has still to settle, brought onto `theirs` as it is
 * now. Where both sides agree by now, there is no conflict left.
 */
export function stillOpen(
  conflicts: readonly Conflict[],
  { except, theirs }: { readonly except: readonly Conflict[]; readonly theirs: PolicyDocument },
): readonly Conflict[] {
  const now = entriesOf(theirs);
  const newer = new Set(except.map(({ part }) => JSON.stringify(part)));
  return conflicts
    .filter(({ part }) => !newer.has(JSON.stringify(part)))
    .map((conflict) => ({
      ...conflict,
      theirs: now.get(JSON.stringify(conflict.part))?.value ?? null,
    }))
    .filter(({ mine, theirs: other }) => !same(mine, other));
}

/** Three-way merge by rule id and mode: what only one side changed is kept, from both sides. */
export function mergePolicies(
  base: PolicyDocument,
  mine: PolicyDocument,
  theirs: PolicyDocument,
): Merged {
  const theirChanges = new Map(
    changesBetween(base, theirs).map(({ part, value }) => [JSON.stringify(part), value]),
  );
  const conflicts: Conflict[] = [];
  let document = theirs;
  for (const { part, value } of changesBetween(base, mine)) {
    const other = theirChanges.get(JSON.stringify(part));
    if (other === undefined) document = withPart(document, part, value);
    else if (!same(other, value)) conflicts.push({ part, mine: value, theirs: other });
  }
  return { document, conflicts, theyChanged: theirChanges.size > 0 };
}
