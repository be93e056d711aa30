import type { GrantDuration } from '../../shared/ask/types.ts';
import type { Answer, AppState, HistoryEntry, QueuedAsk } from '../bridge/types.ts';

/** What the keyboard is for at the moment. */
export type Focus =
  | { readonly kind: 'queue' }
  | { readonly kind: 'note'; readonly text: string }
  /** The word is typed to allow a high risk. */
  | { readonly kind: 'confirm'; readonly text: string }
  /** The ask left while something was typed for it: what is still typed means nothing. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'lockout' }
  | { readonly kind: 'help' }
  | { readonly kind: 'missed' }
  | { readonly kind: 'history'; readonly entries: readonly HistoryEntry[] }
  | {
      readonly kind: 'group';
      /** As they were when the list was opened. */
      readonly asks: readonly QueuedAsk[];
      readonly allowTogether: boolean;
      readonly openedAt: number;
      /** What of the word was typed to allow them all; null before. */
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
  readonly proposal: number;
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

/** What is to be done after a change of the screen. */
export type Effect =
  | { readonly type: 'answer'; readonly answer: Answer }
  | {
      readonly type: 'answers';
      readonly decision: 'deny' | 'allow-once';
      readonly answers: readonly Answer[];
    }
  | { readonly type: 'history' }
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
    proposal: 0,
    note: '',
    scroll: 0,
    message: null,
  };
}

/** The ask in view. */
export function shownAsk({ app, shown }: ScreenState): QueuedAsk | null {
  return app?.queue.find(({ ask }) => ask.id === shown) ?? null;
}
