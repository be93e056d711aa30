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
  /** They change with every file that comes, goes or is replaced by another one. */
  readonly stats: Pick<Stats, 'ino' | 'dev' | 'mtimeMs' | 'ctimeMs'>;
  readonly at: number;
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

let last: {
  readonly home: string;
  readonly real: string;
  /** Null where not all of it could be read: it is looked at anew each time. */
  readonly seen: ReadonlyMap<string, Seen> | null;
  readonly places: readonly KnownPlace[];
} | null = null;

/**
 * Interlock's own folder as a place: by its path, and each folder and file in it by device and inode,
 * so that hard links, bind mounts and other names of `INTERLOCK_HOME` lead to it as well. A folder is
 * read again once it has changed: the number of a file that is gone soon belongs to somebody else's.
 * The same list comes back while it says the same.
 */
export function ownPlaces(home: string): readonly KnownPlace[] {
  const real = realOf(home);
  const before = last?.home === home && last.real === real ? last : null;
  if (before !== null && isAllGood(before.seen)) return before.places;
  const seen = new Map<string, Seen>();
  const identities: string[] = [];
  const whole = collect(home, { identities, before: before?.seen ?? new Map(), seen });
  const own = { place: 'own', reason: 'belongs to Interlock itself' } as const;
  const other = real === home ? [] : [{ ...own, path: home }];
  const isSame = before !== null && String(before.places[0]?.identities) === String(identities);
  const places = isSame ? before.places : [{ ...own, path: real, identities }, ...other];
  last = { home, real, seen: whole ? seen : null, places };
  return places;
}

/** Whether no folder has changed since it was read. */
function isAllGood(seen: ReadonlyMap<string, Seen> | null): boolean {
  if (seen === null || seen.size === 0) return false;
  for (const [path, one] of seen) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined || !isGood(one, stats)) return false;
  }
  return true;
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

/**
 * A folder and all below it; whether all of it could be read. What cannot be is left out, and tried
 * again: the path alone holds for it.
 */
function collect(path: string, collecting: Collecting): boolean {
  const { identities, before, seen } = collecting;
  if (identities.length >= mostFiles) return true;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    identities.push(fileIdentity({ inode: stats.ino, device: stats.dev }));
    if (!stats.isDirectory()) return false;
    const known = before.get(path);
    const found = isGood(known, stats) ? known : readFolder(path, stats);
    seen.set(path, found);
    identities.push(...found.files.slice(0, mostFiles - identities.length));
    return found.folders.map((name) => collect(join(path, name), collecting)).every(Boolean);
  } catch {
    return false;
  }
}

function isGood(known: Seen | undefined, stats: Stats): known is Seen {
  if (known === undefined) return false;
  const { ino, dev, mtimeMs, ctimeMs } = known.stats;
  return (
    stats.ino === ino &&
    stats.dev === dev &&
    stats.mtimeMs === mtimeMs &&
    stats.ctimeMs === ctimeMs &&
    performance.now() - known.at < keptMs
  );
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
  return { stats, at, files, folders };
}
