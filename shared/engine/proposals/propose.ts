import { sha256 } from '../../base/index.ts';
import type { Proposal } from '../ask.ts';
import { decide } from '../decide/decide.ts';
import type { DecideInput, Verdict } from '../decide/types.ts';
import { quoteWords } from '../parse/shell-quote.ts';
import type { Stage } from '../plan/types.ts';
import { unsavable } from '../policy/edit.ts';
import type { ArgToken, NewRule, Rule } from '../policy/types.ts';
import { restToken } from '../rules/args.ts';
import { sentenceOf } from './clauses.ts';
import type { Clause } from './clauses.ts';
import { nameOf } from './code.ts';
import { anyBelow, onlyLooks, rulesForStage, toolClause } from './rules.ts';
import type { StageRules } from './rules.ts';

/** What the rules for one stage would match, for a person. */
function clauseFor(stage: Stage, [rule, ...more]: readonly NewRule[]): Clause | null {
  if (rule === undefined) return null;
  if (more.length > 0)
    return {
      kind: 'local-git',
      name: 'Git',
      cwd: stage.cwd ?? '',
      below: true,
      unlessRisky: true,
    };
  const { executable, script } = stage;
  return {
    ...(executable.kind === 'tool' ? toolClause(executable, rule) : what(stage, rule)),
    ...(rule.env !== undefined && { env: rule.env }),
    ...(rule.cwd !== undefined && { cwd: stage.cwd ?? '', below: rule.cwd.endsWith('/**') }),
    ...(rule.writes !== undefined && { writes: stage.writes }),
    // What a script loads is not held to anything.
    ...(rule.sha256 !== undefined && { content: script ?? '' }),
    ...(rule.files !== undefined && { files: stage.files?.paths ?? [] }),
    ...(rule.code !== undefined && { lines: linesOf(stage) }),
    ...(rule.scripts !== undefined && { sameScript: true }),
    ...(rule.maxRisk !== undefined && { unlessRisky: true }),
  };
}

function linesOf({ code = '' }: Stage): number {
  return code.replace(/\n$/, '').split('\n').length;
}

function what(stage: Stage, { args, only, scripts = [] }: NewRule): Clause {
  const name = nameOf(stage);
  if (scripts.length > 1 || (scripts.length === 1 && typeof args?.[0] !== 'string')) {
    const names = (stage.recipe?.all ?? []).map((one) => one.name);
    return { kind: 'scripts', name, of: stage.recipe?.file ?? 'package.json', names };
  }
  if (only === 'reads') return { kind: 'reads', name };
  if (args === undefined) return { kind: 'any-arguments', name };
  if (args.at(-1) === restToken) {
    const of = quoteWords([name, ...stage.argv.slice(1, args.length)]);
    return { kind: 'further-arguments', name, of };
  }
  const given = stage.argv.slice(1);
  const words = args.map((token, index) => openWord(token, given[index] ?? ''));
  return words.every(({ any }) => any === undefined)
    ? { kind: 'exact', name, of: quoteWords([name, ...given]) }
    : { kind: 'other-files', name, words: [{ text: name }, ...words] };
}

/** A token that stands for other files, or the word as it is written. */
function openWord(token: ArgToken, word: string): NonNullable<Clause['words']>[number] {
  if (token === anyBelow) return { text: '', any: 'below' };
  if (typeof token === 'string' && token.endsWith('/*'))
    return { text: word.slice(0, word.lastIndexOf('/')) || '/', any: 'in' };
  return { text: quoteWords([word]) };
}

/** A command that ran or was asked about before, analysed. */
export interface PastCommand {
  /** As shown to a person. */
  readonly command: string;
  readonly input: DecideInput;
}

type ProposalWidth = keyof StageRules;

/** From narrow to wide. */
const widths: readonly ProposalWidth[] = [
  'exact',
  'otherFile',
  'script',
  'scripts',
  'subcommand',
  'reads',
  'local',
  'program',
];
const scopes = {
  exact: 'exact',
  otherFile: 'files',
  script: 'script',
  scripts: 'scripts',
  subcommand: 'subcommand',
  reads: 'reads',
  local: 'local',
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
  const proposals = widths
    .map((width) => proposalOf(width, offered, input, past))
    .filter((proposal) => proposal !== null);
  return withSuggestion(
    proposals,
    offered.every(({ stage }) => onlyLooks(stage)),
  );
}

/** What only reads is useful with other arguments; anything else is safest as it stands. */
function withSuggestion(proposals: readonly Proposal[], looks: boolean): readonly Proposal[] {
  const scopesWanted = looks ? ['subcommand', 'files', 'exact'] : ['exact'];
  const wanted = scopesWanted.find((scope) => proposals.some((each) => each.scope === scope));
  return proposals.map((each) => (each.scope === wanted ? { ...each, suggested: true } : each));
}

function proposalOf(
  width: ProposalWidth,
  offered: readonly { readonly stage: Stage; readonly rules: StageRules }[],
  input: DecideInput,
  past: readonly PastCommand[],
): Proposal | null {
  // A stage that has no such width keeps its exact rule; one of them at least must have it.
  if (!offered.some(({ rules }) => rules[width] !== null)) return null;
  const chosen = offered.map(({ stage, rules }) => {
    const wanted = rules[width] ?? rules.exact;
    return { stage, rules: isList(wanted) ? wanted : [wanted] };
  });
  const rules = distinct(chosen.flatMap((one) => one.rules));
  // An argument may be longer than the file lets a rule be.
  if (rules.some((rule) => unsavable(rule) !== null) || !sticks(input, rules)) return null;
  const clauses = chosen.flatMap((one) => clauseFor(one.stage, one.rules) ?? []);
  return {
    id: idOf(width, rules),
    scope: scopes[width],
    sentence: sentenceOf(clauses),
    clauses,
    rules,
    pastCommands: covered(past, rules),
  };
}

function isList(rules: NewRule | readonly NewRule[]): rules is readonly NewRule[] {
  return Array.isArray(rules);
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
function covered(past: readonly PastCommand[], rules: readonly NewRule[]): readonly string[] {
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
