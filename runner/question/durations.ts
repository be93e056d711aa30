import type { GrantDuration, Proposal } from '../../shared/ask/types.ts';
import type { Verdict } from '../../shared/verdict/types.ts';

/** The proposal that covers nothing but the very command of the ask. */
export const sameCommandId = 'same-command';

/**
 * Ways to say yes for longer. A command that no rule may cover can still be granted as it is, for a
 * while; a risky one, or one that has to be asked about each time, can not.
 */
export function proposalsFor(verdict: Verdict, proposed: readonly Proposal[]): readonly Proposal[] {
  if (!mayLast(verdict)) return [];
  if (proposed.length > 0) return proposed;
  return [
    {
      id: sameCommandId,
      scope: 'exact',
      sentence: 'Exactly this command, in this directory, while nothing that it runs has changed.',
      rules: [],
      pastCommands: [],
    },
  ];
}

/** The durations that fit the proposals: `always` needs rules, a session grant a session. */
export function durationsFor(
  verdict: Verdict,
  proposals: readonly Proposal[],
  session: string | null,
): readonly GrantDuration[] {
  if (proposals.length === 0) return ['once'];
  const lasting = proposals.some(({ rules }) => rules.length > 0) && verdict.reason === 'no-rule';
  return [
    'once',
    '15-minutes',
    ...(session === null ? [] : (['session'] as const)),
    'until-restart',
    ...(lasting ? (['always'] as const) : []),
  ];
}

function mayLast({ reason, risk, policy }: Verdict): boolean {
  if (risk.level === 'high' || policy.ask === 'always') return false;
  return reason === 'no-rule' || reason === 'opaque' || reason === 'never-trusted';
}
