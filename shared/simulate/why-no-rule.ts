import type { Verdict, VerdictReason } from '../verdict/types.ts';

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
  'security-deny': 'This agent may run nothing. Change its security first.',
  'ask-always': 'The rules allow it; a person is asked because the policy says "ask always".',
  'ask-off': tooWide,
  'no-rule': tooWide,
};

/** Why no rule is proposed for a command, as a sentence. */
export function whyNoRule({ risk, reason }: Pick<Verdict, 'risk' | 'reason'>): string {
  if (risk.level === 'high')
    return 'It can do great harm, so it is asked about each time and no rule is made of it.';
  return sentences[reason];
}
