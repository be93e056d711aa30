import { RunnerUnreachableError } from '../../../shared/node/runner-client/unreachable.ts';
import { refusalOf, refuse } from '../../../shared/refusal/refusal.ts';
import type { Refusal } from '../../../shared/refusal/refusal.ts';

/** A yes with what it brings, or a no with its reason. */
export type Answer<T> =
  | { readonly kind: 'allowed'; readonly value: T }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/**
 * The answer of the gate. Whatever goes wrong on the way is a refusal: an agent's host that got no
 * clear yes must not go on.
 */
export async function answerOf<T>(asking: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { kind: 'allowed', value: await asking() };
  } catch (error) {
    return { kind: 'refused', refusal: refusalFor(error) };
  }
}

/** The refusal that an error stands for. */
export function refusalFor(error: unknown): Refusal {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return refusal;
  if (error instanceof RunnerUnreachableError)
    return refuse('host-unavailable', error.message, error.hint).refusal;
  return refuse(
    'host-unavailable',
    'Interlock could not ask its gate, so nothing was allowed.',
    'Have a person run "interlock doctor".',
  ).refusal;
}

/** A refusal as one text for an agent: code, sentence, and what to do instead. */
export function refusalText({ code, message, hint }: Refusal): string {
  return hint === '' ? `${code}: ${message}` : `${code}: ${message}\n${hint}`;
}
