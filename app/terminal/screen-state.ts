import type { GrantDuration } from '../../shared/engine/index.ts';
import { attemptAnswer, choicesOf, firstChoice } from '../bridge/answering.ts';
import type { Attempt, Choices, Obstacle } from '../bridge/answering.ts';
import { confirmWord, keysCount } from '../bridge/arming.ts';
import type { Answer, AppState, ElevationEntry, HistoryEntry, QueuedAsk } from '../bridge/types.ts';

/** What the keyboard is for at the moment. */
export type Focus =
  | { readonly kind: 'queue' }
  | { readonly kind: 'note'; readonly text: string }
  /** The word is typed to allow a high risk. */
  | { readonly kind: 'confirm'; readonly text: string }
  /** The ask ended while something was being typed for it: what is still typed is ignored. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'lockout' }
  | { readonly kind: 'help' }
  | { readonly kind: 'missed' }
  /** As they were when the list was opened, so that a number stays with its session. */
  | { readonly kind: 'raised'; readonly elevated: readonly ElevationEntry[] }
  | { readonly kind: 'history'; readonly entries: readonly HistoryEntry[] }
  | {
      readonly kind: 'group';
      /** As they were when the list was opened. */
      readonly asks: readonly QueuedAsk[];
      readonly allowTogether: boolean;
      readonly openedAt: number;
      /** What has been typed of the word that allows them all; null before that. */
      readonly typed: string | null;
    };

/** Everything the terminal shows. Changed only by `reduceScreen`. Times are of one clock. */
export interface ScreenState {
  readonly app: AppState | null;
  readonly receivedAt: number;
  /** The ask in view, by id; null while none waits. */
  readonly shown: string | null;
  readonly shownAt: number;
  readonly focusedAt: number;
  /** When another ask took the place of one that left by itself. */
  readonly replacedAt: number | null;
  readonly focus: Focus;
  readonly duration: GrantDuration | null;
  /** Which width was chosen; null: the suggested one. */
  readonly proposal: number | null;
  /** The answer to the ask in view is to hold for every agent. */
  readonly everyAgent: boolean;
  /** Goes with the next answer to the ask in view. */
  readonly note: string;
  /** First row of the prompt's text that is in view. */
  readonly scroll: number;
  readonly message: Message | null;
}

/** A sentence below the prompt. It may hold text from outside. */
export interface Message {
  readonly text: string;
  readonly tone: 'good' | 'caution' | 'danger';
}

/** What to do after a change of the screen. */
export type Effect =
  | { readonly type: 'answer'; readonly answer: Answer }
  | {
      readonly type: 'answers';
      readonly decision: 'deny' | 'allow-once';
      readonly answers: readonly Answer[];
    }
  | { readonly type: 'history' }
  | { readonly type: 'lower'; readonly id: string }
  | { readonly type: 'lockout' }
  | { readonly type: 'quit' };

export interface Step {
  readonly state: ScreenState;
  readonly effect: Effect | null;
}

/** The screen before the first state came. */
export function firstScreen(now: number): ScreenState {
  return {
    app: null,
    receivedAt: now,
    shown: null,
    shownAt: now,
    focusedAt: now,
    replacedAt: null,
    focus: { kind: 'queue' },
    duration: null,
    proposal: null,
    everyAgent: false,
    note: '',
    scroll: 0,
    message: null,
  };
}

/** The ask in view. */
export function shownAsk({ app, shown }: ScreenState): QueuedAsk | null {
  return app?.queue.find(({ ask }) => ask.id === shown) ?? null;
}

/** Shown where a duration or a scope is not offered. */
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

/** What "remember" would send: as the sentence in view says, as wide and as long as in the page. */
export function chosen(
  state: ScreenState,
): Pick<Attempt, 'duration' | 'proposalId' | 'everyAgent'> {
  const shown = shownAsk(state);
  const choices = shown === null ? null : choicesOf(shown);
  const durations = choices?.durations ?? [];
  const usual = durations.find((one) => one === 'always') ?? durations[0];
  const duration = state.duration ?? usual;
  const proposal = choices === null ? null : choices.proposals[widthOf(state, choices)];
  return {
    ...(duration !== undefined && { duration }),
    ...(proposal !== undefined && proposal !== null && { proposalId: proposal.id }),
    everyAgent: state.everyAgent && choices?.everyAgent === true && duration === 'always',
  };
}

/** Where the chosen width stands among those that are offered. */
export function widthOf({ proposal }: ScreenState, choices: Pick<Choices, 'proposals'>): number {
  const first = firstChoice(choices);
  return (
    proposal ??
    Math.max(
      0,
      choices.proposals.findIndex(({ id }) => id === first?.id),
    )
  );
}

function stay(state: ScreenState): Step {
  return { state, effect: null };
}
