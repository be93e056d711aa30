import type { Decision, WithdrawReason } from '../../shared/engine/index.ts';
import type { Answer, CoveredAsk, MissedAsk, QueuedAsk } from '../bridge/types.ts';

/** The asks that wait, and those that ended without an answer. Changed only by `reduceQueue`. */
export interface QueueState {
  /** Oldest first. */
  readonly waiting: readonly QueuedAsk[];
  /** Newest first, at most `missedLimit`. */
  readonly missed: readonly MissedAsk[];
  /** Allowed without an answer, by a rule or a grant that came meanwhile; newest first. */
  readonly covered: readonly CoveredAsk[];
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

/** How many of those that were covered are told. */
const coveredLimit = 50;

export const emptyQueue: QueueState = { waiting: [], missed: [], covered: [] };

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
  if (event.reason === 'covered') {
    const { id, agent, command } = ended.ask;
    const covered = { id, agent, command: command.slice(0, longestCommand), at: event.at };
    return { ...state, waiting, covered: [covered, ...state.covered].slice(0, coveredLimit) };
  }
  const missed: MissedAsk = { ask: ended.ask, reason: event.reason, at: event.at };
  return { ...state, waiting, missed: [missed, ...state.missed].slice(0, missedLimit) };
}

/** Of the command of an ask that was covered, in UTF-16 units: it is only named. */
const longestCommand = 200;

/** Whether an ask with this id waits. */
function isWaiting(state: QueueState, id: string): boolean {
  return state.waiting.some(({ ask }) => ask.id === id);
}

function byAge(asks: readonly QueuedAsk[]): readonly QueuedAsk[] {
  return asks.toSorted((a, b) => a.ask.createdAt - b.ask.createdAt);
}

/** Who asks: a runner's session, or one connection of an older client. */
export interface Asker {
  /** Delivers a person's answer; false when the asker is gone. */
  deliver(decision: Decision): boolean;
}

interface AskQueueOptions {
  readonly now: () => number;
  readonly onChange: (state: QueueState) => void;
}

/** Most asks that wait at once; one more is not taken, which the asker treats as "not allowed". */
export const waitingLimit = 500;

/** Keeps the queue and knows who gets each answer. The first answer to an ask wins. */
export interface AskQueue {
  state(): QueueState;
  /** False when the ask is not taken: its id is waiting already, or too many asks wait. */
  take(asker: Asker, queued: QueuedAsk): boolean;
  /** The asker withdraws an ask. It cannot withdraw another asker's. */
  withdraw(asker: Asker, id: string, reason: WithdrawReason): void;
  /** All asks of an asker that went away. */
  withdrawAll(asker: Asker, reason: WithdrawReason): void;
  /** True when the answer counted: the ask still waits, and it is the one that was shown. */
  answer(answer: Answer): boolean;
  /** Whether any answer counted so far. */
  answeredAny(): boolean;
}

/** An empty queue. */
export function createAskQueue({ now, onChange }: AskQueueOptions): AskQueue {
  let state = emptyQueue;
  let answeredAny = false;
  const askers = new Map<string, Asker>();

  const apply = (event: QueueEvent): void => {
    const next = reduceQueue(state, event);
    if (next === state) return;
    state = next;
    onChange(state);
  };
  const withdraw = (asker: Asker, id: string, reason: WithdrawReason): void => {
    if (askers.get(id) !== asker) return;
    askers.delete(id);
    apply({ type: 'withdrawn', id, reason, at: now() });
  };

  return {
    state: () => state,
    take: (asker, queued) => {
      if (isWaiting(state, queued.ask.id) || state.waiting.length >= waitingLimit) return false;
      askers.set(queued.ask.id, asker);
      apply({ type: 'asked', queued });
      return true;
    },
    withdraw,
    withdrawAll: (asker, reason) => {
      for (const [id, owner] of askers) if (owner === asker) withdraw(asker, id, reason);
    },
    answer: (answer) => {
      const queued = state.waiting.find(({ ask }) => ask.id === answer.id);
      const asker = askers.get(answer.id);
      if (queued === undefined || asker === undefined) return false;
      if (queued.askDigest !== answer.askDigest) return false;
      if (!asker.deliver(answer)) {
        withdraw(asker, answer.id, 'requester-gone');
        return false;
      }
      answeredAny = true;
      askers.delete(answer.id);
      apply({ type: 'answered', id: answer.id });
      return true;
    },
    answeredAny: () => answeredAny,
  };
}
