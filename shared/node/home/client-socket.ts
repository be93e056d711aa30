import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { HomePaths } from './paths.ts';

/** Where a runner with a user of its own has its door for others. */
export const machineSocket = '/run/interlock/runner.sock';

/**
 * The socket of the runner that this user's commands go to: the one that `INTERLOCK_SOCKET` names,
 * else the home's own, else, where this user has set up no home and has named none, the machine's.
 */
export function clientSocket(
  env: Readonly<Record<string, string | undefined>>,
  paths: Pick<HomePaths, 'config' | 'runnerSocket'>,
  machine: string = machineSocket,
): string {
  const { INTERLOCK_SOCKET: named = '', INTERLOCK_HOME: home = '' } = env;
  if (named !== '') return resolve(named);
  if (home !== '' || existsSync(paths.config)) return paths.runnerSocket;
  return existsSync(machine) ? machine : paths.runnerSocket;
}
