import { lstatSync } from 'node:fs';
import type { DirectoryEvent } from './directory-events.ts';

/*
 * Paths and names are kept here as their bytes, one letter a byte: a name that is no UTF-8 is a name
 * too, and programs find what lies under it.
 */

/** A path of a tree as the system takes it, as text, and of a text. */
export const pathBytes = (path: string): Buffer => Buffer.from(path, 'latin1');
export const pathText = (path: string): string => pathBytes(path).toString();
export const pathOfText = (text: string): string => Buffer.from(text).toString('latin1');

/** What the kernel told of, by the paths of folders. */
interface Names {
  /** Folders in which anything happened. */
  readonly touched: ReadonlySet<string>;
  /** And those with other names in them, with these names. */
  readonly listed: Map<string, Set<string> | 'all'>;
  /** Names of files that were made, and are there as far as was told. */
  readonly made: readonly string[];
  readonly mayHide: boolean;
}

/**
 * A file can be changed by a second name that is made in one folder and gone again: of its own folder
 * nothing is told then. So names that came and went may hide something, as may folders that were
 * made, which nobody watched yet.
 */
export function namesTold(
  told: readonly DirectoryEvent[],
  pathOf: ReadonlyMap<number, string>,
  ours: string | null,
): Names {
  const touched = new Set<string>();
  const listed = new Map<string, Set<string> | 'all'>();
  const made = new Set<string>();
  /** Names that were moved, and where to is not told yet; whether they were made just now. */
  const moving = new Map<number, boolean>();
  let mayHide = false;
  for (const { watch, what, name, isFolder, cookie } of told) {
    const path = pathOf.get(watch);
    if (path === undefined) continue;
    touched.add(path);
    if (what === 'self') listed.set(path, 'all');
    if (what === 'self' || (what === 'written' && !isFolder)) continue;
    const names = listed.get(path) ?? new Set();
    if (names !== 'all') listed.set(path, names.add(name));
    const whole = `${path}/${name}`;
    const wasMade = made.delete(whole);
    if (isFolder) {
      if (what === 'made') mayHide ||= whole !== ours;
      else if (what === 'from') moving.set(cookie, false);
      else if (what === 'to' && !moving.delete(cookie)) mayHide = true;
    } else if (what === 'from') moving.set(cookie, wasMade);
    else if (what !== 'written') {
      // One that was made is gone, or another was put in its place.
      if (wasMade) mayHide = true;
      const isMade = what === 'made' || (what === 'to' && moving.get(cookie) !== false);
      moving.delete(cookie);
      if (isMade) made.add(whole);
    }
  }
  // Moved to where nobody looks.
  if ([...moving.values()].some(Boolean)) mayHide = true;
  return { touched, listed, made: [...made], mayHide };
}

/** Whether any of these is another name of a file, or gone without a word. */
export function hasHidden(made: readonly string[]): boolean {
  return made.some((path) => {
    try {
      return lstatSync(pathBytes(path)).nlink !== 1;
    } catch {
      return true;
    }
  });
}
