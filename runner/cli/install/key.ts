import { existsSync } from 'node:fs';
import { agentKeyFile } from '../../../shared/node/agent-keys/revoke.ts';
import { openAgents, requireUnlocked, storeSentence } from '../agents/open.ts';
import type { Io } from '../io.ts';

/**
 * Sees to it that the agent has a key, so that its hook signs what it asks and nobody else can ask
 * in its name. Answers sentences about what was done; none where it has one.
 */
export async function ensureKey(io: Io, agent: string): Promise<readonly string[]> {
  const { paths, principals, store } = await openAgents(io);
  const known = principals.list().find(({ name }) => name === agent);
  const hasKey = known !== undefined && known.keyedAt !== null;
  if (hasKey && existsSync(agentKeyFile(paths.keysDirectory, agent))) return [];
  requireUnlocked(paths);
  const { keyFile } = await (known === undefined ? principals.add(agent) : principals.rekey(agent));
  return [`The agent "${agent}" has a new key in ${keyFile}`, storeSentence(store, paths)];
}

/** What is said on leaving. */
export function keyStays(agent: string): string {
  return `The key of "${agent}" stays. To take it away: interlock agents rm ${agent}`;
}
