import type { PermissionOption } from './schemas.ts';

/** What an agent is told about its request. */
export type Outcome =
  | { readonly outcome: { readonly outcome: 'selected'; readonly optionId: string } }
  | { readonly outcome: { readonly outcome: 'cancelled' } };

export const cancelled: Outcome = { outcome: { outcome: 'cancelled' } };

/**
 * The option for an answer: once, never always, so that the next use passes the gate again. An
 * option is only taken when its id means nothing else; without one that fits, nothing is approved.
 */
export function outcomeFor(isAllowed: boolean, options: readonly PermissionOption[]): Outcome {
  const kind = isAllowed ? 'allow_once' : 'reject_once';
  const rest = isAllowed ? outcomeFor(false, options) : cancelled;
  const option = options.find((each) => each.kind === kind);
  if (option === undefined) return rest;
  const isAmbiguous = options.some(
    (each) => each.optionId === option.optionId && each.kind !== kind,
  );
  return isAmbiguous ? rest : { outcome: { outcome: 'selected', optionId: option.optionId } };
}

/** Whether an outcome approves, whatever the gate had said. */
export function approves(outcome: Outcome, options: readonly PermissionOption[]): boolean {
  const { outcome: chosen } = outcome;
  if (chosen.outcome !== 'selected') return false;
  return options.some(
    ({ optionId, kind }) => optionId === chosen.optionId && kind === 'allow_once',
  );
}
