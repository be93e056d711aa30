import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { refuse } from '../../base/index.ts';
import { ownUid } from '../../home/index.ts';

/** Who may serve a socket that a client speaks to. */
interface DoorOptions {
  /** The client's own user; it and root are always trusted. */
  readonly uid?: number;
  /** The uid of the account that the service of the whole machine runs as, or null. Asked when needed. */
  readonly serviceUid?: () => number | null;
}

/** The way to a socket that nobody can exchange for another while it is held. */
export interface Door {
  /** What to connect to. */
  readonly path: string;
  readonly close: () => void;
}

/**
 * Makes sure who serves a socket before anything is said to it: its folder and the socket must belong
 * to this user or to root, and nobody else may write in the folder. Whoever may not write there cannot
 * have put a socket there, so its owner is who listens. On Linux the folder is held open and the socket
 * reached through it, so that no exchange of a folder above counts; elsewhere the folders above must be
 * safe, too. A folder that root made for the account of the machine's service is taken as well.
 *
 * Throws the system's error where nothing is there or may be opened, and `config-invalid` for the rest.
 */
export function openDoor(socketPath: string, options: DoorOptions = {}): Door {
  const path = resolve(socketPath);
  const held = holdFolder(dirname(path));
  try {
    const uids = trustedUids(path, held, options);
    requireServedBy(uids, held, path);
    return { path: join(held.path, basename(path)), close: held.close };
  } catch (error) {
    held.close();
    throw error;
  }
}

/** Connects to a Unix socket after `openDoor` has said yes. Throws and emits errors as that and `net` do. */
export function connectThroughDoor(socketPath: string, options: DoorOptions = {}): Socket {
  const door = openDoor(socketPath, options);
  try {
    // The connection is asked for in this very turn; the folder need not be held after it.
    return connect(door.path);
  } finally {
    door.close();
  }
}

interface Held {
  /** Where its entries are reached. */
  readonly path: string;
  /** As a person knows it. */
  readonly name: string;
  readonly stats: Stats;
  /** Whether other folders could be put in its place meanwhile. */
  readonly isFixed: boolean;
  readonly close: () => void;
}

/** From Linux's `fcntl.h`: a place in the tree, without the right to read it. */
const O_PATH = 0o10_000_000;

function holdFolder(folder: string): Held {
  if (process.platform !== 'linux') return looseFolder(folder);
  let fd: number;
  try {
    fd = openSync(folder, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    throw isNoFolder(error) ? noFolder(folder) : error;
  }
  const close = (): void => closeSync(fd);
  const stats = fstatSync(fd);
  const path = `/proc/self/fd/${String(fd)}`;
  if (isSame(lookAt(`${path}/.`), stats))
    return { path, name: folder, stats, isFixed: true, close };
  // No /proc here.
  close();
  return looseFolder(folder);
}

function looseFolder(folder: string): Held {
  const stats = lstatSync(folder);
  if (!stats.isDirectory()) throw noFolder(folder);
  return { path: folder, name: folder, stats, isFixed: false, close: () => {} };
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isSame(a: Stats | undefined, b: Stats): boolean {
  return a !== undefined && a.dev === b.dev && a.ino === b.ino;
}

function isNoFolder(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOTDIR' || code === 'ELOOP';
}

const othersWrite = 0o022;
const sticky = 0o1000;

function trustedUids(path: string, { stats, name }: Held, options: DoorOptions): readonly number[] {
  const { uid = ownUid(), serviceUid = accountOfService } = options;
  const own = [uid, 0];
  if (own.includes(stats.uid)) return own;
  const above = lookAt(dirname(name));
  const isRoots = above?.isDirectory() === true && above.uid === 0 && !(above.mode & othersWrite);
  if (isRoots && stats.uid === serviceUid()) return [stats.uid];
  throw foreign(path, 'its folder', stats.uid);
}

function requireServedBy(uids: readonly number[], held: Held, path: string): void {
  const { name, stats } = held;
  if ((stats.mode & othersWrite) !== 0)
    throw refuse(
      'config-invalid',
      `Others may write to ${name}, and put a socket of their own there.`,
      'Look at what lies in it, and take that right away: chmod go-w on that folder.',
    );
  if (!held.isFixed) requireSafeAbove(name, uids);
  const socket = lstatSync(join(held.path, basename(path)));
  if (!socket.isSocket())
    throw refuse(
      'config-invalid',
      `${path} is not a socket.`,
      'Look at what it is, move it away, and start the runner again.',
    );
  if (!uids.includes(socket.uid)) throw foreign(path, 'the socket', socket.uid);
}

function requireSafeAbove(folder: string, uids: readonly number[]): void {
  for (let here = dirname(folder), below = folder; here !== below; here = dirname(here)) {
    const { uid, mode } = lstatSync(here);
    const isOpen = (mode & othersWrite) !== 0 && (mode & sticky) === 0;
    if (isOpen || !(uid === 0 || uids.includes(uid)))
      throw refuse(
        'config-invalid',
        `Somebody else could exchange what lies in ${here}.`,
        'Set INTERLOCK_HOME to a folder below your own home.',
      );
    below = here;
  }
}

function foreign(path: string, what: string, uid: number): Error {
  return refuse(
    'config-invalid',
    `${path} is not to be trusted: ${what} belongs to user ${String(uid)}.`,
    'Nothing was sent. Look at INTERLOCK_HOME and INTERLOCK_SOCKET; a runner of another user is spoken to as that user.',
  );
}

function noFolder(folder: string): Error {
  return refuse(
    'config-invalid',
    `${folder} is a link or a file, not a folder.`,
    'Nothing was sent. Use a real folder of your own.',
  );
}

/** The account that `interlock service install --system` makes. */
const serviceAccount = 'interlock';

function accountOfService(): number | null {
  try {
    const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
    const [, , uid = ''] =
      lines.find((line) => line.startsWith(`${serviceAccount}:`))?.split(':') ?? [];
    return /^\d{1,10}$/.test(uid) ? Number(uid) : null;
  } catch {
    return null;
  }
}
