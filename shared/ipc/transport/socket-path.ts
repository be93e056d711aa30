import { randomBytes } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { connect } from 'node:net';
import type { Server } from 'node:net';
import { dirname, join } from 'node:path';
import { refusalOf, refuse } from '../../base/index.ts';
import { longestSocketPath, ownUid, tryFileLock } from '../../home/index.ts';

/**
 * Runs something with another umask. Worker threads cannot change it; there the folder, which is
 * closed to others, has to do.
 */
function withUmask(mask: number, run: () => void): void {
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

/**
 * Makes the folder of a socket if it is absent, and refuses it (`config-invalid`) unless it is a
 * real folder of ours that nobody else may enter: whoever can write there can put a socket of
 * their own in the place of ours.
 */
function requireOwnFolder(socketPath: string): void {
  if (Buffer.byteLength(socketPath) > longestSocketPath) {
    throw unsafe(
      `The socket path is longer than ${String(longestSocketPath)} bytes: ${socketPath}`,
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

/** Whether anybody answers at a socket. Only a clear "nobody" is taken for one. */
function isLive(path: string, timeoutMs = 2_000): Promise<boolean> {
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

/**
 * Takes the lease of a socket path for as long as this process lives: a lock on `<path>.lock`. With
 * it, two programs that start at once cannot each replace the other's socket. Null when another
 * program holds it.
 */
export function takeLease(socketPath: string): (() => void) | null {
  const path = `${socketPath}.lock`;
  try {
    return tryFileLock(path);
  } catch (error) {
    if (refusalOf(error) !== undefined) throw error;
    const message = `${path} is not a file of yours.`;
    throw refuse('config-invalid', message, 'Move it away.', { cause: error });
  }
}

/**
 * Claims a socket's path in a folder of our own for this process, and hands back how to give it up.
 * Throws what `taken` makes where another program holds it or answers there, and `config-invalid`
 * where the path is not safe. Whatever stands there is left alone.
 */
export async function claimSocket(
  path: string,
  taken: (path: string) => Error,
): Promise<() => void> {
  requireOwnFolder(path);
  inspectSocket(path);
  const release = takeLease(path);
  if (release === null) throw taken(path);
  try {
    await requireDead(path, taken);
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** Throws what `taken` makes where somebody answers, and `config-invalid` where no socket of ours stands. */
export async function requireDead(path: string, taken: (path: string) => Error): Promise<void> {
  if (inspectSocket(path) === 'socket' && (await isLive(path))) throw taken(path);
}

/** What is to be heard at a socket's path. */
interface SocketServer {
  /** Begins to listen; resolves when it does. The socket is made in this very turn. */
  readonly listen: (path: string) => Promise<void>;
  /** Called where the socket could not be put in its place: nothing may listen any more. */
  readonly close: () => void;
  /** Gives the socket its owner and mode; 0600 when absent. It is 0600 from its first moment. */
  readonly prepare?: (path: string) => void;
}

/**
 * Serves under a temporary name, and moves the socket to its place when it is ready: the rename
 * replaces a stale socket in one step, and nobody can connect to a socket that is half set up. Hands
 * back how to take the socket file away, which it does only while it is still this one.
 */
export async function publishSocket(path: string, server: SocketServer): Promise<() => void> {
  const temporary = join(dirname(path), `.${randomBytes(4).toString('hex')}`);
  let listening = Promise.resolve();
  withUmask(0o177, () => {
    listening = server.listen(temporary);
  });
  await listening;
  try {
    (server.prepare ?? ((made) => chmodSync(made, 0o600)))(temporary);
    const { dev, ino } = lstatSync(temporary);
    renameSync(temporary, path);
    return () => {
      const here = lstatSync(path, { throwIfNoEntry: false });
      if (here?.dev === dev && here.ino === ino) rmSync(path, { force: true });
    };
  } catch (error) {
    server.close();
    rmSync(temporary, { force: true });
    throw error;
  }
}

/** A server of Node's as `publishSocket` takes it. */
export function nodeServer(server: Server): SocketServer {
  return {
    listen: (path) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(path, resolve);
      }),
    close: () => server.close(),
  };
}
