import { closeSync, fsyncSync, openSync, renameSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import type { HomePaths } from '../home/paths.ts';
import { readyLockPath } from './ready.ts';
import { writeLockoutState } from './write.ts';
import type { LockoutState } from './types.ts';

/** How a lock came onto the disk, from the best way to the last. */
export type LockStored = 'written' | 'ready' | 'removed';

/**
 * Brings a lock onto the disk by whatever still works: written with its reason, else the one that
 * lies ready, else no file at all, since missing means locked. Throws the first error when even that
 * fails.
 */
export function closeLock(
  paths: Pick<HomePaths, 'lockout'>,
  state: Omit<LockoutState, 'version' | 'locked'>,
): LockStored {
  try {
    writeLockoutState(paths, { locked: true, ...state });
    return 'written';
  } catch (error) {
    if (tried(() => renameSync(readyLockPath(paths), paths.lockout), paths)) return 'ready';
    if (tried(() => unlinkSync(paths.lockout), paths)) return 'removed';
    throw error;
  }
}

function tried(work: () => void, { lockout }: Pick<HomePaths, 'lockout'>): boolean {
  try {
    work();
  } catch {
    return false;
  }
  try {
    const directory = openSync(dirname(lockout), 'r');
    try {
      fsyncSync(directory);
    } finally {
      closeSync(directory);
    }
  } catch {
    // In place for every process that looks; whether it outlives a power cut is the disk's to say.
  }
  return true;
}
