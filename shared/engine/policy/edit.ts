import { compile, refuse } from '../../base/index.ts';
import type { ListChange, Refusal } from '../../base/index.ts';
import { parsePolicy, serialisePolicy } from './parse.ts';
import { absurdAmong } from '../rules/absurd.ts';
import { ruleProblem } from '../rules/compiled-rule.ts';
import { withModes, withPatch } from './patch.ts';
import type { ModePatch, PolicyPatch } from './patch.ts';
import { newRuleSchema } from './types.ts';
import type { AgentPolicy, NewRule, PolicyDocument, Rule } from './types.ts';

export type Edited =
  | { readonly ok: true; readonly document: PolicyDocument }
  | {
      readonly ok: false;
      readonly problem: Refusal;
      /** Nothing is wrong but that these can hardly be meant, a sentence each. */
      readonly doubts?: readonly string[];
    };

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

interface AddOptions {
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

interface ReplaceOptions {
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

interface ModeChanges {
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

/** One change of a policy. */
export type PolicyChange =
  | { readonly change: 'add'; readonly agent: string; readonly rules: readonly Rule[] }
  | { readonly change: 'replace'; readonly agent: string; readonly rule: Rule }
  | { readonly change: 'remove'; readonly id: string; readonly agent?: string }
  | ({ readonly change: 'modes' } & ModeChanges)
  /** What a page changed. */
  | { readonly change: 'patch'; readonly patch: PolicyPatch }
  /** The whole document, as a file has it. */
  | { readonly change: 'whole'; readonly document: PolicyDocument };

/**
 * The document after all changes, in their order; the first that is not sound blocks all, and so does a
 * new rule that can hardly be meant, unless that was accepted.
 */
export function editPolicy(
  document: PolicyDocument,
  changes: readonly PolicyChange[],
  { check, accepted = false }: EditOptions,
): Edited {
  let edited: Edited = { ok: true, document };
  for (const change of changes) {
    if (!edited.ok) return edited;
    edited = applied(edited.document, change, check);
  }
  if (!edited.ok || accepted) return edited;
  const doubts = absurdAmong(document, edited.document).map(
    ({ rule, sentence }) => `The rule for ${rule.pattern} can hardly be meant. ${sentence}`,
  );
  const [first] = doubts;
  if (first === undefined) return edited;
  const more = doubts.length === 1 ? '' : ` And ${String(doubts.length - 1)} more like it.`;
  const hint =
    'Nothing was saved. Change it, or say that it is meant: --yes, or "Save all the same" in the app.';
  return { ok: false, problem: refuse('invalid-request', `${first}${more}`, hint).refusal, doubts };
}

export interface EditOptions {
  readonly check: ExampleCheck;
  /** A person was told what can hardly be meant, and means it. */
  readonly accepted?: boolean;
}

function applied(document: PolicyDocument, change: PolicyChange, check: ExampleCheck): Edited {
  if (change.change === 'add') return addRules(document, { ...change, check });
  if (change.change === 'replace') return replaceRule(document, { ...change, check });
  if (change.change === 'remove') return removeRule(document, change);
  if (change.change === 'modes') return setModes(document, change);
  if (change.change === 'patch') return applyPatch(document, change.patch, check);
  return replaceAll(document, change.document, check);
}

/** Whether commands have to be analysed to check an edit: a rule that it brings in has examples. */
export function carriesExamples(changes: readonly PolicyChange[]): boolean {
  return changes.some((change) => {
    if (change.change === 'whole') return serialisePolicy(change.document).includes('"examples":');
    return rulesOfChange(change).some(({ examples }) => examples !== undefined);
  });
}

function rulesOfChange(change: PolicyChange): readonly Rule[] {
  if (change.change === 'add') return change.rules;
  if (change.change === 'replace') return [change.rule];
  if (change.change !== 'patch') return [];
  return Object.values(change.patch.agents ?? {}).flatMap(({ rules = {} }) => rulesWritten(rules));
}

/**
 * Puts another document in the place of one. Rules that stood there before are not held against
 * their examples again: that one of them fails on this machine by now must not keep a person from
 * changing another. What is new or was changed passes every check that a single edit has to pass.
 */
function replaceAll(before: PolicyDocument, written: PolicyDocument, check: ExampleCheck): Edited {
  const parsed = parsePolicy(serialisePolicy(written));
  if (!parsed.ok) return parsed;
  const { document: wanted } = parsed;
  const there = new Set(
    Object.values(before.agents ?? {}).flatMap(({ allowlist = [] }) => allowlist.map(textOf)),
  );
  for (const [agent, { allowlist = [] }] of Object.entries(wanted.agents ?? {})) {
    if (before.agents === undefined || !Object.hasOwn(before.agents, agent)) {
      const problem = nameProblem(agent);
      if (problem !== null) return problem;
    }
    for (const rule of allowlist) {
      const problem = there.has(textOf(rule)) ? null : objection(rule, check);
      if (problem !== null) return problem;
    }
  }
  return { ok: true, document: wanted };
}

/** What a rule says, less how often it was used. */
function textOf(rule: Rule): string {
  const { lastUsedAt: _, uses: __, lastUsedCommand: ___, lastResolvedPath: ____, ...said } = rule;
  return JSON.stringify(said);
}

/**
 * Puts a patch into a document. Each rule that it writes must be understood and pass its own
 * examples; one that was there before, and only moves, is not checked again. A patch that was not made for this document,
 * or has anything wrong with it, changes nothing.
 */
export function applyPatch(
  document: PolicyDocument,
  patch: PolicyPatch,
  check?: ExampleCheck,
): Edited {
  for (const [agent, { rules }] of Object.entries(patch.agents ?? {})) {
    const badName = nameProblem(agent);
    if (badName !== null) return badName;
    const written = rulesWritten(rules ?? {});
    const ids = new Set(written.map(({ id }) => id));
    const old = ruleList(document, agent).filter(({ id }) => ids.has(id));
    const there = new Set(old.map(textOf));
    for (const rule of written) {
      const problem = there.has(textOf(rule)) ? null : objection(rule, check);
      if (problem !== null) return problem;
    }
  }
  const patched = withPatch(document, patch);
  return patched === null
    ? failed('The edit was made for other rules than these.', 'Read the policy again.')
    : { ok: true, document: patched };
}

function rulesWritten({ replace = [], insert = [] }: ListChange<Rule>): readonly Rule[] {
  return [...replace, ...insert.flatMap(({ items }) => items)];
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
  const problem = nameProblem(agent);
  if (problem !== null) return problem;
  return { ok: true, document: { ...document, agents: { ...document.agents, [agent]: policy } } };
}

const checkRule = compile(newRuleSchema);

function nameProblem(agent: string): Edited | null {
  if (agent !== '__proto__' && agent !== '') return null;
  return failed(`"${agent}" cannot be the name of an agent.`, 'Choose another name.');
}

function objection(rule: Rule, check: ExampleCheck | undefined): Edited | null {
  const problem = unsavable(rule) ?? ruleProblem(rule);
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

/**
 * Why a rule cannot stand in the file, or null. One that did would make the whole file invalid, and
 * then nothing runs any more.
 */
export function unsavable(rule: NewRule & { readonly id?: string }): string | null {
  const { id: _id, ...fields } = rule;
  const checked = checkRule(fields);
  return checked.ok ? null : checked.error;
}

function unknownRule(id: string): Edited {
  return failed(`There is no rule ${id}.`, 'List the rules with: interlock approvals get');
}

function failed(message: string, hint: string): Edited {
  return { ok: false, problem: refuse('invalid-request', message, hint).refusal };
}
