import type { Clock } from '../../shared/clock/types.ts';
import type { HomePaths } from '../../shared/node/home/paths.ts';
import { lockOut as lockOutHome } from '../../shared/node/lockout/lock-out.ts';
import type { LockOutOptions as HomeLockOutOptions } from '../../shared/node/lockout/lock-out.ts';
import { unlockWithPassphrase } from '../../shared/node/presence/unlock.ts';
import type { RunnerClient } from '../../shared/node/runner-client/types.ts';
import type { BridgeCalls } from '../bridge/types.ts';
import { writeTrouble } from './write-trouble.ts';

export interface LockOutOptions extends Pick<HomeLockOutOptions, 'keys' | 'processes' | 'graceMs'> {
  readonly runner: Pick<RunnerClient, 'lockout'>;
  readonly paths: HomePaths;
  readonly uid: number;
  readonly clock: Clock;
}

/**
 * Locks everything out. The runner does it when it answers; when none does, the lock is closed and
 * the rest is done from here. Throws only when nothing could be locked.
 */
export async function lockOut(
  options: LockOutOptions,
  reason: string,
): Promise<BridgeCalls['lockout']['result']> {
  try {
    const { stored: _stored, ...done } = await lockOutHome({ ...options, reason, by: 'person' });
    return done;
  } catch (error) {
    const hint = 'Nothing is locked by this. End the runner yourself: nothing runs without it.';
    throw writeTrouble(error, { path: options.paths.lockout, hint }) ?? error;
  }
}

export interface UnlockOptions {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly now: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
}

/** Opens the lock with the person's passphrase, which is kept nowhere. No runner has a say in it. */
export async function unlock(
  options: UnlockOptions,
  { passphrase }: BridgeCalls['unlock']['args'],
): Promise<Record<string, never>> {
  try {
    await unlockWithPassphrase(passphrase, { ...options, by: 'person at the app' });
    return {};
  } catch (error) {
    const hint = 'It stays locked. Make room or mend its permissions, then unlock again.';
    throw writeTrouble(error, { path: options.paths.lockout, hint }) ?? error;
  }
}
