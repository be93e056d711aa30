import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { refuse } from '../../../shared/base/index.ts';
import { careIn } from '../../../shared/engine/index.ts';
import type { CareOf } from '../../../shared/engine/index.ts';
import { nodeFiles, pathOfText, pathText } from '../../../shared/home/index.ts';
import type { FolderTree, FolderTrees, TreeFolder } from '../../../shared/home/index.ts';
import { guarded, pins } from './git.ts';
import type { Entry } from './message.ts';
import { isBelow, parentOf } from './paths.ts';

/** What is to be held in a workspace: absolute real paths, none of which lies in another. */
interface Cared {
  readonly hidden: readonly Found[];
  readonly kept: readonly Found[];
}

interface Found {
  readonly path: string;
  readonly isFolder: boolean;
  /** By which a file that was put in its place is told from it. */
  readonly mark: string;
}

/** So many folders are looked into; a workspace with more is none for what nobody allowed. */
const mostFolders = 10_000;

/** Of others, fetched or made, in numbers; Git's own is read-only as a whole. */
const notLookedInto = new Set(
  'node_modules .git .hg .svn .venv venv site-packages .tox target vendor __pycache__ .cache .gradle'.split(
    ' ',
  ),
);

/** Finds what is to be held in workspaces. Names are looked at anew only where something happened. */
interface CareFinder {
  /**
   * Throws a `host-unavailable` refusal where the workspace has too many folders, or one that cannot
   * be read.
   */
  find(workspace: string, careOf: CareOf): Cared;
}

/** What a folder holds that the list of places knows, whatever is in it now. */
interface Listing {
  readonly folders: readonly string[];
  /** Paths, with links. What is in a file may change without a trace. */
  readonly telling: readonly string[];
}

export function createCareFinder(trees: FolderTrees, most = mostFolders): CareFinder {
  const listings = new WeakMap<TreeFolder, Listing>();
  const told = new WeakMap<FolderTree, { version: number; telling: readonly string[] }>();
  const tellingIn = (workspace: string, careOf: CareOf): readonly string[] => {
    const tree = trees.of(workspace);
    const folders = tree.folders();
    const version = tree.version();
    const known = told.get(tree);
    if (known?.version === version) return known.telling;
    const telling: string[] = [];
    const left = [pathOfText(workspace)];
    if (!folders.has(left[0] ?? '')) throw unreadable(workspace, new Error('It is gone.'));
    let count = 0;
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      const folder = folders.get(path);
      if (folder === undefined) continue;
      if (count >= most) throw tooMany(workspace, most);
      count += 1;
      // What we cannot read may hold anything, and its owner can read it.
      if (folder.problem !== null) throw unreadable(pathText(path), folder.problem);
      const listing = listings.get(folder) ?? listingOf(path, folder, careOf);
      listings.set(folder, listing);
      telling.push(...listing.telling);
      left.push(...listing.folders);
    }
    told.set(tree, { version, telling });
    return telling;
  };
  return {
    find: (workspace, careOf) => sorted(tellingIn(workspace, careOf), workspace, careOf),
  };
}

function listingOf(folder: string, { below, files }: TreeFolder, careOf: CareOf): Listing {
  const folders: string[] = [];
  const telling: string[] = [];
  const take = (name: string, isFolder: boolean): void => {
    const bytes = `${folder}/${name}`;
    const path = pathText(bytes);
    const isKnown = careOf(path, 'name') !== null;
    const isLooked = isFolder && !notLookedInto.has(name);
    // By a name that is no UTF-8 nothing is held.
    if ((isKnown || isLooked) && pathOfText(path) !== bytes)
      throw unreadable(path, new Error('The name is no UTF-8.'));
    if (isKnown) telling.push(path);
    // What is hidden is so with all that is in it; below what is kept there may be secrets.
    if (isLooked && (!isKnown || careOf(path, 'content') !== 'hide')) folders.push(bytes);
  };
  for (const name of below) take(name, true);
  for (const name of files) take(name, false);
  return { folders, telling };
}

/** By their real paths: what a link leads to is held, where that lies in the workspace. */
function sorted(found: readonly string[], workspace: string, careOf: CareOf): Cared {
  const hidden = new Map<string, Found>();
  const kept = new Map<string, Found>();
  for (const path of found) {
    const care = careOf(path, 'content');
    if (care === null) continue;
    const real = realOf(path);
    if (real === null || !isBelow(real, workspace) || real === workspace) continue;
    const stats = lstatSync(real, { throwIfNoEntry: false });
    if (stats === undefined || !(stats.isFile() || stats.isDirectory())) continue;
    const mark = `${stats.dev}:${stats.ino}`;
    (care === 'hide' ? hidden : kept).set(real, {
      path: real,
      isFolder: stats.isDirectory(),
      mark,
    });
  }
  const shown = outermost(kept, hidden).filter(({ path }) => !hidden.has(path));
  return {
    hidden: outermost(hidden),
    kept: outermost(new Map(shown.map((one) => [one.path, one]))),
  };
}

function outermost(
  found: ReadonlyMap<string, Found>,
  around: ReadonlyMap<string, Found> = found,
): readonly Found[] {
  const isInside = (path: string): boolean => {
    for (let at = parentOf(path); at !== ''; at = parentOf(at)) if (around.has(at)) return true;
    return false;
  };
  return [...found.values()].filter(({ path }) => !isInside(path));
}

function realOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}

/**
 * Empty in the place of secrets, and read-only what steers or runs later. The way to either is held: in
 * a folder that was moved to a name that is not looked into, the next command would find them.
 */
function careEntries(workspace: string, { hidden, kept }: Cared): readonly Entry[] {
  return [
    ...hidden.flatMap(({ path }) => pins(workspace, path)),
    ...kept.flatMap(({ path }) => guarded(workspace, path)),
    ...hidden.map(emptied),
  ];
}

function emptied({ path, isFolder }: Found): Entry {
  return isFolder
    ? { kind: 'tmpfs', target: path, options: 'size=4k,mode=0555' }
    : { kind: 'file', target: path, content: '' };
}

/** Looks after the workspaces of commands that nobody allowed, from their start to their end. */
export interface CareWatch {
  /** What a sandbox hides and holds in a folder for a command. */
  readonly entries: (id: string, folder: string, home: string) => readonly Entry[];
  /** What it hides in a folder that the command cannot change: there nothing has to be held. */
  readonly hidden: (folder: string, home: string) => readonly Entry[];
  /**
   * What steers or runs later, and was not there when the command started, or is another file now.
   * To be asked once, at its end.
   */
  readonly planted: (id: string) => readonly string[];
}

interface Watched {
  readonly folder: string;
  readonly careOf: CareOf;
  readonly before: Cared;
}

export function createCareWatch(trees: FolderTrees): CareWatch {
  const finder = createCareFinder(trees);
  const watched = new Map<string, Watched[]>();
  const caredIn = (folder: string, home: string) => {
    const careOf = careIn(folder, { home, files: nodeFiles() });
    return { careOf, before: finder.find(folder, careOf) };
  };
  return {
    hidden: (folder, home) => caredIn(folder, home).before.hidden.map(emptied),
    entries: (id, folder, home) => {
      const { careOf, before } = caredIn(folder, home);
      watched.set(id, [...(watched.get(id) ?? []), { folder, careOf, before }]);
      return careEntries(folder, before);
    },
    planted: (id) => {
      const all = watched.get(id) ?? [];
      watched.delete(id);
      return all.flatMap(({ folder, careOf, before }) => {
        try {
          return plantedSince(before, finder.find(folder, careOf)).filter(
            // Where a history would be begun, until it is cleared away: for Git there is none.
            (path) => path !== `${folder}/.git` || readdirSync(path).length > 0,
          );
        } catch {
          // What it left cannot be looked through any more, which is reason enough to look.
          return [folder];
        }
      });
    },
  };
}

function plantedSince(before: Cared, after: Cared): readonly string[] {
  const marks = new Map(before.kept.map(({ path, mark }) => [path, mark]));
  return after.kept.filter(({ path, mark }) => marks.get(path) !== mark).map(({ path }) => path);
}

const hint =
  'Work in a smaller folder that exec.workspaces of config.json names, or ask for this machine.';

function tooMany(workspace: string, most: number): Error {
  return refuse(
    'host-unavailable',
    `${workspace} has more than ${most} folders: what holds secrets there cannot be told, so nothing was run.`,
    hint,
  );
}

function unreadable(folder: string, cause: unknown): Error {
  return refuse(
    'host-unavailable',
    `${folder} cannot be looked into: what holds secrets there cannot be told, so nothing was run.`,
    hint,
    { cause },
  );
}
