import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { refuse } from '../../refusal/refusal.ts';
import { libc } from '../peer/libc.ts';
import { ownUid } from './socket-path.ts';

const LOCK_EX = 2;
const LOCK_NB = 4;

/**
 * Takes the lease of a socket path for as long as this process lives: an advisory lock on
 * `<path>.lock`, which the kernel drops when the holder dies. With it, two programs that start at
 * once cannot each replace the other's socket. Null when another program holds it.
 */
export function takeLease(socketPath: string): (() => void) | null {
  const path = `${socketPath}.lock`;
  const fd = openLock(path);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.uid !== ownUid()) {
      throw notOurs(path);
    }
    const { flock } = libc();
    if (flock(fd, LOCK_EX | LOCK_NB) !== 0) {
      closeSync(fd);
      return null;
    }
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  let held = true;
  return () => {
    if (held) closeSync(fd);
    held = false;
  };
}

function openLock(path: string): number {
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  } catch (error) {
    throw notOurs(path, error);
  }
}

function notOurs(path: string, cause?: unknown): Error {
  return refuse('config-invalid', `${path} is not a file of yours.`, 'Move it away.', { cause });
}
