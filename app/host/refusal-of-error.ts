import { RunnerUnreachableError } from '../../shared/node/runner-client/unreachable.ts';
import { refusalOf, refuse } from '../../shared/refusal/refusal.ts';
import type { Refusal } from '../../shared/refusal/refusal.ts';

/** Every error as the refusal that a page shows. The text of an unforeseen error stays inside. */
export function refusalOfError(error: unknown): Refusal {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return refusal;
  if (error instanceof RunnerUnreachableError) {
    return refuse('host-unavailable', error.message, error.hint).refusal;
  }
  return refuse(
    'invalid-request',
    'Interlock could not do this: something went wrong that it did not expect.',
    'Nothing was changed. Look at Health, and try again.',
  ).refusal;
}
