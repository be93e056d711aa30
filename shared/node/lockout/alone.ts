import type { Clock } from '../../clock/types.ts';
import type { HomePaths } from '../home/paths.ts';
import { createFinder } from '../running-record/find.ts';
import { stopProcesses } from '../running-record/stop.ts';
import { closeLock } from '../stop-state/close.ts';
import { keepStopNote } from '../stop-state/journal.ts';
import { commandProcesses, commandsOf } from './leftovers.ts';
import type { CommandProcesses } from './leftovers.ts';
import { homeKeys } from './rotate-keys.ts';
import type { KeyRotation } from './rotate-keys.ts';
import { paced } from './pace.ts';
import { rotateToken } from './rotate-token.ts';
import type { LockoutReport } from './types.ts';

/** Between SIGTERM and SIGKILL in a lockout, in milliseconds. */
export const lockoutGraceMs = 5_000;

export interface LockOutAloneOptions {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly clock: Clock;
  readonly reason: string | null;
  readonly by: string;
  /** For tests; found in the home and on the machine when absent. */
  readonly processes?: CommandProcesses;
  readonly keys?: KeyRotation;
  readonly graceMs?: number;
}

/**
 * A lockout without a runner: the lock first, then whatever a dead runner left behind, then token
 * and keys, then a note for the audit log. Throws only when the lock itself could not be closed.
 */
export async function lockOutAlone(options: LockOutAloneOptions): Promise<LockoutReport> {
  const { paths, uid, clock, reason, by } = options;
  const stored = closeLock(paths, { reason, at: clock.now(), by });
  const problems: string[] = [];
  const attempt = async <T>(what: string, work: () => T | Promise<T>, otherwise: T): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      return otherwise;
    }
  };

  const processes = options.processes ?? commandProcesses(paths, uid);
  const graceMs = options.graceMs ?? lockoutGraceMs;
  const commands = new Set<string>();
  const pick: CommandProcesses['pick'] = (machine) => {
    const found = processes.pick(machine);
    for (const command of commandsOf(found)) commands.add(command);
    return found;
  };
  const stopping = attempt(
    'Commands could not be stopped',
    async () =>
      stopProcesses({ find: createFinder({ look: processes.look, pick }), ...paced(graceMs) }),
    { signalled: 0, left: [] },
  );
  const token = await rotateToken(paths, uid);
  if (!token.rotated) problems.push(`The approvals token was not rotated: ${token.why}`);
  const keys = options.keys ?? homeKeys(paths, { uid, clock });
  const keysRotated = await attempt(
    'The keys of agents were not revoked',
    async () => keys.revokeAll(),
    0,
  );
  const { left } = await stopping;
  const report = {
    stopped: commands.size,
    withdrawn: 0,
    keysRotated,
    tokenRotated: token.rotated,
    left: left.length,
  };
  await attempt(
    'The lockout could not be noted for the audit log',
    () => {
      const text = `${reason ?? 'No reason was given.'} ${JSON.stringify(report)}`;
      keepStopNote(paths, { at: clock.now(), code: 'lockout', by, text }, uid);
    },
    undefined,
  );
  return { ...report, runnerReached: false, stored, problems };
}
