import { closeSync, constants, openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as pause } from 'node:timers/promises';
import type * as Koffi from 'koffi';
import { refuse } from '../base/index.ts';

type Flock = (fd: number, operation: number) => number;

const lockExclusive = 2;
const doNotWait = 4;
const stepMs = 5;
const posix = process.platform !== 'win32';

let flock: Flock | undefined;

export interface LockOptions {
  /** How long to wait for another holder, in milliseconds; 5,000 when absent. */
  readonly waitMs?: number;
}

/**
 * Runs `section` while no other process, and no other caller in this one, is inside a section of the
 * same lock file. The kernel holds the lock (flock) and lets go when the holder ends, however it
 * ends; so the lock file stays for good and is never stale. `section` must not be asynchronous.
 */
export async function withFileLock<T>(
  lockPath: string,
  section: () => T,
  options: LockOptions = {},
): Promise<T> {
  const fd = openSync(lockPath, lockFlags(), 0o600);
  try {
    await acquire(fd, lockPath, options);
    return section();
  } finally {
    closeSync(fd);
  }
}

async function acquire(fd: number, lockPath: string, options: LockOptions): Promise<void> {
  for (let left = (options.waitMs ?? 5_000) / stepMs; !tryLock(fd); left -= 1) {
    if (left <= 0) {
      throw refuse(
        'concurrency-busy',
        `Another program has held ${lockPath} for too long.`,
        'Try again in a moment; see which program changes the policy.',
      );
    }
    // A timer that keeps the process alive: a command line that waits here has nothing else to do.
    await pause(stepMs);
  }
}

function tryLock(fd: number): boolean {
  // Windows knows no flock. Section bodies are synchronous, so one process is safe by itself.
  if (!posix) return true;
  flock ??= loadFlock();
  return flock(fd, lockExclusive | doNotWait) === 0;
}

function loadFlock(): Flock {
  const koffi = createRequire(import.meta.url)('koffi') as typeof Koffi;
  const libc = koffi.load(process.platform === 'darwin' ? '/usr/lib/libSystem.B.dylib' : null);
  return libc.func('int flock(int fd, int operation)');
}

function lockFlags(): number {
  return constants.O_RDWR | constants.O_CREAT | (posix ? constants.O_NOFOLLOW : 0);
}
