import type { Stage } from '../analysis/types.ts';
import { unsafeNames } from './environment.ts';
import type { DecideInput } from './input.ts';
import type { StageMatch, Verdict, VerdictReason } from './types.ts';

export interface VerdictFacts {
  readonly input: DecideInput;
  readonly stages: readonly Stage[];
  readonly matches: readonly StageMatch[];
  /** What made an ask necessary, also where asking is off. */
  readonly missed: VerdictReason;
}

/** The sentence and the hint of a verdict. */
export function words(
  reason: VerdictReason,
  decision: Verdict['decision'],
  facts: VerdictFacts,
): { readonly message: string; readonly hint: string } {
  const message = messages[reason](facts);
  return { message, hint: decision === 'allow' ? '' : hints[reason] };
}

const messages: Readonly<Record<VerdictReason, (facts: VerdictFacts) => string>> = {
  'security-deny': ({ input }) => `The policy denies everything to agent ${input.policy.agent}.`,
  'security-full': () => 'The policy lets everything run that no rule holds back.',
  'rule-deny': (facts) => firstWhy(facts, 'deny'),
  'rule-ask': (facts) => firstWhy(facts, 'ask'),
  'rule-allow': allowSentence,
  'no-rule': (facts) => firstWhy(facts, null),
  opaque: ({ input }) => opaqueSentence(input),
  'never-trusted': (facts) => neverSentence(facts),
  'unsafe-environment': ({ input, stages }) => environmentSentence(input, stages),
  'ask-always': () => 'The policy asks about every command.',
  'ask-off': (facts) =>
    `${messages[facts.missed](facts)} A person would have to be asked, and asking is off.`,
};

const hints: Readonly<Record<VerdictReason, string>> = {
  'security-deny': 'Ask a person to change the security mode of this agent.',
  'security-full': '',
  'rule-deny': 'Do it another way: a rule that denies is not asked about.',
  'rule-ask': 'Wait for the answer of a person.',
  'rule-allow': '',
  'no-rule': 'Use a command that a rule allows, or ask a person to add a rule.',
  opaque: 'Write it as plain commands, without substitutions, loops or unknown variables.',
  'never-trusted': 'Call the inner program directly.',
  'unsafe-environment': 'Leave these variables out.',
  'ask-always': 'Wait for the answer of a person.',
  'ask-off': 'Use a command that a rule allows, or ask a person to add a rule.',
};

function firstWhy({ matches }: VerdictFacts, effect: StageMatch['effect']): string {
  return (
    matches.find((match) => match.effect === effect)?.why ?? 'No program was found in the command.'
  );
}

/** Parts that need no rule are allowed by none. */
function allowSentence({ matches }: VerdictFacts): string {
  const without = matches.filter(({ rule }) => rule === null);
  const [only] = matches;
  if (only !== undefined && matches.length === 1)
    return only.rule === null ? `It needs no rule. ${only.why}` : 'A rule allows this command.';
  if (without.length === 0) return 'Rules allow every part of this command.';
  if (without.length === matches.length) return 'No part of this command needs a rule.';
  return 'Rules allow every part of this command that needs one.';
}

function opaqueSentence({ analysis, policy }: DecideInput): string {
  const detail = analysis.ok ? '' : analysis.detail;
  if (policy.security !== 'full') return detail;
  return `${detail} So nothing proves that it runs no program that a rule holds back.`.trim();
}

function neverSentence({ stages, matches }: VerdictFacts): string {
  const index = stages.findIndex(({ trust }) => trust.level === 'never');
  return matches[index]?.why ?? 'It runs a program that no rule can allow.';
}

function environmentSentence(input: DecideInput, stages: readonly Stage[]): string {
  const names = unsafeNames(input, stages);
  if (names.length === 0 && !input.analysis.ok) return input.analysis.detail;
  return `It sets ${names.join(', ')}, which can change what a program does or which one runs.`;
}
