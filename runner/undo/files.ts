import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { ownUid } from '../../shared/home/index.ts';

/**
 * Files of a workspace that somebody else may change at any moment. Every folder on the way is opened
 * by itself, never through a link, and what follows is done in the folder that was opened: whoever
 * exchanges a folder for a link to elsewhere in the meantime gets nothing read or written there.
 * Linux: a descriptor's folder is reached as `/proc/self/fd/N`.
 */

const O_PATH = 0o10000000;
const folderFlags = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** A folder of the workspace that is open. */
export interface OpenFolder {
  readonly fd: number;
  close(): void;
}

// eslint-disable-next-line no-control-regex
const ascii = /^[\u0001-\u007f]*$/;

/** A byte string for Node, which takes text for UTF-8. */
export function forNode(bytes: string): string | Buffer {
  return ascii.test(bytes) ? bytes : Buffer.from(bytes, 'latin1');
}

function inside({ fd }: OpenFolder, name: string): string | Buffer {
  return forNode(`/proc/self/fd/${fd}/${name}`);
}

function opened(path: string | Buffer): OpenFolder {
  const fd = openSync(path, folderFlags);
  return { fd, close: () => closeSync(fd) };
}

/** Opens the workspace. Throws where it is gone or a link. `root` is a plain absolute path. */
export function openRoot(root: string): OpenFolder {
  return opened(root);
}

/** Opens a folder in another by its name. Throws where it is none. */
export function openChild(at: OpenFolder, name: string): OpenFolder {
  if (name === '' || name === '.' || name === '..') throw new Error('not a plain name');
  return opened(inside(at, name));
}

/** Opens a folder below another; '' is that one again. Throws where any part is not a folder. */
export function openBelow(root: OpenFolder, path: string): OpenFolder {
  let at = opened(`/proc/self/fd/${root.fd}/.`);
  for (const name of path === '' ? [] : path.split('/')) {
    try {
      const next = openChild(at, name);
      at.close();
      at = next;
    } catch (error) {
      at.close();
      throw error;
    }
  }
  return at;
}

/** What stands there, links not followed; null where nothing does. */
export function lookAt(folder: OpenFolder, name: string): Stats | null {
  try {
    return lstatSync(inside(folder, name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The names in a folder, as byte strings. */
export function namesIn({ fd }: OpenFolder): readonly string[] {
  return readdirSync(`/proc/self/fd/${fd}/.`, { encoding: 'latin1' });
}

export function linkTarget(folder: OpenFolder, name: string): string {
  return readlinkSync(inside(folder, name), { encoding: 'latin1' });
}

/** Opens a plain file and nothing else: no link is followed, no pipe waited for. */
export function openFile(folder: OpenFolder, name: string): { fd: number; stat: Stats } {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const fd = openSync(inside(folder, name), flags);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error('it is not a plain file');
    return { fd, stat };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Everything from the beginning of a file, at most `limit` bytes. */
export function readAll(fd: number, size: number, limit: number): Buffer {
  let bytes = Buffer.allocUnsafe(Math.min(size + 1, limit));
  let length = 0;
  for (;;) {
    if (length === bytes.length) {
      if (length >= limit) break;
      bytes = Buffer.concat([bytes], Math.min(limit, Math.max(length * 2, 4_096)));
    }
    const count = readSync(fd, bytes, length, bytes.length - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

/** Whose a new file is to be, where we may give it away. */
export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Puts a file there, in the place of a file or link that is there: made beside it and renamed, so
 * that no file with another name is written to. `verify` looks a last time right before.
 */
export function putFile(
  folder: OpenFolder,
  name: string,
  { bytes, mode, owner, verify }: NewFile,
): void {
  const temporary = `.interlock-${randomBytes(9).toString('hex')}`;
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;
  const fd = openSync(inside(folder, temporary), flags, 0o600);
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
    giveTo(fd, owner);
    fchmodSync(fd, mode & 0o777);
    verify();
    renameSync(inside(folder, temporary), inside(folder, name));
  } catch (error) {
    unlinkSync(inside(folder, temporary));
    throw error;
  } finally {
    closeSync(fd);
  }
}

interface NewFile {
  readonly bytes: Uint8Array;
  readonly mode: number;
  readonly owner: FileOwner;
  readonly verify: () => void;
}

export function putLink(folder: OpenFolder, name: string, target: string): void {
  symlinkSync(forNode(target), inside(folder, name));
}

export function putFolder(folder: OpenFolder, name: string, mode: number, owner: FileOwner): void {
  mkdirSync(inside(folder, name), 0o700);
  setMode(folder, name, mode, owner);
}

/** Of a folder; a folder has one name only. */
export function setMode(
  folder: OpenFolder,
  name: string,
  mode: number,
  owner: FileOwner | null,
): void {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const fd = openSync(inside(folder, name), flags);
  try {
    if (owner !== null) giveTo(fd, owner);
    fchmodSync(fd, mode & 0o777);
  } finally {
    closeSync(fd);
  }
}

/** Removes a name that is not a folder. */
export function removeName(folder: OpenFolder, name: string): void {
  unlinkSync(inside(folder, name));
}

/** Removes an empty folder. */
export function removeFolder(folder: OpenFolder, name: string): void {
  rmdirSync(inside(folder, name));
}

function giveTo(fd: number, { uid, gid }: FileOwner): void {
  if (ownUid() === 0) fchownSync(fd, uid, gid);
}

/** A folder that is opened when somebody has to look into it; null where that cannot be done. */
export interface Way {
  folder(): OpenFolder | null;
  close(): void;
}

/** The way to what is open already. */
export function wayAt(folder: OpenFolder): Way {
  return { folder: () => folder, close: () => undefined };
}

/** The way to a folder below, opened no sooner than it is needed. Who asked for it closes it. */
export function wayTo(parent: Way, name: string): Way {
  let made: OpenFolder | null | undefined;
  const open = (): OpenFolder | null => {
    try {
      const at = parent.folder();
      return at === null ? null : openChild(at, name);
    } catch {
      return null;
    }
  };
  return {
    folder: () => {
      if (made === undefined) made = open();
      return made;
    },
    close: () => made?.close(),
  };
}

/** Does something in a folder below, where that can be opened. */
export function inFolder(root: OpenFolder, path: string, run: (folder: OpenFolder) => void): void {
  let folder: OpenFolder;
  try {
    folder = openBelow(root, path);
  } catch {
    // Its parent is told to have changed, too.
    return;
  }
  try {
    run(folder);
  } finally {
    folder.close();
  }
}

/** The names in it; null where we may not look. */
export function readable(at: OpenFolder | null): readonly string[] | null {
  try {
    return at === null ? null : namesIn(at);
  } catch {
    return null;
  }
}
