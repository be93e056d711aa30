import type { RunnerClient } from '../runner-client/types.ts';
import { closeLock } from '../stop-state/close.ts';
import { lockOutAlone } from './alone.ts';
import type { LockOutAloneOptions } from './alone.ts';
import type { LockoutReport } from './types.ts';

export interface LockOutOptions extends LockOutAloneOptions {
  readonly runner: Pick<RunnerClient, 'lockout'>;
}

/** How long a runner may take to stop everything before it is done without it, in milliseconds. */
export const lockoutTimeoutMs = 15_000;

/** A runner that hangs must not keep the lock open for longer than this, in milliseconds. */
const patienceMs = 750;

/**
 * Locks everything out, whatever state the parts are in. A runner that answers does it and counts;
 * when it hesitates the lock is closed without it, and when it does not answer or fails, all that
 * it would have done is done here. Throws only when the lock could not be closed in any way.
 */
export async function lockOut(options: LockOutOptions): Promise<LockoutReport> {
  const { runner, paths, clock, reason, by } = options;
  const cancel = clock.after(patienceMs, () => {
    try {
      closeLock(paths, { reason, at: clock.now(), by });
    } catch {
      // The runner may still manage; if not, this is tried again below and told.
    }
  });
  try {
    return await lockOutThrough(runner, reason);
  } catch {
    return await lockOutAlone(options);
  } finally {
    cancel();
  }
}

/** The same by the runner alone: for who cannot reach its files. Rejects where it does not answer. */
export async function lockOutThrough(
  runner: Pick<RunnerClient, 'lockout'>,
  reason: string | null,
): Promise<LockoutReport> {
  const done = await runner.lockout(reason ?? undefined);
  const { stopped, withdrawn, keysRotated, tokenRotated = false, left = 0 } = done;
  return {
    stopped,
    withdrawn,
    keysRotated,
    tokenRotated,
    left,
    runnerReached: true,
    stored: 'written',
    problems: done.problems ?? [],
  };
}
