import type { Stage } from '../analysis/types.ts';
import type { Proposal } from '../ask/types.ts';
import { sha256 } from '../digest/sha256.ts';
import type { Rule } from '../policy/types.ts';
import { decide } from '../verdict/decide.ts';
import type { DecideInput } from '../verdict/input.ts';
import type { Verdict } from '../verdict/types.ts';
import { sentenceFor } from './sentence.ts';
import { rulesForStage } from './stage-rules.ts';
import type { NewRule, StageRules } from './stage-rules.ts';

/** A command that ran or was asked about before, analysed. */
export interface PastCommand {
  /** As shown to a person. */
  readonly command: string;
  readonly input: DecideInput;
}

export type ProposalWidth = keyof StageRules;

/** From narrow to wide. */
const widths: readonly ProposalWidth[] = ['exact', 'otherFile', 'subcommand', 'program'];
const scopes = {
  exact: 'exact',
  otherFile: 'files',
  subcommand: 'subcommand',
  program: 'program',
} as const;
const maxPastCommands = 20;

/**
 * Ways to remember a "yes" to this verdict, from narrow to wide, one rule for each stage that no rule
 * covers yet. None for shells, wrappers, interpreters, opaque and risky commands. Every proposal was
 * tried: with its rules the same command is allowed.
 */
export function propose(
  input: DecideInput,
  verdict: Verdict,
  past: readonly PastCommand[] = [],
): readonly Proposal[] {
  const { analysis, risk, matches } = verdict;
  if (!analysis.ok || risk.level === 'high' || verdict.reason !== 'no-rule') return [];
  const uncovered = matches
    .filter(({ effect }) => effect === null)
    .map((match) => analysis.plan.stages[match.stage])
    .filter((stage) => stage !== undefined);
  const options = uncovered.map((stage) => ({ stage, rules: rulesForStage(stage, input) }));
  if (options.length === 0) return [];
  const offered: { readonly stage: Stage; readonly rules: StageRules }[] = [];
  for (const { stage, rules } of options) {
    if (rules === null) return [];
    offered.push({ stage, rules });
  }
  return widths
    .map((width) => proposalOf(width, offered, input, past))
    .filter((proposal) => proposal !== null);
}

function proposalOf(
  width: ProposalWidth,
  offered: readonly { readonly stage: Stage; readonly rules: StageRules }[],
  input: DecideInput,
  past: readonly PastCommand[],
): Proposal | null {
  // A stage that has no such width keeps its exact rule; one of them at least must have it.
  if (!offered.some(({ rules }) => rules[width] !== null)) return null;
  const chosen = offered.map(({ stage, rules }) => ({ stage, rule: rules[width] ?? rules.exact }));
  const rules = distinct(chosen.map(({ rule }) => rule));
  if (!sticks(input, rules)) return null;
  return {
    id: idOf(width, rules),
    scope: scopes[width],
    sentence: sentenceFor(chosen),
    rules,
    pastCommands: covered(past, rules),
  };
}

/** The same for the same rules whenever they are proposed. */
function idOf(width: ProposalWidth, rules: readonly NewRule[]): string {
  const timeless = rules.map((rule) => ({ ...rule, createdAt: 0 }));
  return sha256(JSON.stringify([width, timeless])).slice(0, 16);
}

function distinct(rules: readonly NewRule[]): readonly NewRule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

function sticks(input: DecideInput, rules: readonly NewRule[]): boolean {
  const verdict = decide(withRules(input, rules));
  return verdict.decision === 'allow' || verdict.reason === 'ask-always';
}

/** Past commands that were not allowed and would be with these rules. */
export function covered(
  past: readonly PastCommand[],
  rules: readonly NewRule[],
): readonly string[] {
  const commands = past
    .filter(({ input }) => decide(input).decision !== 'allow' && sticks(input, rules))
    .map(({ command }) => command);
  return [...new Set(commands)].slice(0, maxPastCommands);
}

/** The same situation with further rules. */
export function withRules(input: DecideInput, rules: readonly NewRule[]): DecideInput {
  const added: readonly Rule[] = rules.map((rule, index) => ({ ...rule, id: `proposed-${index}` }));
  return { ...input, policy: { ...input.policy, rules: [...input.policy.rules, ...added] } };
}
