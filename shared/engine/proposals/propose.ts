import { sha256 } from '../../base/index.ts';
import type { Proposal } from '../ask.ts';
import { decide } from '../decide/decide.ts';
import type { DecideInput, Verdict } from '../decide/types.ts';
import { quoteWords } from '../parse/shell-quote.ts';
import type { Stage } from '../plan/types.ts';
import { unsavable } from '../policy/edit.ts';
import type { ArgToken, NewRule, Rule } from '../policy/types.ts';
import { restToken } from '../rules/args.ts';
import { nameOf } from './code.ts';
import { anyBelow, onlyLooks, rulesForStage, toolClause } from './rules.ts';
import type { StageRules } from './rules.ts';

/** What the rules of a proposal would match, for a person: one clause for each stage. */
function sentenceFor(
  chosen: readonly { readonly stage: Stage; readonly rules: readonly NewRule[] }[],
): string {
  const clauses = [...new Set(chosen.map(({ stage, rules }) => clause(stage, rules)))];
  return `Allow ${clauses.join('; and ')}.`;
}

function clause(stage: Stage, [rule, ...more]: readonly NewRule[]): string {
  if (rule === undefined) return '';
  if (more.length > 0)
    return `what Git does on this machine alone, in ${stage.cwd ?? ''} and below: it reads, records, puts aside, switches, merges and sets tags, where no work is lost and nothing is fetched or pushed, unless it looks dangerous`;
  const bounds = [
    rule.env === undefined ? '' : ` with ${rule.env.join(' ')} set`,
    rule.cwd === undefined ? '' : ` in ${stage.cwd}${rule.cwd.endsWith('/**') ? ' and below' : ''}`,
    rule.writes === undefined ? '' : `, writing ${stage.writes.join(', ')}`,
    rule.sha256 === undefined ? '' : `, as long as ${contentOf(stage)} does not change`,
    rule.code === undefined ? '' : `, given exactly the ${linesOf(stage)} of code shown here`,
    rule.scripts === undefined ? '' : ', as long as the script reads as it does now',
    rule.maxRisk === undefined ? '' : ', unless it looks dangerous',
  ];
  const { executable } = stage;
  const allowed = executable.kind === 'tool' ? toolClause(executable, rule) : what(stage, rule);
  return `${allowed}${bounds.join('')}`;
}

/** The file whose content a rule holds to. What that loads is not held to anything. */
function contentOf({ script }: Stage): string {
  return script === null ? 'the program itself' : `${script} itself`;
}

function linesOf({ code = '' }: Stage): string {
  const lines = code.replace(/\n$/, '').split('\n').length;
  return lines === 1 ? 'line' : `${String(lines)} lines`;
}

function what(stage: Stage, { args, only, scripts = [] }: NewRule): string {
  const name = nameOf(stage);
  if (scripts.length > 1 || (scripts.length === 1 && typeof args?.[0] !== 'string')) {
    const all = (stage.recipe?.all ?? []).map((one) => one.name);
    return `${name} to run any script that ${stage.recipe?.file ?? 'package.json'} has now (${all.join(', ')}), with any arguments`;
  }
  if (only === 'reads') return `all that ${name} does where it only reads and changes nothing`;
  if (args === undefined) return `${name} with any arguments`;
  if (args.at(-1) === restToken) {
    return `"${quoteWords([name, ...stage.argv.slice(1, args.length)])}" with any further arguments`;
  }
  const words = stage.argv.slice(1);
  const swapped = args.map((token, index) => fileWords(token, words[index] ?? ''));
  const shown = swapped.map((swap, index) => swap ?? quoteWords([words[index] ?? '']));
  const isExact = swapped.every((swap) => swap === null);
  return isExact ? `exactly "${quoteWords([name, ...words])}"` : `"${[name, ...shown].join(' ')}"`;
}

/** A token that stands for other files, in words; null for one that is written out. */
function fileWords(token: ArgToken, word: string): string | null {
  if (token === anyBelow) return '«any file below the folder»';
  if (typeof token !== 'string' || !token.endsWith('/*')) return null;
  return `«any file in ${word.slice(0, word.lastIndexOf('/')) || '/'}»`;
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
  return {
    id: idOf(width, rules),
    scope: scopes[width],
    sentence: sentenceFor(chosen),
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
