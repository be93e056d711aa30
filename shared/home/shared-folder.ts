import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  opendirSync,
  openSync,
  writeSync,
} from 'node:fs';
import type { Dir, Stats } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { refuse } from '../base/index.ts';
import { readAtMost } from './files.ts';
import { libc } from './libc.ts';

/** The folders below `.interlock`. */
const sharedParts = ['requests', 'responses', 'teardowns'] as const;
export type SharedPart = (typeof sharedParts)[number];

/** Stands in the shared folder itself. */
export const sharedName = '.interlock';

/** A file that somebody else wrote, or what is wrong with it. */
export type SharedFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unsafe'; readonly why: string };

/**
 * The three folders through which a sandbox and this machine talk. They were opened once, and all is
 * done below what was opened: whoever moves a folder away, or puts a link in its place, changes nothing
 * for who holds it. Names are single components that the caller has checked.
 */
export interface SharedFolder {
  /** Where it was opened. */
  readonly path: string;
  /** Whether the path still leads to what was opened. Never throws. */
  isCurrent(): boolean;
  /** The names that stand there, as a hint of what to open; at most `most`. */
  names(part: SharedPart, most: number): readonly string[];
  /** What to watch for changes of a part. */
  watched(part: SharedPart): string;
  /**
   * Reads a regular file of one of the owners. Links, further names of one file, foreign owners,
   * other kinds of files and what is too large or not UTF-8 are `unsafe`. Never throws.
   */
  read(part: SharedPart, name: string, maxBytes: number): SharedFile;
  /** When a regular file was written, in milliseconds since the epoch; null for anything else. */
  modifiedAt(part: SharedPart, name: string): number | null;
  /** A file of its own, synced, then renamed to the name. Rejects with what the disk says. */
  write(part: SharedPart, name: string, text: string): Promise<void>;
  /** Removes a name that is not a folder; false where it was not there or could not be. */
  remove(part: SharedPart, name: string): boolean;
  /** Somebody works with it: it is closed when the last one has let go. */
  hold(): () => void;
  close(): void;
}

interface SharedFolderOptions {
  /** Who may have written what is read here. */
  readonly owners: readonly number[];
  /** Permission bits of what is written. */
  readonly mode: number;
  /** A fresh word for a temporary name. */
  readonly word: () => string;
}

const directoryFlags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
// O_NONBLOCK keeps the open of a FIFO from waiting for a writer.
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const makeFlags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const synced = promisify(fsync);

/**
 * Opens the folders below `path`, each without following a link. Throws `config-invalid` where one is
 * not there, is a link or belongs to nobody who may write here.
 */
export function openSharedFolder(path: string, options: SharedFolderOptions): SharedFolder {
  const { owners, mode, word } = options;
  const opened = openParts(path, owners);
  let holders = 1;
  const letGo = (): void => {
    holders -= 1;
    if (holders === 0) for (const part of sharedParts) closeSync(opened[part]);
  };
  // A number that was closed can be that of another folder by now.
  const fdOf = (part: SharedPart): number => (holders === 0 ? -1 : opened[part]);
  let closed = false;
  return {
    path,
    isCurrent: () => holders > 0 && isStillAt(path, opened),
    names: (part, most) => (holders === 0 ? [] : namesIn(pathOf(path, part, opened[part]), most)),
    watched: (part) => pathOf(path, part, opened[part]),
    read: (part, name, maxBytes) => readShared(fdOf(part), name, { owners, maxBytes }),
    modifiedAt: (part, name) => modifiedAt(fdOf(part), name),
    write: async (part, name, text) => {
      if (holders === 0) throw diskError('EBADF', name);
      const release = hold();
      try {
        await writeBelow(opened[part], name, { text, mode, word: word() });
      } finally {
        release();
      }
    },
    remove: (part, name) => libc().at.unlinkat(fdOf(part), name, 0) === 0,
    hold,
    close: () => {
      if (!closed) letGo();
      closed = true;
    },
  };

  function hold(): () => void {
    holders += 1;
    let held = true;
    return () => {
      if (held) letGo();
      held = false;
    };
  }
}

type Opened = Readonly<Record<SharedPart, number>>;

function openParts(path: string, owners: readonly number[]): Opened {
  const fds: number[] = [];
  const opening = (parent: number, name: string, shown: string): number => {
    const fd = libc().at.openat(parent, name, directoryFlags | closeOnExec);
    if (fd < 0) throw notUsable(shown, 'is not there, or is a link or a file');
    fds.push(fd);
    const { uid } = fstatSync(fd);
    if (!owners.includes(uid)) throw notUsable(shown, `belongs to user ${String(uid)}`);
    return fd;
  };
  const opened: Partial<Record<SharedPart, number>> = {};
  try {
    const root = openSync(path, directoryFlags);
    fds.push(root);
    const parent = opening(root, sharedName, join(path, sharedName));
    for (const part of sharedParts)
      opened[part] = opening(parent, part, join(path, sharedName, part));
    for (const fd of [root, parent]) closeSync(fd);
    return opened as Opened;
  } catch (error) {
    for (const fd of fds) closeSync(fd);
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw notUsable(path, 'is not there, or is a link or a file');
  }
}

function notUsable(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `The shared folder ${path} ${why}.`,
    'Make it anew: interlock rpc install FOLDER',
  );
}

function isStillAt(path: string, opened: Opened): boolean {
  try {
    return sharedParts.every((part) => {
      const fd = openSync(join(path, sharedName, part), directoryFlags);
      try {
        const here = fstatSync(fd);
        const there = fstatSync(opened[part]);
        return here.dev === there.dev && here.ino === there.ino && there.nlink > 0;
      } finally {
        closeSync(fd);
      }
    });
  } catch {
    return false;
  }
}

/** Linux names what is open by its number; elsewhere the path has to do, since names are only hints. */
function pathOf(path: string, part: SharedPart, fd: number): string {
  return process.platform === 'linux'
    ? `/proc/self/fd/${String(fd)}`
    : join(path, sharedName, part);
}

function namesIn(path: string, most: number): readonly string[] {
  let folder: Dir;
  try {
    folder = opendirSync(path, { bufferSize: 1_024 });
  } catch {
    return [];
  }
  const names: string[] = [];
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      names.push(entry.name);
      if (names.length >= most) break;
    }
  } catch {
    // What was read so far is a hint all the same.
  } finally {
    folder.closeSync();
  }
  return names;
}

function readShared(
  parent: number,
  name: string,
  options: { readonly owners: readonly number[]; readonly maxBytes: number },
): SharedFile {
  const fd = libc().at.openat(parent, name, readFlags | closeOnExec);
  if (fd < 0) {
    const code = libc().at.errorName();
    if (code === 'ENOENT') return { kind: 'missing' };
    const isLink = code === 'ELOOP' || code === 'EMLINK';
    return { kind: 'unsafe', why: isLink ? 'is a symbolic link' : `cannot be opened (${code})` };
  }
  try {
    const stats = fstatSync(fd);
    const why = objection(stats, options);
    if (why !== null) return { kind: 'unsafe', why };
    const bytes = readAtMost(fd, options.maxBytes + 1);
    if (bytes.length > options.maxBytes) return { kind: 'unsafe', why: tooLarge(options.maxBytes) };
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { kind: 'text', text };
  } catch (error) {
    const isText = !(error instanceof TypeError);
    return { kind: 'unsafe', why: isText ? 'cannot be read' : 'is not UTF-8 text' };
  } finally {
    closeSync(fd);
  }
}

function modifiedAt(parent: number, name: string): number | null {
  const fd = libc().at.openat(parent, name, readFlags | closeOnExec);
  if (fd < 0) return null;
  try {
    const stats = fstatSync(fd);
    return stats.isFile() ? stats.mtimeMs : null;
  } finally {
    closeSync(fd);
  }
}

function objection(
  stats: Stats,
  { owners, maxBytes }: { readonly owners: readonly number[]; readonly maxBytes: number },
): string | null {
  if (!stats.isFile()) return 'is not a regular file';
  if (stats.size > maxBytes) return tooLarge(maxBytes);
  if (stats.nlink > 1) return 'has a second name (hard link)';
  if (!owners.includes(stats.uid)) return `belongs to another user (uid ${String(stats.uid)})`;
  return null;
}

function tooLarge(maxBytes: number): string {
  return `is larger than ${String(maxBytes)} bytes`;
}

interface WriteBelowOptions {
  readonly text: string;
  readonly mode: number;
  /** Makes the temporary name one of its own. */
  readonly word: string;
  /** Who it is given to; absent: whoever writes. */
  readonly owner?: { readonly uid: number; readonly gid: number };
}

/** A file below an open folder: temporary, synced, renamed. Rejects with what the disk says. */
export async function writeBelow(
  parent: number,
  name: string,
  { text, mode, word, owner }: WriteBelowOptions,
): Promise<void> {
  const { at } = libc();
  const temporary = `.${name}.${word}.tmp`;
  const fd = at.openat(parent, temporary, makeFlags | closeOnExec, mode);
  if (fd < 0) throw diskError(at.errorName(), name);
  let renamed = false;
  try {
    fchmodSync(fd, mode);
    if (owner !== undefined) fchownSync(fd, owner.uid, owner.gid);
    const bytes = Buffer.from(text, 'utf8');
    for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
    await synced(fd);
    renamed = at.renameat(parent, temporary, parent, name) === 0;
    if (!renamed) throw diskError(at.errorName(), name);
  } finally {
    closeSync(fd);
    if (!renamed) at.unlinkat(parent, temporary, 0);
  }
}

function diskError(code: string, name: string): Error {
  return Object.assign(new Error(`${name} could not be written (${code})`), { code });
}

/**
 * Makes the three folders below `path` where they are absent; what is there stays as it is. Throws
 * what `openSharedFolder` throws where they cannot be used then. `open`: users other than the runner's
 * write there, too.
 */
export function makeSharedFolder(
  path: string,
  { owners, open }: { readonly owners: readonly number[]; readonly open: boolean },
): void {
  const { at } = libc();
  const root = openSync(path, directoryFlags);
  const fds = [root];
  try {
    const make = (parent: number, name: string, mode: number): void => {
      if (at.mkdirat(parent, name, mode) !== 0) return;
      const fd = at.openat(parent, name, directoryFlags | closeOnExec);
      if (fd < 0) return;
      fchmodSync(fd, mode);
      closeSync(fd);
    };
    make(root, sharedName, open ? 0o755 : 0o700);
    const parent = at.openat(root, sharedName, directoryFlags | closeOnExec);
    if (parent >= 0) {
      fds.push(parent);
      for (const part of sharedParts)
        make(parent, part, open ? (part === 'responses' ? 0o755 : 0o1777) : 0o700);
    }
  } finally {
    for (const fd of fds) closeSync(fd);
  }
  for (const fd of Object.values(openParts(path, owners))) closeSync(fd);
}

export const closeOnExec = process.platform === 'darwin' ? 0x1000000 : 0o2000000;
