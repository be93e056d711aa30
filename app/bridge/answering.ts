import { choiceOf, needsStepUp, offerOf } from '../../shared/engine/index.ts';
import type { Ask, GrantDuration, Proposal } from '../../shared/engine/index.ts';
import { isArmed } from './arming.ts';
import type { Exposure, Pace } from './arming.ts';
import type { Answer, QueuedAsk } from './types.ts';

/** What a person may answer to one ask. Deny is always possible. */
export interface Choices {
  readonly remember: boolean;
  /** Durations other than `once`, in the order of their keys; empty when nothing can be remembered. */
  readonly durations: readonly Exclude<GrantDuration, 'once'>[];
  readonly proposals: readonly Proposal[];
  /** What a lasting "no" would write; null where a "no" is not remembered. */
  readonly never: Proposal | null;
  /** A yes for good may be given for every agent. */
  readonly everyAgent: boolean;
  readonly stepUp: boolean;
}

/** The answers that an ask takes. */
export function choicesOf({ ask }: QueuedAsk): Choices {
  const { durations, proposals } = offerOf(ask);
  const remember = durations.length > 0;
  return {
    remember,
    durations,
    proposals,
    never: ask.never ?? null,
    everyAgent: remember && ask.everyAgent === true,
    stepUp: needsStepUp(ask),
  };
}

/** Longest label in characters: a button has to hold it. */
const mostLabel = 30;

/**
 * What a proposal covers, as short as a button: `git status …`. Null where that much cannot say it.
 * It is no sentence: the proposal's own has to be in view beside it.
 */
export function labelOf({ stages }: Pick<Ask, 'stages'>, proposal: Proposal): string | null {
  const [rule] = proposal.rules;
  if (rule === undefined || proposal.rules.length > 1) return null;
  if (rule.kind === 'egress') return rule.pattern.length <= mostLabel ? rule.pattern : null;
  if (rule.kind !== undefined || rule.writes !== undefined) return null;
  const plain = (glob: string): string => glob.replaceAll(/\\(.)/g, '$1');
  const path = plain(rule.pattern);
  // A person knows it by the word they see: `npm`, not `npm-cli.js`.
  const stage = stages.find(({ resolvedPath }) => resolvedPath === path);
  const program = (stage?.argv[0] ?? path).split('/').at(-1) ?? '';
  const words = (rule.args ?? ['...']).map((token) => {
    if (token === '...') return '…';
    return typeof token === 'string' && !/(?<!\\)[*?[{]/.test(token) ? plain(token) : '*';
  });
  const label = [program, ...words].join(' ');
  // Cut short it would read as "anything further".
  return label.length <= mostLabel ? label : null;
}

/** The proposal that stands beside "allow once": the suggested one, else the narrowest. */
export function firstChoice({ proposals }: Pick<Choices, 'proposals'>): Proposal | null {
  return proposals.find(({ suggested }) => suggested === true) ?? proposals[0] ?? null;
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
  /** For every agent; without effect on what is no `always`. */
  readonly everyAgent?: boolean;
  readonly note?: string;
  /** A denial that is to hold from now on. */
  readonly never?: boolean;
  /** The button was held for the full time, or the word was typed. */
  readonly confirmed: boolean;
}

/** Why an attempt does not count. Stable codes; each view has its own sentence for them. */
export type Obstacle = 'gone' | 'not-armed' | 'needs-step-up' | 'not-offered';

type AttemptOutcome =
  | { readonly send: true; readonly answer: Answer }
  | { readonly send: false; readonly because: Obstacle };

/** Notes longer than this are refused by the host. In UTF-16 units. */
export const noteLimit = 1_000;

/**
 * The answer to send for an attempt, or why there is none. Deny always counts while the ask is
 * waiting; a denial for good needs an armed view, too, as it writes a rule; an allow needs an armed view, a step-up where the risk asks for one, and the very ask
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
  const { never } = shown.ask;
  if (decision === 'deny' && attempt.never !== true)
    return { send: true, answer: { ...base, decision } };
  if (!isArmed(situation.exposure, situation.now, situation.pace))
    return { send: false, because: 'not-armed' };
  if (decision === 'deny') {
    if (never === undefined) return { send: false, because: 'not-offered' };
    const remember = { duration: 'always', proposalId: never.id } as const;
    return { send: true, answer: { ...base, decision, remember } };
  }
  if (decision === 'allow-once') {
    return needsStepUp(shown.ask) && !attempt.confirmed
      ? { send: false, because: 'needs-step-up' }
      : { send: true, answer: { ...base, decision } };
  }
  const { duration, proposalId } = attempt;
  if (duration === undefined || duration === 'once' || proposalId === undefined)
    return { send: false, because: 'not-offered' };
  const forAll = attempt.everyAgent === true && duration === 'always';
  const remember = { duration, proposalId, ...(forAll && { everyAgent: true }) };
  const answer = { ...base, decision, remember } as const;
  return offers(shown, answer) ? { send: true, answer } : { send: false, because: 'not-offered' };
}
