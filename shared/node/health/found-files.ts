import { lstatSync, readdirSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { join } from 'node:path';
import type { FoundFile } from './types.ts';

const mostFiles = 2000;

/** The thing itself, symlinks not followed, or null when it is not there. */
export function foundFile(path: string): FoundFile | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  return { path, kind: kindOf(stats), uid: stats.uid, mode: stats.mode & 0o777 };
}

/** Everything below a directory, at most 2,000 entries, symlinks not followed. */
export function filesBelow(directory: string): readonly FoundFile[] {
  const found: FoundFile[] = [];
  const waiting = [directory];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const name of namesIn(next)) {
      const file = foundFile(join(next, name));
      if (file === null) continue;
      found.push(file);
      if (found.length >= mostFiles) return found;
      if (file.kind === 'directory') waiting.push(file.path);
    }
  }
  return found;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function kindOf(stats: Stats): FoundFile['kind'] {
  if (stats.isSymbolicLink()) return 'symlink';
  if (stats.isDirectory()) return 'directory';
  if (stats.isSocket()) return 'socket';
  return stats.isFile() ? 'file' : 'other';
}
