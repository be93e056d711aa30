import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { ownUid, ownUser } from '../../../shared/home/index.ts';
import type { Owner, PathFacts, RootFiles } from './root.ts';

/** The file system for planning a root; every question is asked anew. */
export function rootFiles(): RootFiles {
  return {
    facts: (path) => orNull(() => factsOf(path)),
    realPath: (path) => orNull(() => realpathSync.native(path)),
    linkText: (path) => orNull(() => readlinkSync(path)),
    text: (path) => orNull(() => textOf(path)),
    folders: (path) => orNull(() => foldersIn(path)) ?? [],
  };
}

const mostText = 1 << 20;

/** Of a plain file and no other: a command may have put a pipe there, on which we would wait. */
function textOf(path: string): string | null {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    return stat.isFile() && stat.size <= mostText ? readFileSync(file, 'utf8') : null;
  } finally {
    closeSync(file);
  }
}

function foldersIn(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .map(({ name }) => name);
}

function factsOf(path: string): PathFacts {
  const stat = lstatSync(path);
  const kind = stat.isSymbolicLink()
    ? 'link'
    : stat.isDirectory()
      ? 'directory'
      : stat.isFile()
        ? 'file'
        : 'other';
  return { kind, device: stat.dev, inode: stat.ino, uid: stat.uid, gid: stat.gid };
}

function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

/**
 * Who a command becomes for a workspace's owner: ourselves, or, where we are root, that user. Root
 * keeps its own number only for a workspace of root's.
 */
export function ownerOf(uid: number): Owner | null {
  const own = ownUid();
  if (uid === own) {
    const { name, home } = ownUser();
    return { uid, gid: process.getegid?.() ?? -1, name, home };
  }
  if (own !== 0) return null;
  for (const line of (orNull(() => readFileSync('/etc/passwd', 'utf8')) ?? '').split('\n')) {
    const [name, , number, group, , home] = line.split(':');
    if (name !== undefined && number === String(uid) && home?.startsWith('/') === true)
      return { uid, gid: Number(group), name, home };
  }
  return null;
}
