import type { Proposal } from '../ask/types.ts';
import type { Rule } from '../policy/types.ts';
import { propose, withRules } from '../proposals/propose.ts';
import type { PastCommand } from '../proposals/propose.ts';
import { decide } from '../verdict/decide.ts';
import { fallBack } from '../verdict/fallback.ts';
import type { Fallback } from '../verdict/fallback.ts';
import type { DecideInput } from '../verdict/input.ts';
import type { Verdict } from '../verdict/types.ts';

/** What would happen to a command, and what would change that. */
export interface Explanation {
  readonly verdict: Verdict;
  /** What happens when nobody can be asked; null where nobody would be. */
  readonly fallback: Fallback | null;
  /** The rule that decides, where a single one does: the first that denies or asks. */
  readonly deciding: Rule | null;
  /** Rules to add so that the command runs unasked, from narrow to wide. */
  readonly toAllow: readonly Proposal[];
}

/** "Which rule would decide this, and what would I have to add?" */
export function explain(input: DecideInput, past: readonly PastCommand[] = []): Explanation {
  const verdict = decide(input);
  return {
    verdict,
    fallback: verdict.decision === 'ask' ? fallBack(verdict) : null,
    deciding: decidingRule(verdict),
    toAllow: propose(input, verdict, past),
  };
}

function decidingRule({ matches, reason }: Verdict): Rule | null {
  const effect = { 'rule-deny': 'deny', 'rule-ask': 'ask', 'rule-allow': 'allow' }[
    reason as string
  ];
  const rules = matches.filter((match) => match.effect === effect && match.rule !== null);
  if (effect === 'allow' && new Set(rules.map(({ rule }) => rule)).size > 1) return null;
  return rules[0]?.rule ?? null;
}

/** What a change of rules would have done to past commands. */
export interface Effect {
  /** Were not allowed, would be. */
  readonly nowAllowed: readonly string[];
  /** Were not denied, would be. */
  readonly nowDenied: readonly string[];
  /** Were allowed, would be asked about. */
  readonly nowAsked: readonly string[];
}

/** "Which past commands would these rules have allowed?", and for other effects denied or asked. */
export function effectOf(rules: readonly Omit<Rule, 'id'>[], past: readonly PastCommand[]): Effect {
  const changes = past.map(({ command, input }) => ({
    command,
    before: decide(input).decision,
    after: decide(withRules(input, rules)).decision,
  }));
  const became = (decision: Verdict['decision'], only: readonly string[]) => [
    ...new Set(
      changes
        .filter(({ before, after }) => after === decision && only.includes(before))
        .map(({ command }) => command),
    ),
  ];
  return {
    nowAllowed: became('allow', ['ask', 'deny']),
    nowDenied: became('deny', ['ask', 'allow']),
    nowAsked: became('ask', ['allow']),
  };
}
