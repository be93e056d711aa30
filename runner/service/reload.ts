import { defaultConfig } from '../../shared/engine/index.ts';
import type { LogLevel } from '../../shared/engine/index.ts';
import type { Log } from './log.ts';
import type { Parts } from './parts.ts';
import type { SharedAccess } from './shared-access.ts';

/**
 * What a signal asks for. SIGHUP means "look at your settings" to a service; where there is a
 * terminal it means that the terminal is gone, and so should the runner be.
 */
export function meaningOf(
  signal: 'SIGHUP' | 'SIGINT' | 'SIGTERM',
  streams: readonly { readonly isTTY?: boolean }[],
): 'stop' | 'reload' {
  const hasTerminal = streams.some(({ isTTY }) => isTTY === true);
  return signal === 'SIGHUP' && !hasTerminal ? 'reload' : 'stop';
}

interface ReloadOptions {
  readonly parts: Pick<Parts, 'config' | 'policy'>;
  readonly doors: Pick<SharedAccess, 'apply'>;
  readonly log: Log;
}

/**
 * Takes the settings up now and says whether they hold. Changed files are taken up without it; it is
 * for who wants to hear so, and for what is bound to a place: the shared socket.
 */
export async function reload({ parts, doors, log }: ReloadOptions): Promise<void> {
  const policy = parts.policy.current();
  const problems = [policy.ok ? null : policy.problem, parts.config.problem()];
  for (const problem of problems) if (problem !== null) log.error(problem.message);
  await doors.apply();
  if (problems.every((problem) => problem === null)) log.info('The settings were read again.');
}

/** How much the log tells; all of it while the settings are not valid. */
export function logLevelOf({ config }: Pick<Parts, 'config'>): LogLevel {
  const { logLevel } = (config.problem() === null ? config.current() : defaultConfig).service;
  return logLevel;
}
