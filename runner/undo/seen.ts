import { closeSync, fstatSync, lstatSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { forNode, linkTarget, lookAt, openFile, readAll } from './files.ts';
import type { OpenFolder } from './files.ts';
import { isSame } from './state.ts';
import type { State } from './state.ts';
import { largeBytes } from './store.ts';
import type { Store } from './store.ts';

/** Why nothing can be kept, in words for a person. */
export class KeepProblem extends Error {}

/** What tells whether a file is still the one that was looked at. Nobody can set the change time. */
type Signature = readonly [
  device: number,
  inode: number,
  size: number,
  modified: number,
  changed: number,
];

/** One path as it was last seen. */
export interface Known {
  readonly state: State;
  readonly signature: Signature;
  /** Seen at a moment at which a later change could look the same, so it is read again. */
  readonly isFresh: boolean;
}

/** The times of files move in steps, at most this long on the kernels that there are. */
export const stepMs = 20;
const retries = 3;

/** Where what is seen is kept. */
export interface Keeping {
  readonly store: Store;
  /** The largest file that is kept, in bytes. */
  readonly fileBytes: number;
  /** Throws a `KeepProblem` where no more may be kept. */
  readonly room: () => void;
  /** Of the machine itself, by which its files have their times. */
  readonly now: () => number;
}

/** What stands at a name, kept; null where it went while we looked. */
export function seenAs(at: OpenFolder, name: string, stat: Stats, keeping: Keeping): Known | null {
  if (stat.isFile()) return keepFile(at, name, keeping);
  const mode = stat.mode & 0o7777;
  const when = signed(stat, keeping.now());
  if (stat.isDirectory()) return { state: { kind: 'folder', mode }, ...when };
  if (!stat.isSymbolicLink()) return { state: { kind: 'other' }, ...when };
  try {
    return { state: { kind: 'link', target: linkTarget(at, name) }, ...when };
  } catch {
    return null;
  }
}

export function fits([device, inode, size, modified, changed]: Signature, stat: Stats): boolean {
  return (
    changed === stat.ctimeMs &&
    modified === stat.mtimeMs &&
    size === stat.size &&
    inode === stat.ino &&
    device === stat.dev
  );
}

function signatureOf(stat: Stats): Signature {
  return [stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs];
}

/** @param at when it was looked at, in milliseconds since the epoch */
export function signed(stat: Stats, at: number): Pick<Known, 'signature' | 'isFresh'> {
  return { signature: signatureOf(stat), isFresh: stat.ctimeMs >= at - stepMs };
}

/** Of a file whose content is not kept all that can be told is that its signature is another. */
export function hasChanged(was: Known | null, now: Known | null): boolean {
  const [before, after] = [was?.state ?? null, now?.state ?? null];
  if (before?.kind !== 'file' || after?.kind !== 'file' || before.hash !== after.hash)
    return !isSame(before, after);
  if (before.hash !== null || before.mode !== after.mode) return before.mode !== after.mode;
  return was?.signature.join() !== now?.signature.join();
}

/** Keeps a file's content as it was at one moment, as far as somebody who writes to it lets us. */
function keepFile(
  at: OpenFolder,
  name: string,
  { store, fileBytes, room, now }: Keeping,
): Known | null {
  for (let left = retries; ; left -= 1) {
    let file: ReturnType<typeof openFile>;
    try {
      file = openFile(at, name);
    } catch {
      return unread(at, name, now());
    }
    try {
      const { fd, stat } = file;
      const when = signed(stat, now());
      const mode = stat.mode & 0o7777;
      if (stat.size > fileBytes)
        return { state: { kind: 'file', mode, size: stat.size, hash: null }, ...when };
      room();
      const kept = stat.size < largeBytes ? keptSmall(store, fd, stat.size) : store.putFile(fd);
      const isStill = fits(when.signature, fstatSync(fd));
      if (isStill || left === 0)
        return {
          state: { kind: 'file', mode, ...kept },
          ...when,
          ...(!isStill && { isFresh: true }),
        };
    } finally {
      closeSync(file.fd);
    }
  }
}

function keptSmall(store: Store, fd: number, size: number) {
  const bytes = readAll(fd, size, largeBytes * 2);
  return { hash: store.put(bytes), size: bytes.length };
}

/** A file that we may not read is known by its size alone. */
function unread(at: OpenFolder, name: string, now: number): Known | null {
  const stat = lookAt(at, name);
  if (stat === null || !stat.isFile()) return null;
  const mode = stat.mode & 0o7777;
  return {
    state: { kind: 'file', mode, size: stat.size, hash: null },
    ...signed(stat, now),
  };
}

/** Whether what stands at a path has the signature. Links on the way are followed. */
export function isAsSeen(signature: Signature, root: string, path: string): boolean {
  try {
    const stat = lstatSync(forNode(`${root}/${path}`), { throwIfNoEntry: false });
    return stat !== undefined && fits(signature, stat);
  } catch {
    return false;
  }
}
