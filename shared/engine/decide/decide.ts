import { refusedValue } from '../plan/environment.ts';
import type { Analysis, Assignment, GuardedUse, Stage } from '../plan/types.ts';
import type { EffectivePolicy, Presence } from '../policy/types.ts';
import { assess } from '../risk/assess.ts';
import type { MatchContext } from '../rules/matching.ts';
import { ruleSetOf } from '../rules/rule-set.ts';
import { settle } from './settle.ts';
import { unkeptHint, unkeptSentence } from './unkept.ts';
import { matchStage } from './stage-match.ts';
import type { DecideInput, StageMatch, Verdict, VerdictReason } from './types.ts';
import { presenceModes } from '../policy/types.ts';

/** Variables that would change what a program does or which one runs. */
function unsafeNames(input: DecideInput, stages: readonly Stage[]): readonly string[] {
  const own: readonly Assignment[] = Object.entries(input.request.env ?? {}).map(
    ([name, value]) => ({ name, value }),
  );
  const all = [...own, ...stages.flatMap(({ assignments }) => assignments)];
  return (
    all
      // What imports from the project is judged with the program that does.
      .filter((one) => one.imports !== true && refusedValue(one.name, one.value) !== null)
      .map(({ name }) => name)
  );
}

interface VerdictFacts {
  readonly input: DecideInput;
  readonly stages: readonly Stage[];
  readonly matches: readonly StageMatch[];
  readonly guarded: readonly GuardedUse[];
  /** What made an ask necessary, also where asking is off. */
  readonly missed: VerdictReason;
}

/** The sentence and the hint of a verdict. */
function words(
  reason: VerdictReason,
  decision: Verdict['decision'],
  facts: VerdictFacts,
): { readonly message: string; readonly hint: string } {
  const message = messages[reason](facts);
  if (decision === 'allow') return { message, hint: '' };
  return { message, hint: (reason === 'rule-deny' && denyingNote(facts)) || hints[reason] };
}

const messages: Readonly<Record<VerdictReason, (facts: VerdictFacts) => string>> = {
  'trust-level': ({ input }) => input.barred ?? 'Who asks is not trusted with it.',
  'security-deny': ({ input }) => `The policy denies everything to agent ${input.policy.agent}.`,
  'security-full': () => 'The policy lets everything run that no rule holds back.',
  'rule-deny': (facts) => firstWhy(facts, 'deny'),
  'rule-ask': (facts) => firstWhy(facts, 'ask'),
  'rule-allow': allowSentence,
  'no-rule': (facts) => firstWhy(facts, null),
  opaque: ({ input }) => opaqueSentence(input),
  'never-trusted': (facts) => neverSentence(facts),
  'unsafe-environment': ({ input, stages }) => environmentSentence(input, stages),
  'guarded-place': guardedSentence,
  'ask-always': () => 'The policy asks about every command.',
  'sandbox-unasked': () => 'It needs no more than the sandbox gives.',
  'not-kept': ({ input }) => unkeptSentence(input.unkept ?? 'it is not known why'),
  'project-edit': () => 'It changes a file of the project, as commands in the sandbox may.',
  'node-decides': () => 'The node it is for decides, by its own policy.',
  'ask-off': (facts) =>
    `${messages[facts.missed](facts)} A person would have to be asked, and asking is off.`,
};

const hints: Readonly<Record<VerdictReason, string>> = {
  'trust-level': 'Ask somebody who is trusted with it. A person sees why: interlock trust explain.',
  'security-deny': 'Ask a person to change the security mode of this agent.',
  'security-full': '',
  'rule-deny': 'Do it another way: a rule that denies is not asked about.',
  'rule-ask': 'Wait for the answer of a person.',
  'rule-allow': '',
  'no-rule': 'Use a command that a rule allows, or ask a person to add a rule.',
  opaque: 'Write it as plain commands, without substitutions, loops or unknown variables.',
  'never-trusted': 'Call the inner program directly.',
  'unsafe-environment': 'Leave these variables out.',
  'guarded-place': 'Leave this file to a person, or wait for an answer.',
  'ask-always': 'Wait for the answer of a person.',
  'ask-off': 'Use a command that a rule allows, or ask a person to add a rule.',
  'sandbox-unasked': '',
  'not-kept': unkeptHint,
  'project-edit': '',
  'node-decides': '',
};

function firstWhy({ matches }: VerdictFacts, effect: StageMatch['effect']): string {
  return (
    matches.find((match) => match.effect === effect)?.why ?? 'No program was found in the command.'
  );
}

/** What a person wrote beside the rule that denies, for whoever is denied; empty where nothing. */
function denyingNote({ matches }: VerdictFacts): string {
  return matches.find(({ effect }) => effect === 'deny')?.rule?.note?.trim() ?? '';
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

function guardedSentence({ guarded }: VerdictFacts): string {
  const [first] = guarded;
  if (first === undefined) return 'It reaches a place that no rule names.';
  const { use, placement } = first;
  const more = guarded.length > 1 ? `, and ${String(guarded.length - 1)} more like it` : '';
  const verb = use === 'write' ? 'changes' : 'reads';
  return `It ${verb} ${placement.path}, which ${placement.reason}${more}. Only a rule that names it allows that.`;
}

/**
 * What policy alone says about a request, before anybody is asked. Deny rules win over ask rules,
 * those over allow rules, and both hold under `full` too. Only a plan of which every stage is
 * covered is allowed by rules; nothing opaque ever is. With the host `auto` what no rule holds back,
 * and what needs no more than a sandbox gives, is allowed there.
 */
export function decide(input: DecideInput): Verdict {
  return input.host === 'auto' ? settle(input, decideOn) : decideOn(input);
}

function decideOn(input: DecideInput): Verdict {
  const { policy, analysis } = input;
  const risk = assess(analysis, input.request, { home: input.home });
  const rules = ruleSetOf(policy.rules, input);
  const context: MatchContext = {
    kind: input.kind ?? 'exec',
    host: input.host,
    now: input.now,
    hashFile: input.hashFile,
    riskLevel: () => risk.level,
  };
  const stages = analysis.ok ? analysis.plan.stages : analysis.stages;
  const matches = stages.map((stage, index) => matchStage(stage, index, rules, context));
  const guarded = unnamedUses(analysis, matches);
  const seen: Seen = { stages, matches, guarded, holdsBack: rules.holdsBack };
  const finding = findingOf(input, seen);
  const covered = uncovered(input, seen) === null;
  const decision = decisionOf(finding, policy);
  const reason = decision === 'deny' && finding.wants === 'ask' ? 'ask-off' : finding.reason;
  const facts = { input, stages, matches, guarded, missed: finding.reason };
  return {
    decision,
    reason,
    host: input.host,
    ...words(reason, decision, facts),
    policy,
    analysis,
    matches,
    risk,
    covered,
    guarded,
  };
}

/**
 * What stages that no allow rule covers do in guarded places, the gravest first. Where something runs
 * later, recipes of the project among it, is left to the rules: who lets everything run lets that.
 */
function unnamedUses(analysis: Analysis, matches: readonly StageMatch[]): readonly GuardedUse[] {
  const uses = analysis.ok
    ? analysis.plan.stages.flatMap((stage, index) =>
        matches[index]?.effect === 'allow' ? [] : stage.guarded,
      )
    : [...analysis.stages.flatMap(({ guarded }) => guarded), ...analysis.guarded];
  const held = uses.filter(
    ({ placement: { place } }) => place !== 'runs-later' && place !== 'project',
  );
  const rank = ({ use, placement }: GuardedUse): number =>
    (placement.disarms ? 0 : 2) + (use === 'write' ? 0 : 1);
  return held.length < 2 ? held : held.toSorted((one, other) => rank(one) - rank(other));
}

interface Finding {
  readonly wants: 'allow' | 'ask' | 'deny';
  readonly reason: VerdictReason;
}

function decisionOf(
  { wants, reason }: Finding,
  { ask, deniesMisses = false }: EffectivePolicy,
): Verdict['decision'] {
  const isOff = ask === 'off' || (deniesMisses && reason !== 'ask-always');
  return wants === 'ask' && isOff ? 'deny' : wants;
}

interface Seen {
  readonly stages: readonly Stage[];
  readonly matches: readonly StageMatch[];
  readonly guarded: readonly GuardedUse[];
  readonly holdsBack: boolean;
}

function findingOf(input: DecideInput, seen: Seen): Finding {
  const { policy, analysis } = input;
  if ((input.barred ?? null) !== null) return { wants: 'deny', reason: 'trust-level' };
  if (policy.security === 'deny') return { wants: 'deny', reason: 'security-deny' };
  if (has(seen, 'deny')) return { wants: 'deny', reason: 'rule-deny' };
  // What would run there is known there alone: here a rule may only hold back.
  if (input.host === 'node' && !has(seen, 'ask')) return { wants: 'allow', reason: 'node-decides' };
  const held = policy.security === 'full' ? heldUnderFull(input, seen) : uncovered(input, seen);
  if (held !== null) return { wants: 'ask', reason: held };
  if (policy.ask === 'always') return { wants: 'ask', reason: 'ask-always' };
  // `allowlist` never comes here with an opaque command; what is left was covered stage by stage.
  const byRules = policy.security === 'allowlist' && analysis.ok;
  return { wants: 'allow', reason: byRules ? 'rule-allow' : 'security-full' };
}

/** Under `full` an ask rule holds back, a guarded place, or a command in which a denied program could hide. */
function heldUnderFull({ analysis }: DecideInput, seen: Seen): VerdictReason | null {
  if (has(seen, 'ask')) return 'rule-ask';
  if (seen.guarded.length > 0) return 'guarded-place';
  return !analysis.ok && seen.holdsBack ? 'opaque' : null;
}

function uncovered(input: DecideInput, seen: Seen): VerdictReason | null {
  const { analysis } = input;
  if (has(seen, 'ask')) return 'rule-ask';
  if (!analysis.ok)
    return analysis.reason === 'unsafe-environment' ? 'unsafe-environment' : 'opaque';
  if (unsafeNames(input, seen.stages).length > 0) return 'unsafe-environment';
  if (seen.stages.length > 0 && seen.matches.every(({ effect }) => effect === 'allow')) return null;
  if (seen.guarded.length > 0) return 'guarded-place';
  return seen.stages.some(({ trust }) => trust.level === 'never') ? 'never-trusted' : 'no-rule';
}

function has({ matches }: Seen, effect: 'deny' | 'ask'): boolean {
  return matches.some((match) => match.effect === effect);
}

/** What a policy makes of an ask that nobody can answer. */
export interface Fallback {
  readonly decision: 'allow' | 'deny';
  readonly message: string;
}

/**
 * What `askFallback` decides when a verdict says `ask` and no approver can be reached: `deny`
 * refuses; `allowlist` runs what rules cover in full; `full` runs all that no rule holds back, so not
 * what a rule wants asked, and nothing in which a denied program could hide.
 */
export function fallBack(verdict: Verdict): Fallback {
  if (verdict.decision !== 'ask') {
    return { decision: verdict.decision, message: verdict.message };
  }
  if (verdict.guarded.length > 0) return denied('it reaches a place that no rule names');
  if (presenceOf(verdict) === 'passkey') return denied('the policy wants a passkey for it');
  const { askFallback } = verdict.policy;
  if (askFallback === 'deny') return denied('the policy then denies');
  const held = verdict.matches.some(({ effect }) => effect === 'deny' || effect === 'ask');
  if (held) return denied('a rule wants a person to be asked');
  if (askFallback === 'allowlist') {
    return verdict.covered ? allowed('rules allow it') : denied('no rule allows it');
  }
  const holdsBack = verdict.policy.rules.some(
    ({ effect }) => effect === 'deny' || effect === 'ask',
  );
  if (!verdict.analysis.ok && holdsBack) return denied('a denied program could hide in it');
  return allowed('the policy then allows');
}

function denied(why: string): Fallback {
  return { decision: 'deny', message: `Nobody can be asked, and ${why}.` };
}

function allowed(why: string): Fallback {
  return { decision: 'allow', message: `Nobody can be asked, and ${why}.` };
}

type Asked = Pick<Verdict, 'policy' | 'risk' | 'matches'>;

/** How many different people have to allow what is asked about: the most that risk and rules want. */
export function approversOf({ policy, risk, matches }: Asked): number {
  const wanted = matches.map(({ rule, effect }) => (effect === 'ask' ? rule?.approvers : 1) ?? 1);
  return Math.max(1, policy.approvers?.[risk.level] ?? 1, ...wanted);
}

/**
 * What it takes to allow what is asked about: the strictest that the policy says for its risk and a
 * rule that asks; where two people are wanted a passkey, as nothing else tells one from the other.
 * Null where none says anything.
 */
export function presenceOf(verdict: Asked): Presence | null {
  const { policy, risk, matches } = verdict;
  if (approversOf(verdict) > 1) return 'passkey';
  const wanted = [
    policy.presence?.[risk.level],
    ...matches.map(({ rule, effect }) => (effect === 'ask' ? rule?.presence : undefined)),
  ];
  return presenceModes.find((mode) => wanted.includes(mode)) ?? null;
}
