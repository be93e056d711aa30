import { refuse } from '../refusal/refusal.ts';
import type { Check } from '../schema/compile.ts';

/**
 * The checked value, or an `invalid-request` refusal: a host that speaks otherwise than its contract
 * is not understood, and what is not understood is not allowed.
 */
export function must<T>(check: Check<T>, value: unknown, host: string): T {
  const checked = check(value);
  if (checked.ok) return checked.value;
  throw refuse(
    'invalid-request',
    `${host} told its hook something that Interlock does not understand: ${checked.error}`,
    `Nothing was allowed. Bring ${host} and Interlock to versions that fit; docs/agents says which were seen to.`,
  );
}
