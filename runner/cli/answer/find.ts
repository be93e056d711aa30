import type { PendingAsk } from '../../../shared/api/types.ts';
import type { RunnerClient } from '../../../shared/node/runner-client/types.ts';
import { CliError } from '../failure.ts';

/** The ask that waits under this id, or under an id that begins with it when only one does. */
export async function findAsk(
  client: Pick<RunnerClient, 'pending'>,
  id: string,
): Promise<PendingAsk> {
  const waiting = await client.pending();
  const exact = waiting.find(({ ask }) => ask.id === id);
  if (exact !== undefined) return exact;
  const alike = waiting.filter(({ ask }) => id !== '' && ask.id.startsWith(id));
  const [only, ...others] = alike;
  if (only === undefined)
    throw new CliError(
      `Nothing waits under the id "${id}".`,
      'It may have been answered or expired. "interlock pending" lists what waits.',
    );
  if (others.length > 0)
    throw new CliError(
      `"${id}" is the beginning of ${String(alike.length)} ids.`,
      'Write more of it. "interlock pending" lists what waits.',
    );
  return only;
}
