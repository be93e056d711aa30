import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { refuse } from '../../base/index.ts';
import { ownUid } from '../../home/index.ts';
import { libc } from '../peer.ts';

/**
 * Runs something with another umask. Worker threads cannot change it; there the folder, which is
 * closed to others, has to do.
 */
export function withUmask(mask: number, run: () => void): void {
  let before: number | null = null;
  try {
    before = process.umask(mask);
  } catch {
    before = null;
  }
  try {
    run();
  } finally {
    if (before !== null) process.umask(before);
  }
}

/** Longest path of a Unix socket in bytes: the smaller one, of macOS, less the final NUL. */
const longestPath = 103;

/**
 * Makes the folder of a socket if it is absent, and refuses it (`config-invalid`) unless it is a
 * real folder of ours that nobody else may enter: whoever can write there can put a socket of
 * their own in the place of ours.
 */
export function requireOwnFolder(socketPath: string): void {
  if (Buffer.byteLength(socketPath) > longestPath) {
    throw unsafe(
      `The socket path is longer than ${String(longestPath)} bytes: ${socketPath}`,
      'Set INTERLOCK_HOME, or the socket path of the policy file, to a shorter path.',
    );
  }
  const folder = dirname(socketPath);
  if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(folder, 0o700);
  checkFolder(folder);
}

/** As `requireOwnFolder`, for who only wants to connect: makes nothing. */
export function checkFolder(folder: string): void {
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) {
    throw unsafe(`${folder} is ${kindOf(stats)}, not a folder.`, 'Use a real folder of your own.');
  }
  requireOwn(stats, folder);
  if ((stats.mode & 0o077) !== 0) {
    throw unsafe(
      `Other users may enter ${folder}.`,
      `Run: chmod 700 '${folder.replaceAll("'", String.raw`'\''`)}'`,
    );
  }
}

/** What stands at a path: nothing, or a socket of ours. Everything else is refused (`config-invalid`). */
export function inspectSocket(path: string): 'absent' | 'socket' {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'absent';
  if (!stats.isSocket()) {
    throw unsafe(`${path} is ${kindOf(stats)}, not a socket.`, 'Move it away, then start again.');
  }
  requireOwn(stats, path);
  return 'socket';
}

/** A fresh name in the same folder, no longer than the socket's own could be. */
export function temporaryNextTo(socketPath: string): string {
  return join(dirname(socketPath), `.${randomBytes(4).toString('hex')}`);
}

/** Whether anybody answers at a socket. Only a clear "nobody" is taken for one. */
export function isLive(path: string, timeoutMs = 2_000): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (live: boolean): void => {
      socket.destroy();
      resolve(live);
    };
    socket.setTimeout(timeoutMs, () => {
      settle(true);
    });
    socket.once('connect', () => {
      settle(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      settle(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}

function requireOwn(stats: Stats, path: string): void {
  if (stats.uid === ownUid()) return;
  throw unsafe(
    `${path} belongs to user ${String(stats.uid)}, not to you.`,
    'Set INTERLOCK_HOME to a folder of your own.',
  );
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return 'a symbolic link';
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFile()) return 'a file';
  return stats.isSocket() ? 'a socket' : 'something else';
}

function unsafe(message: string, hint: string): Error {
  return refuse('config-invalid', message, hint);
}

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
