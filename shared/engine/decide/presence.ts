import { presenceModes } from '../policy/types.ts';
import type { Presence } from '../policy/types.ts';
import type { Verdict } from './types.ts';

type Asked = Pick<Verdict, 'policy' | 'risk' | 'matches'>;

/** How many different people have to allow what is asked about: the most that risk and rules want. */
export function approversOf({ policy, risk, matches }: Asked): number {
  const wanted = matches.map(({ rule, effect }) => (effect === 'ask' ? rule?.approvers : 1) ?? 1);
  return Math.max(1, policy.approvers?.[risk.level] ?? 1, ...wanted);
}

/**
 * What it takes to allow what is asked about: the strictest that the policy says for its risk and a
 * rule that asks; where two people are wanted a passkey, as nothing else tells one from the other.
 * Null where none says anything.
 */
export function presenceOf(verdict: Asked): Presence | null {
  const { policy, risk, matches } = verdict;
  if (approversOf(verdict) > 1) return 'passkey';
  const wanted = [
    policy.presence?.[risk.level],
    ...matches.map(({ rule, effect }) => (effect === 'ask' ? rule?.presence : undefined)),
  ];
  return presenceModes.find((mode) => wanted.includes(mode)) ?? null;
}
