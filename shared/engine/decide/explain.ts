import type { Proposal } from '../ask.ts';
import type { Rule } from '../policy/types.ts';
import { propose, withRules } from '../proposals/propose.ts';
import type { PastCommand } from '../proposals/propose.ts';
import { decide, fallBack } from './decide.ts';
import type { Fallback } from './decide.ts';
import type { DecideInput, Verdict, VerdictReason } from './types.ts';

const wins = 'Another rule holds it back, and that one wins over any rule that allows.';
const allowed = 'It is allowed already, so it needs no rule.';
const tooWide = 'A rule for this program would allow more than this command.';

const sentences: Readonly<Record<VerdictReason, string>> = {
  'rule-allow': allowed,
  'security-full': allowed,
  'rule-deny': wins,
  'rule-ask': wins,
  opaque: 'What it would run cannot be told before it runs, so no rule can cover it.',
  'unsafe-environment':
    'It sets a variable that can change what its programs do, so no rule can cover it.',
  'never-trusted': 'It runs other programs or code that a rule cannot see.',
  'guarded-place':
    'It reaches a file that steers what runs later, or that is secret: each time is asked about.',
  'trust-level': 'Whoever asks is not trusted with it, and no rule changes that.',
  'security-deny': 'This agent may run nothing. Change its security first.',
  'ask-always': 'The rules allow it; a person is asked because the policy says "ask always".',
  'ask-off': tooWide,
  'no-rule': tooWide,
  'sandbox-unasked': 'It runs in the sandbox without being asked about, so it needs no rule.',
  'not-kept': 'What it changes could not be taken back, which no rule mends.',
  'project-edit': allowed,
  'node-decides': 'The node it is for decides, and has rules of its own.',
};

/** Why no rule is offered for what was decided so, as a sentence. */
export function whyNoRule({ risk, reason }: Pick<Verdict, 'risk' | 'reason'>): string {
  if (risk.level === 'high')
    return 'It can do great harm, so it is asked about each time and no rule is made of it.';
  return sentences[reason];
}

/** What would happen to a command, and what would change that. */
export interface Explanation {
  readonly verdict: Verdict;
  /** What happens when nobody can be asked; null where nobody would be. */
  readonly fallback: Fallback | null;
  /** The rule that decides, where a single one does: the first that denies or asks. */
  readonly deciding: Rule | null;
  /** Rules to add so that the command runs unasked, from narrow to wide. */
  readonly toAllow: readonly Proposal[];
  /** Why there are none, as a sentence; null where there are. */
  readonly whyNone: string | null;
}

/** "Which rule would decide this, and what would I have to add?" */
export function explain(input: DecideInput, past: readonly PastCommand[] = []): Explanation {
  const verdict = decide(input);
  const toAllow = propose(input, verdict, past);
  return {
    verdict,
    fallback: verdict.decision === 'ask' ? fallBack(verdict) : null,
    deciding: decidingRule(verdict),
    toAllow,
    whyNone: toAllow.length > 0 ? null : whyNoRule(verdict),
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
