import { attemptAnswer, choicesOf } from '../bridge/answering.ts';
import type { Attempt, Obstacle } from '../bridge/answering.ts';
import { confirmWord, keysCount } from '../bridge/arming.ts';
import { shownAsk } from './screen-state.ts';
import type { Message, ScreenState, Step } from './screen-state.ts';

/** Said where a duration or a scope is not on offer. */
export const notOffered = 'This cannot be remembered. Allow it once, or deny it.';

const obstacles: Readonly<Record<Obstacle, string>> = {
  gone: 'This request is gone.',
  'not-armed': 'Too fast: read it, then press again.',
  'needs-step-up': `Type "${confirmWord}" to allow this.`,
  'not-offered': notOffered,
};

/** Sends an answer to the ask in view, or says why not. */
export function answered(
  state: ScreenState,
  attempt: Omit<Attempt, 'shown' | 'note'>,
  now: number,
): Step {
  const shown = shownAsk(state);
  if (shown === null) return stay(state);
  if (!keysCount(state.replacedAt, now)) {
    return stay(saying(state, 'The request changed: look at it first.', 'caution'));
  }
  const outcome = attemptAnswer(
    { ...attempt, shown, ...(state.note !== '' && { note: state.note }) },
    { queue: state.app?.queue ?? [], exposure: state, now, pace: state.app?.pace },
  );
  if (outcome.send) return { state, effect: { type: 'answer', answer: outcome.answer } };
  if (outcome.because === 'needs-step-up') {
    return stay({ ...state, focus: { kind: 'confirm', text: '' }, message: null });
  }
  return stay(saying(state, obstacles[outcome.because], 'caution'));
}

/** The screen with a sentence below the prompt. */
export function saying(state: ScreenState, text: string, tone: Message['tone']): ScreenState {
  return { ...state, message: { text, tone } };
}

/** What "remember" would send: the chosen scope and duration, or the narrowest of both. */
export function chosen(state: ScreenState): Pick<Attempt, 'duration' | 'proposalId'> {
  const shown = shownAsk(state);
  const choices = shown === null ? null : choicesOf(shown);
  const duration = state.duration ?? choices?.durations[0];
  const proposal = choices?.proposals[state.proposal];
  return {
    ...(duration !== undefined && { duration }),
    ...(proposal !== undefined && { proposalId: proposal.id }),
  };
}

function stay(state: ScreenState): Step {
  return { state, effect: null };
}
