import { choiceOf, offerOf } from '../../shared/engine/index.ts';
import type { GrantDuration, Proposal } from '../../shared/engine/index.ts';
import { isArmed, needsStepUp } from './arming.ts';
import type { Exposure, Pace } from './arming.ts';
import type { Answer, QueuedAsk } from './types.ts';

/** What a person may answer to one ask. Deny is always possible. */
export interface Choices {
  readonly remember: boolean;
  /** Durations other than `once`, in the order of their keys; empty when nothing can be remembered. */
  readonly durations: readonly Exclude<GrantDuration, 'once'>[];
  readonly proposals: readonly Proposal[];
  readonly stepUp: boolean;
}

/** The answers that an ask takes. */
export function choicesOf({ ask }: QueuedAsk): Choices {
  const { durations, proposals } = offerOf(ask);
  return { remember: durations.length > 0, durations, proposals, stepUp: needsStepUp(ask) };
}

/**
 * Whether an answer is among those that its ask offers. A page says what is to be remembered: it has
 * shown the choices.
 */
export function offers({ ask }: QueuedAsk, answer: Pick<Answer, 'decision' | 'remember'>): boolean {
  if (answer.decision === 'allow-always' && answer.remember === undefined) return false;
  return choiceOf(ask, answer) !== null;
}

/** An attempt to answer one ask on one surface. `shown` is the ask that was in view. */
export interface Attempt {
  readonly shown: QueuedAsk;
  readonly decision: Answer['decision'];
  /** Chosen by the person; `once` when nothing is to be remembered. */
  readonly duration?: GrantDuration;
  readonly proposalId?: string;
  readonly note?: string;
  /** The button was held for the full time, or the word was typed. */
  readonly confirmed: boolean;
}

/** Why an attempt does not count. Stable codes; each view has its own sentence for them. */
export type Obstacle = 'gone' | 'not-armed' | 'needs-step-up' | 'not-offered';

export type AttemptOutcome =
  | { readonly send: true; readonly answer: Answer }
  | { readonly send: false; readonly because: Obstacle };

/** Notes longer than this are refused by the host. In UTF-16 units. */
export const noteLimit = 1_000;

/**
 * The answer to send for an attempt, or why there is none. Deny always counts while the ask is
 * waiting; an allow needs an armed view, a step-up where the risk asks for one, and the very ask
 * that was in view.
 */
export function attemptAnswer(
  attempt: Attempt,
  situation: {
    readonly queue: readonly QueuedAsk[];
    readonly exposure: Exposure;
    readonly now: number;
    /** The state's `pace`. */
    readonly pace?: Pace | undefined;
  },
): AttemptOutcome {
  const { shown, decision } = attempt;
  const waiting = situation.queue.some(
    ({ ask, askDigest }) => ask.id === shown.ask.id && askDigest === shown.askDigest,
  );
  if (!waiting) return { send: false, because: 'gone' };
  const note = attempt.note?.trim().slice(0, noteLimit);
  const base = {
    id: shown.ask.id,
    askDigest: shown.askDigest,
    ...(note === undefined || note === '' ? {} : { note }),
  };
  if (decision === 'deny') return { send: true, answer: { ...base, decision } };
  if (!isArmed(situation.exposure, situation.now, situation.pace))
    return { send: false, because: 'not-armed' };
  if (decision === 'allow-once') {
    return needsStepUp(shown.ask) && !attempt.confirmed
      ? { send: false, because: 'needs-step-up' }
      : { send: true, answer: { ...base, decision } };
  }
  const { duration, proposalId } = attempt;
  if (duration === undefined || duration === 'once' || proposalId === undefined)
    return { send: false, because: 'not-offered' };
  const answer = { ...base, decision, remember: { duration, proposalId } } as const;
  return offers(shown, answer) ? { send: true, answer } : { send: false, because: 'not-offered' };
}
