import type { HomePaths } from '../../../shared/node/home/paths.ts';
import { runnerClient } from '../../../shared/node/runner-client/client.ts';

/** Long enough for a runner that is there, short enough for a list. */
const timeoutMs = 1_000;

/**
 * When each agent last asked for something, by the runner's history, in milliseconds since the
 * epoch. Null where it never did or no runner answers.
 */
export async function lastUses(
  names: readonly string[],
  { runnerSocket }: Pick<HomePaths, 'runnerSocket'>,
): Promise<ReadonlyMap<string, number | null>> {
  const client = runnerClient({ socketPath: runnerSocket, timeoutMs });
  const one = async (agent: string): Promise<readonly [string, number | null]> => {
    try {
      const { entries } = await client.history({ agent, offset: 0, limit: 1 });
      return [agent, entries[0]?.at ?? null];
    } catch {
      return [agent, null];
    }
  };
  return new Map(await Promise.all(names.map(one)));
}
