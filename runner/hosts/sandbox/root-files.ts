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

/** The file system; every question is asked anew. */
export function rootFiles(): RootFiles {
  return {
    facts: (path) => orNull(() => factsOf(path)),
    realPath: (path) => orNull(() => realpathSync.native(path)),
    linkText: (path) => orNull(() => readlinkSync(path)),
    text: (path) => orNull(() => textOf(path)),
    folders: (path) => orNull(() => foldersIn(path)) ?? [],
  };
}

/** For planning one root: where a path leads is looked up once, and so is each folder on its way. */
export function filesOfOneRoot(): RootFiles {
  const known = new Map<string, string | null>();
  const realPath = (path: string): string | null => {
    const before = known.get(path);
    if (before !== undefined) return before;
    const real = isPlain.test(path)
      ? orNull(() => look(path))
      : orNull(() => realpathSync.native(path));
    known.set(path, real);
    return real;
  };
  const look = (path: string): string | null => {
    const slash = path.lastIndexOf('/');
    const folder = slash === 0 ? '' : realPath(path.slice(0, slash));
    if (folder === null) return null;
    const own = `${folder}${path.slice(slash)}`;
    const stat = lstatSync(own, mayBeMissing);
    if (stat === undefined) return null;
    return stat.isSymbolicLink() ? realpathSync.native(own) : own;
  };
  return { ...rootFiles(), realPath };
}

/** Absolute, and no name in it leads elsewhere by itself. */
const isPlain = /^(?:\/(?!\.{1,2}(?:\/|$))[^/\0]+)+$/u;

const mayBeMissing = { throwIfNoEntry: false } as const;
const mostText = 1 << 20;

/** Of a plain file and no other: a command may have put a pipe there, on which we would wait. */
function textOf(path: string): string | null {
  // Most of them are missing, and an error is dearer than a look.
  if (lstatSync(path, mayBeMissing) === undefined) return null;
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

function factsOf(path: string): PathFacts | null {
  const stat = lstatSync(path, mayBeMissing);
  if (stat === undefined) return null;
  const kind = stat.isSymbolicLink()
    ? 'link'
    : stat.isDirectory()
      ? 'directory'
      : stat.isFile()
        ? 'file'
        : 'other';
  return { kind, device: stat.dev, inode: stat.ino, uid: stat.uid, gid: stat.gid };
}

function orNull<T>(look: () => T | null): T | null {
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
