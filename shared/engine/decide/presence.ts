import { presenceModes } from '../policy/types.ts';
import type { Presence } from '../policy/types.ts';
import type { Verdict } from './types.ts';

/**
 * What it takes to allow what is asked about: the strictest that the policy says for its risk and a
 * rule that asks. Null where none says anything.
 */
export function presenceOf({
  policy,
  risk,
  matches,
}: Pick<Verdict, 'policy' | 'risk' | 'matches'>): Presence | null {
  const wanted = [
    policy.presence?.[risk.level],
    ...matches.map(({ rule, effect }) => (effect === 'ask' ? rule?.presence : undefined)),
  ];
  return presenceModes.find((mode) => wanted.includes(mode)) ?? null;
}
