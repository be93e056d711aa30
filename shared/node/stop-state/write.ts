import { existsSync, mkdirSync } from 'node:fs';
import { writeFileAtomic } from '../files/atomic-write.ts';
import type { HomePaths } from '../home/paths.ts';
import { prepareReadyLock } from './ready.ts';
import type { LockoutState, PauseState } from './types.ts';

/** Writes `state/lockout.json` so that it outlives a crash once this returns. Throws when it cannot. */
export function writeLockoutState(
  paths: Pick<HomePaths, 'lockout'>,
  state: Omit<LockoutState, 'version'>,
): void {
  writeState(paths.lockout, { version: 1, ...state });
}

/** Writes `state/pause.json` in the same way. */
export function writePauseState(
  paths: Pick<HomePaths, 'pause'>,
  state: Omit<PauseState, 'version'>,
): void {
  writeState(paths.pause, { version: 1, ...state });
}

/**
 * The state that `interlock init` leaves: neither locked nor paused. Files that are there already
 * stay as they are, so that running `init` again never opens a lock.
 */
export function writeInitialStopState(paths: HomePaths, now: number): void {
  const fresh = { reason: null, at: now, by: 'init' };
  mkdirSync(paths.stateDirectory, { recursive: true, mode: 0o700 });
  prepareReadyLock(paths);
  if (!existsSync(paths.pause)) writePauseState(paths, { paused: false, ...fresh });
  if (!existsSync(paths.lockout)) writeLockoutState(paths, { locked: false, ...fresh });
}

function writeState(path: string, value: LockoutState | PauseState): void {
  writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
}
