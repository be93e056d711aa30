import { lstatSync, opendirSync, realpathSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { fileIdentity } from '../engine/index.ts';
import type { KnownPlace } from '../engine/index.ts';

/** More files than this are not known by identity; their folder still is, and so is their path. */
const mostFiles = 4096;

/** What was found in a folder is good for this long at most, whatever the folder says. */
const keptMs = 2_000;

/** A folder that changed less long ago than a file system's clock ticks may change without a trace. */
const tickMs = 50;

interface Seen {
  /** Changes with every file that comes, goes or is replaced by another one. */
  readonly stamp: string;
  readonly at: number;
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

let last: { readonly home: string; readonly seen: ReadonlyMap<string, Seen> } | null = null;

/**
 * Interlock's own folder as a place: by its path, and each folder and file in it by device and inode,
 * so that hard links, bind mounts and other names of `INTERLOCK_HOME` lead to it as well. A folder is
 * read again once it has changed: the number of a file that is gone soon belongs to somebody else's.
 */
export function ownPlaces(home: string): readonly KnownPlace[] {
  const before = last?.home === home ? last.seen : new Map<string, Seen>();
  const seen = new Map<string, Seen>();
  const identities: string[] = [];
  collect(home, { identities, before, seen });
  last = { home, seen };
  const own = { place: 'own', reason: 'belongs to Interlock itself' } as const;
  const real = realOf(home);
  return [{ ...own, path: real, identities }, ...(real === home ? [] : [{ ...own, path: home }])];
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

interface Collecting {
  readonly identities: string[];
  readonly before: ReadonlyMap<string, Seen>;
  readonly seen: Map<string, Seen>;
}

/** A folder and all below it. What cannot be read is left out: the path alone holds for it. */
function collect(path: string, collecting: Collecting): void {
  const { identities, before, seen } = collecting;
  if (identities.length >= mostFiles) return;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return;
    identities.push(fileIdentity({ inode: stats.ino, device: stats.dev }));
    if (!stats.isDirectory()) return;
    const known = before.get(path);
    const found = isGood(known, stats) ? known : readFolder(path, stats);
    seen.set(path, found);
    identities.push(...found.files.slice(0, mostFiles - identities.length));
    for (const name of found.folders) collect(join(path, name), collecting);
  } catch {
    // Told above.
  }
}

function isGood(known: Seen | undefined, stats: Stats): known is Seen {
  return known?.stamp === stampOf(stats) && performance.now() - known.at < keptMs;
}

function stampOf({ ino, dev, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, mtimeMs, ctimeMs].join(' ');
}

function readFolder(path: string, stats: Stats): Seen {
  const files: string[] = [];
  const folders: string[] = [];
  const folder = opendirSync(path);
  try {
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      const of = lstatSync(join(path, entry.name), { throwIfNoEntry: false });
      if (of?.isDirectory() === true) folders.push(entry.name);
      else if (of !== undefined) files.push(fileIdentity({ inode: of.ino, device: of.dev }));
      if (files.length + folders.length >= mostFiles) break;
    }
  } finally {
    folder.closeSync();
  }
  const isSettled = Date.now() - Math.max(stats.mtimeMs, stats.ctimeMs) > tickMs;
  const at = isSettled ? performance.now() : -Infinity;
  return { stamp: stampOf(stats), at, files, folders };
}
