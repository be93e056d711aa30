import type { HomePaths } from '../home/paths.ts';
import { keepStopNote } from './journal.ts';
import { readPauseState } from './read.ts';
import { prepareReadyLock } from './ready.ts';
import { writeLockoutState, writePauseState } from './write.ts';

export interface OpenLockOptions {
  readonly uid: number;
  readonly now: number;
  /** Who was found to be present, such as `person at a terminal`. */
  readonly by: string;
}

/**
 * Opens the lock. Whoever calls this has checked that a person is there. The note for the audit log
 * and the next ready lock come first: without them nothing is opened. A pause that holds goes on
 * holding; one that cannot be understood is replaced. Throws when the disk cannot be written.
 */
export function openLock(
  paths: Pick<HomePaths, 'lockout' | 'pause'>,
  { uid, now, by }: OpenLockOptions,
): void {
  keepStopNote(paths, { at: now, code: 'unlock', by, text: `Unlocked by ${by}.` });
  prepareReadyLock(paths, uid);
  if (!readPauseState(paths, uid).ok)
    writePauseState(paths, { paused: false, reason: null, at: now, by });
  writeLockoutState(paths, { locked: false, reason: null, at: now, by });
}
