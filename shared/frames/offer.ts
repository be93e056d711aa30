import type { Ask, Decision } from '../ask/types.ts';

/**
 * Whether an ask offered what a decision picks. "Once" and "deny" always are. "Always" without
 * anything to remember is left to the runner, where the ask offers more than "once" at all.
 */
export function isOffered(
  ask: Pick<Ask, 'durations' | 'proposals'>,
  decision: Pick<Decision, 'decision' | 'remember'>,
): boolean {
  if (decision.decision !== 'allow-always') return true;
  const { remember } = decision;
  if (remember === undefined) return ask.durations.some((duration) => duration !== 'once');
  return (
    ask.durations.includes(remember.duration) &&
    ask.proposals.some((proposal) => proposal.id === remember.proposalId)
  );
}
