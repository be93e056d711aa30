import type { Decision, WithdrawReason } from '../../shared/ask/types.ts';
import type { Answer, QueuedAsk } from '../bridge/types.ts';
import { emptyQueue, isWaiting, reduceQueue } from './queue.ts';
import type { QueueEvent, QueueState } from './queue.ts';

/** Who asks: a runner's session, or one connection of an older client. */
export interface Asker {
  /** Hands a person's answer over; false when nobody is there to take it any more. */
  deliver(decision: Decision): boolean;
}

export interface AskDeskOptions {
  readonly now: () => number;
  readonly onChange: (state: QueueState) => void;
}

/** Most asks that wait at once; one more is not taken, which the asker treats as "not allowed". */
export const waitingLimit = 500;

/** Keeps the queue and knows to whom each answer goes. The first answer to an ask wins. */
export interface AskDesk {
  state(): QueueState;
  /** False when the ask is not taken: its id waits already, or too many wait. */
  take(asker: Asker, queued: QueuedAsk): boolean;
  /** The asker takes an ask back. Another asker's ask is not its to take back. */
  withdraw(asker: Asker, id: string, reason: WithdrawReason): void;
  /** All asks of an asker that went away. */
  withdrawAll(asker: Asker, reason: WithdrawReason): void;
  /** True when the answer counted: the ask still waits, and it is the one that was shown. */
  answer(answer: Answer): boolean;
  /** Whether any answer counted so far. */
  answeredAny(): boolean;
}

/** A desk with an empty queue. */
export function createAskDesk({ now, onChange }: AskDeskOptions): AskDesk {
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
