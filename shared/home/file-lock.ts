import { closeSync, constants, fstatSync, lstatSync, openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { refuse } from '../base/index.ts';
import { libc } from './libc.ts';
import { ownUid } from './paths.ts';

const LOCK_EX = 2;
const LOCK_NB = 4;
const stepMs = 5;

/**
 * Takes an advisory lock (flock) on a 0600 file, which is made where it is absent, and hands back how
 * to let go; null when another holder has it, in this process or another. The kernel lets go when the
 * holder ends, however it ends, so a file that stays is never stale; the holder alone may remove it.
 * Throws `config-invalid` for a file that is not ours, and what the disk says where it cannot be opened.
 */
export function tryFileLock(path: string): (() => void) | null {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  let held = false;
  let isGone = false;
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.uid !== ownUid())
      throw refuse('config-invalid', `${path} is not a file of yours.`, 'Move it away.');
    held = libc().flock(fd, LOCK_EX | LOCK_NB) === 0;
    // The last holder may have removed it since it was opened: the next one would take another file.
    if (held && lstatSync(path, { throwIfNoEntry: false })?.ino !== stats.ino) {
      held = false;
      isGone = true;
    }
  } finally {
    if (!held) closeSync(fd);
  }
  if (isGone) return tryFileLock(path);
  if (!held) return null;
  return () => {
    if (held) closeSync(fd);
    held = false;
  };
}

/** As `tryFileLock`, but waits for another holder, at most `waitMs`. */
export async function waitForFileLock(
  take: () => (() => void) | null,
  waitMs: number,
): Promise<(() => void) | null> {
  for (let left = waitMs / stepMs; ; left -= 1) {
    const release = take();
    if (release !== null || left <= 0) return release;
    // A timer that keeps the process alive: a command line that waits here has nothing else to do.
    await pause(stepMs);
  }
}

interface LockOptions {
  /** How long to wait for another holder, in milliseconds; 5,000 when absent. */
  readonly waitMs?: number;
}

/**
 * Runs `section` while no other process, and no other caller in this one, is inside a section of the
 * same lock file. `section` must not be asynchronous. Windows knows no flock; one process is safe
 * there by itself, because a section is never interrupted.
 */
export async function withFileLock<T>(
  lockPath: string,
  section: () => T,
  { waitMs = 5_000 }: LockOptions = {},
): Promise<T> {
  if (process.platform === 'win32') return section();
  const release = await waitForFileLock(() => tryFileLock(lockPath), waitMs);
  if (release === null)
    throw refuse(
      'concurrency-busy',
      `Another program has held ${lockPath} for too long.`,
      'Try again in a moment; see which program changes the policy.',
    );
  try {
    return section();
  } finally {
    release();
  }
}
