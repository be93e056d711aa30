import type { WithdrawReason } from '../../shared/ask/types.ts';
import type { MissedAsk, QueuedAsk } from '../bridge/types.ts';

/** The asks that wait, and those that ended without an answer. Changed only by `reduceQueue`. */
export interface QueueState {
  /** Oldest first. */
  readonly waiting: readonly QueuedAsk[];
  /** Newest first, at most `missedLimit`. */
  readonly missed: readonly MissedAsk[];
}

export type QueueEvent =
  | { readonly type: 'asked'; readonly queued: QueuedAsk }
  | { readonly type: 'answered'; readonly id: string }
  | {
      readonly type: 'withdrawn';
      readonly id: string;
      readonly reason: WithdrawReason;
      readonly at: number;
    };

export const missedLimit = 200;

export const emptyQueue: QueueState = { waiting: [], missed: [] };

/**
 * The queue after an event. Events for asks that do not wait change nothing and give back the very
 * same state. An id that waits already is not taken a second time: whoever asked first keeps it.
 */
export function reduceQueue(state: QueueState, event: QueueEvent): QueueState {
  if (event.type === 'asked') {
    return isWaiting(state, event.queued.ask.id)
      ? state
      : { ...state, waiting: byAge([...state.waiting, event.queued]) };
  }
  const ended = state.waiting.find(({ ask }) => ask.id === event.id);
  if (ended === undefined) return state;
  const waiting = state.waiting.filter((queued) => queued !== ended);
  if (event.type === 'answered' || event.reason === 'answered') return { ...state, waiting };
  const missed: MissedAsk = { ask: ended.ask, reason: event.reason, at: event.at };
  return { waiting, missed: [missed, ...state.missed].slice(0, missedLimit) };
}

/** Whether an ask with this id waits. */
export function isWaiting(state: QueueState, id: string): boolean {
  return state.waiting.some(({ ask }) => ask.id === id);
}

function byAge(asks: readonly QueuedAsk[]): readonly QueuedAsk[] {
  return asks.toSorted((a, b) => a.ask.createdAt - b.ask.createdAt);
}
