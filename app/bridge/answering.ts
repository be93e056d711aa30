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

/**
 * The answers that an ask takes. A high-risk or opaque ask is never remembered, whatever it
 * offers: the runner enforces the same, and a page must not promise what the runner refuses.
 */
export function choicesOf({ ask }: QueuedAsk): Choices {
  const offered = ask.durations.filter((duration) => duration !== 'once');
  const remember =
    ask.risk.level !== 'high' &&
    ask.opaque === null &&
    offered.length > 0 &&
    ask.proposals.length > 0;
  return {
    remember,
    durations: remember ? offered : [],
    proposals: remember ? ask.proposals : [],
    stepUp: needsStepUp(ask),
  };
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
export const noteLimit = 1000;

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
  const choices = choicesOf(shown);
  const duration = choices.durations.find((offered) => offered === attempt.duration);
  const proposal = choices.proposals.find(({ id }) => id === attempt.proposalId);
  if (duration === undefined || proposal === undefined) {
    return { send: false, because: 'not-offered' };
  }
  return {
    send: true,
    answer: { ...base, decision, remember: { duration, proposalId: proposal.id } },
  };
}
