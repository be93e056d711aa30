import { attemptAnswer } from '../../bridge/answering.ts';
import { keysCount } from '../../bridge/arming.ts';
import type { Pace } from '../../bridge/arming.ts';
import { noticeOf } from '../../bridge/notice.ts';
import type { Answer, QueuedAsk } from '../../bridge/types.ts';

/** A notification that stands. Times are those of one clock. */
export interface Standing {
  readonly queued: QueuedAsk;
  readonly shownAt: number;
}

interface Situation {
  readonly queue: readonly QueuedAsk[];
  readonly now: number;
  readonly pace: Pace | undefined;
  /** When a notification went away by itself last, or null: those below it moved up. */
  readonly movedAt: number | null;
}

/** What a press on a notification comes to: an answer, or a look at the ask. */
type Pressed =
  | { readonly type: 'answer'; readonly answer: Answer }
  | { readonly type: 'show' }
  | { readonly type: 'nothing' };

/**
 * What a press means. A notification allows nothing that its prompt would not: not before it stood for
 * as long as arming takes, not just after another one went away beside it, not what is not offered on it,
 * and only the very ask that it showed. A press that does not count shows the ask.
 */
export function pressed(standing: Standing, action: string, situation: Situation): Pressed {
  const { queued, shownAt } = standing;
  const { choices } = noticeOf(queued);
  const choice = choices.find((each) => each === action);
  if (choice === undefined || choice === 'show') return { type: 'show' };
  if (!keysCount(situation.movedAt, situation.now)) return { type: 'show' };
  const attempt = attemptAnswer(
    { shown: queued, decision: choice, confirmed: false },
    {
      queue: situation.queue,
      exposure: { shownAt, focusedAt: shownAt },
      now: situation.now,
      pace: situation.pace,
    },
  );
  if (attempt.send) return { type: 'answer', answer: attempt.answer };
  return attempt.because === 'gone' ? { type: 'nothing' } : { type: 'show' };
}
