import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { HookCommand } from '../../shared/adapters/hook-command.ts';
import type { HookAnswer } from '../../shared/adapters/types.ts';
import { homePaths } from '../../shared/node/home/paths.ts';
import { readKeyFile } from '../../shared/node/signed-request/key-file.ts';
import { refusalOf } from '../../shared/refusal/refusal.ts';
import { callRunner } from './call.ts';
import { doubt, refused } from './doubt.ts';
import { readInput } from './input.ts';
import { answerOf } from './response.ts';

/** What stands in the line that the host starts. */
export type HookOptions = Pick<HookCommand, 'host' | 'agent' | 'home' | 'wait'>;

export interface Surroundings {
  readonly stdin: Readable;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Hands what the host wrote to the gate, and back what the gate says. Throws on any doubt. */
export async function askGate(
  { host, agent, home }: HookOptions,
  { stdin, env }: Surroundings,
): Promise<HookAnswer> {
  const paths = homePaths(home === null ? env : { INTERLOCK_HOME: home });
  const key = keyOf(agent, paths.agentKeysDirectory);
  const { bytes, value } = await readInput(stdin);
  const path = `/v1/hooks/${host}?agent=${agent}`;
  const signature =
    key === null
      ? {}
      : (await import('./sign.ts')).signatureOf(agent, key, { method: 'POST', path, body: value });
  return answerOf(
    await callRunner({ socketPath: paths.runnerSocket, path, body: bytes, signature }),
  );
}

/** The agent's key, null where it has none. One that is there and cannot be used is a doubt. */
function keyOf(agent: string, directory: string): Uint8Array | null {
  if (!/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(agent))
    throw doubt('the name of the agent in the hook is not one', 'Run "interlock install" again.');
  try {
    return readKeyFile(join(directory, `${agent}.key`), process.geteuid?.() ?? -1);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    throw refused(refusal);
  }
}
