import { choicesOf } from '../bridge/answering.ts';
import type { Answer, QueuedAsk } from '../bridge/types.ts';

/**
 * Whether an answer is among those that its ask offers. Checked here too, because a page may be
 * old or wrong, and the runner ends the session of an approver that answers what was not offered.
 */
export function offers(queued: QueuedAsk, answer: Answer): boolean {
  if (answer.decision !== 'allow-always') return answer.remember === undefined;
  const choices = choicesOf(queued);
  return (
    answer.remember !== undefined &&
    choices.durations.includes(answer.remember.duration) &&
    choices.proposals.some(({ id }) => id === answer.remember?.proposalId)
  );
}
