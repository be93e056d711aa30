import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const monthly = /^\d{4}-\d{2}\.jsonl$/;

/** The monthly files below `directory`, oldest first; none when there is no directory yet. */
export function monthFiles(directory: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return names
    .filter((name) => monthly.test(name))
    .toSorted()
    .map((name) => join(directory, name));
}
