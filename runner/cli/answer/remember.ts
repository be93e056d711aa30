import { grantDurations } from '../../../shared/ask/types.ts';
import type { Ask, GrantDuration, Remember } from '../../../shared/ask/types.ts';
import { CliError } from '../failure.ts';

export interface RememberOptions {
  /** One of the scopes that the ask offers. */
  readonly always?: string;
  /** One of the grant durations. */
  readonly for?: string;
}

/** What `--always` and `--for` ask to be remembered, or null for this once. Throws when it is not on offer. */
export function rememberOf(ask: Ask, options: RememberOptions): Remember | null {
  const duration = durationOf(ask, options);
  if (duration === null) return null;
  const scope = options.always ?? 'exact';
  const proposal = ask.proposals.find((candidate) => candidate.scope === scope);
  if (proposal === undefined)
    throw new CliError(
      ask.proposals.length === 0
        ? 'This command cannot be allowed for longer than once.'
        : `"${scope}" is not on offer for this command.`,
      ask.proposals.length === 0
        ? 'Leave --always and --for away to allow it this once.'
        : `On offer: ${ask.proposals.map((offer) => offer.scope).join(', ')}.`,
    );
  return { duration, proposalId: proposal.id };
}

function durationOf(ask: Ask, options: RememberOptions): Remember['duration'] | null {
  if (options.for === undefined && options.always === undefined) return null;
  const wanted = grantDurations.find(
    (word): word is GrantDuration => word === (options.for ?? 'always'),
  );
  if (wanted === 'once') return null;
  if (wanted === undefined || !ask.durations.includes(wanted))
    throw new CliError(
      `This command cannot be allowed for "${options.for ?? 'always'}".`,
      `Possible here: ${ask.durations.join(', ')}.`,
    );
  return wanted;
}
