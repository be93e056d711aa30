import { lstatSync, opendirSync, statSync, statfsSync } from 'node:fs';
import type { BigIntStats, Dirent } from 'node:fs';
import type { FolderEntry } from '../engine/index.ts';

/** A folder with more names than this is not listed: a pattern for it may then match anything. */
const mostNames = 10_000;

/**
 * File systems of the kernel's own that set the time of a change themselves, each time and for nobody
 * who asks for another one: ext2 to ext4, XFS, Btrfs, F2FS, tmpfs, ZFS. Others may say what they like.
 */
const exact: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0xf2f52010, 0x01021994, 0x2fc12fc1,
]);

/** Milliseconds. A change within one step of the clock shows in no time; the longest step is far shorter. */
const settledMs = 2_000;

interface Listing {
  readonly about: BigIntStats;
  readonly entries: readonly FolderEntry[];
}

export interface ListingsOptions {
  /** Milliseconds since the epoch, by the clock that the kernel stamps files with; absent: that one. */
  readonly now?: () => number;
  /** Names of all folders together that are kept; absent: 50,000. */
  readonly most?: number;
}

/**
 * Lists folders, and a folder that has not changed since it was listed is not read again: each time it
 * is looked at, and it has to be the same one (device, inode) with the same times of its last change to
 * the nanosecond, of which nobody can put the second one back. What was changed in the last two seconds
 * is read each time. Answers null for more than 10,000 names, and throws where a folder cannot be read.
 */
export function createListings({ now = Date.now, most = 50_000 }: ListingsOptions = {}): (
  folder: string,
) => readonly FolderEntry[] | null {
  const kept = new Map<string, Listing>();
  let names = 0;
  const forget = (folder: string): void => {
    names -= kept.get(folder)?.entries.length ?? 0;
    kept.delete(folder);
  };
  return (folder) => {
    const about = statSync(folder, { bigint: true });
    const before = kept.get(folder);
    if (before !== undefined && isSame(before.about, about)) return before.entries;
    forget(folder);
    const entries = listed(folder);
    if (entries === null || !isSettled(about, now()) || !isExact(folder)) return entries;
    if (!isSame(statSync(folder, { bigint: true }), about)) return entries;
    kept.set(folder, { about, entries });
    names += entries.length;
    for (const [oldest] of kept) {
      if (names <= most) break;
      forget(oldest);
    }
    return entries;
  };
}

function isSame(one: BigIntStats, other: BigIntStats): boolean {
  return (
    one.ino === other.ino &&
    one.dev === other.dev &&
    one.ctimeNs === other.ctimeNs &&
    one.mtimeNs === other.mtimeNs
  );
}

function isSettled({ mtimeMs, ctimeMs }: BigIntStats, now: number): boolean {
  return Number(mtimeMs > ctimeMs ? mtimeMs : ctimeMs) + settledMs < now;
}

function isExact(folder: string): boolean {
  return process.platform === 'linux' && exact.has(statfsSync(folder).type);
}

function listed(folder: string): readonly FolderEntry[] | null {
  const directory = opendirSync(folder, { bufferSize: 256 });
  try {
    const found: FolderEntry[] = [];
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      if (found.length >= mostNames) return null;
      found.push([entry.name, kindOf(entry, folder)]);
    }
    return found;
  } finally {
    directory.closeSync();
  }
}

function kindOf(entry: Dirent, folder: string): FolderEntry[1] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  if (entry.isSymbolicLink()) return 'link';
  // Not every file system says in its folders what a name stands for.
  const stat = lstatSync(`${folder}/${entry.name}`, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return 'folder';
  return stat?.isSymbolicLink() === true ? 'link' : 'file';
}
