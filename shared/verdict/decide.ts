import type { Stage } from '../analysis/types.ts';
import { assess } from '../risk/assess.ts';
import { ruleSetOf } from '../rules/rule-set.ts';
import type { MatchContext } from '../rules/touches.ts';
import { unsafeNames } from './environment.ts';
import type { DecideInput } from './input.ts';
import { matchStage } from './stage-match.ts';
import type { StageMatch, Verdict, VerdictReason } from './types.ts';
import { words } from './words.ts';

/**
 * What policy alone says about a request, before anybody is asked. Deny rules win over ask rules,
 * those over allow rules, and both hold under `full` too. Only a plan of which every stage is
 * covered is allowed by rules; nothing opaque ever is.
 */
export function decide(input: DecideInput): Verdict {
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
  const seen: Seen = { stages, matches, holdsBack: rules.holdsBack };
  const finding = findingOf(input, seen);
  const covered = uncovered(input, seen) === null;
  const decision = decisionOf(finding, policy.ask);
  const reason = decision === 'deny' && finding.wants === 'ask' ? 'ask-off' : finding.reason;
  const facts = { input, stages, matches, missed: finding.reason };
  return {
    decision,
    reason,
    ...words(reason, decision, facts),
    policy,
    analysis,
    matches,
    risk,
    covered,
  };
}

interface Finding {
  readonly wants: 'allow' | 'ask' | 'deny';
  readonly reason: VerdictReason;
}

function decisionOf({ wants }: Finding, ask: string): Verdict['decision'] {
  if (wants === 'ask' && ask === 'off') return 'deny';
  return wants;
}

interface Seen {
  readonly stages: readonly Stage[];
  readonly matches: readonly StageMatch[];
  readonly holdsBack: boolean;
}

function findingOf(input: DecideInput, seen: Seen): Finding {
  const { policy, analysis } = input;
  if (policy.security === 'deny') return { wants: 'deny', reason: 'security-deny' };
  if (has(seen, 'deny')) return { wants: 'deny', reason: 'rule-deny' };
  const held = policy.security === 'full' ? heldUnderFull(input, seen) : uncovered(input, seen);
  if (held !== null) return { wants: 'ask', reason: held };
  if (policy.ask === 'always') return { wants: 'ask', reason: 'ask-always' };
  // `allowlist` never comes here with an opaque command; what is left was covered stage by stage.
  const byRules = policy.security === 'allowlist' && analysis.ok;
  return { wants: 'allow', reason: byRules ? 'rule-allow' : 'security-full' };
}

/** Under `full` only an ask rule holds back, or a command in which a denied program could hide. */
function heldUnderFull({ analysis }: DecideInput, seen: Seen): VerdictReason | null {
  if (has(seen, 'ask')) return 'rule-ask';
  return !analysis.ok && seen.holdsBack ? 'opaque' : null;
}

function uncovered(input: DecideInput, seen: Seen): VerdictReason | null {
  const { analysis } = input;
  if (has(seen, 'ask')) return 'rule-ask';
  if (!analysis.ok)
    return analysis.reason === 'unsafe-environment' ? 'unsafe-environment' : 'opaque';
  if (unsafeNames(input, seen.stages).length > 0) return 'unsafe-environment';
  if (seen.stages.length > 0 && seen.matches.every(({ effect }) => effect === 'allow')) return null;
  return seen.stages.some(({ trust }) => trust.level === 'never') ? 'never-trusted' : 'no-rule';
}

function has({ matches }: Seen, effect: 'deny' | 'ask'): boolean {
  return matches.some((match) => match.effect === effect);
}
