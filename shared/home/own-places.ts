import { lstatSync, opendirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileIdentity } from '../engine/index.ts';
import type { KnownPlace } from '../engine/index.ts';

/** More files than this are not known by identity; their folder still is, and so is their path. */
const mostFiles = 4096;

/** What was found is good for this long: a file that is newer has no second name yet. */
const keptMs = 2_000;

let last: {
  readonly home: string;
  readonly at: number;
  readonly places: readonly KnownPlace[];
} | null = null;

/**
 * Interlock's own folder as a place: by its path, and each folder and file in it by device and inode,
 * so that hard links, bind mounts and other names of `INTERLOCK_HOME` lead to it as well.
 */
export function ownPlaces(home: string): readonly KnownPlace[] {
  const at = performance.now();
  if (last !== null && last.home === home && at - last.at < keptMs) return last.places;
  const identities: string[] = [];
  collect(home, identities);
  const own = { place: 'own', reason: 'belongs to Interlock itself' } as const;
  const real = realOf(home);
  const places: readonly KnownPlace[] = [
    { ...own, path: real, identities },
    ...(real === home ? [] : [{ ...own, path: home }]),
  ];
  last = { home, at, places };
  return places;
}

function realOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Names that cannot be read are left out: the path alone holds for them. */
function collect(path: string, identities: string[]): void {
  if (identities.length >= mostFiles) return;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return;
    identities.push(fileIdentity({ inode: stats.ino, device: stats.dev }));
    if (!stats.isDirectory()) return;
    const folder = opendirSync(path);
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync())
        collect(join(path, entry.name), identities);
    } finally {
      folder.closeSync();
    }
  } catch {
    // Told above.
  }
}
