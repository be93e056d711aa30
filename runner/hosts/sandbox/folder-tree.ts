import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { actsLaterByName } from '../../../shared/engine/index.ts';
import type { DirectoryEvent, DirectoryEvents } from '../../../shared/home/index.ts';

/** What is known of one folder. */
export interface Folder {
  /** Changes with the names in it. */
  readonly stamp: bigint;
  readonly below: readonly string[];
  readonly hasGit: boolean;
  /** Git would take the folder itself for a history. */
  readonly isBare: boolean;
  /** Names of files in it that are obeyed or started later, by their place in the project. */
  readonly acts: readonly { readonly name: string; readonly why: string }[];
}

/** All folders of a workspace, those of `.git` left out. */
export interface FolderTree {
  /**
   * Brings it up to what is there now, a step at a time, so that others can have their turn. What the
   * kernel has told is read again, and everything where it may have told less than all.
   */
  readonly refresh: () => Generator<void>;
  /** Folders with a history, or with a file that acts later. */
  readonly notable: () => ReadonlyMap<string, Folder>;
  /** How often all was looked at, and how often only what had changed. */
  readonly looks: () => { readonly whole: number; readonly told: number };
  /** Lets go of the watch; the next look is at everything. */
  readonly unwatch: () => void;
}

export interface FolderTreeOptions {
  /** Absolute real path. */
  readonly workspace: string;
  /** Null where folders cannot be watched. */
  readonly openEvents: () => DirectoryEvents | null;
  /** Changes with what is mounted anywhere; null where that cannot be told. */
  readonly mounts?: () => string | null;
}

/** Folders of one workspace that are remembered and gone through; more are not looked at. */
const mostFolders = 100_000;
/** Each costs the kernel memory. */
const mostWatched = 20_000;
const settledMs = 50;

/** Whether anything at all has happened in folders since they were looked at. */
export interface Stillness {
  /** Before a folder is looked at. */
  readonly add: (path: string) => void;
  /** False also where the kernel may have told less than all. */
  readonly holds: () => boolean;
  readonly close: () => void;
}

/** @param top absolute; the folder in which the others lie, itself to be added */
export function openStillness({
  workspace: top,
  openEvents,
  mounts = mountsNow,
}: FolderTreeOptions): Stillness {
  const mounted = mounts();
  const events = mounted === null ? null : opened(openEvents);
  const watched = new Map<string, number>();
  let isWhole = events !== null;
  return {
    add: (path) => {
      if (!isWhole) return;
      const number = watched.size < mostWatched ? (events?.add(path) ?? null) : null;
      if (number === null) isWhole = false;
      else watched.set(path, number);
    },
    holds: () => {
      if (!isWhole || events === null || !watched.has(top)) return false;
      // What leads there may lead to another folder by now.
      const told = events.add(top) === watched.get(top) ? events.read() : 'overflow';
      isWhole = told !== 'overflow' && told.length === 0 && mounts() === mounted;
      return isWhole;
    },
    close: () => {
      isWhole = false;
      events?.close();
    },
  };
}

/** The tree of one workspace; empty until the first refresh. */
export function openFolderTree(options: FolderTreeOptions): FolderTree {
  const { workspace, openEvents, mounts = mountsNow } = options;
  let folders = new Map<string, Folder>();
  const notable = new Map<string, Folder>();
  let watchOf = new Map<string, number>();
  let pathOf = new Map<number, string>();
  let events: DirectoryEvents | null = null;
  /** The kernel tells of every folder in the tree. */
  let isWatched = false;
  let mounted: string | null = null;
  const looks = { whole: 0, told: 0 };

  const keep = (path: string, folder: Folder): void => {
    folders.set(path, folder);
    const isNotable = folder.hasGit || folder.isBare || folder.acts.length > 0;
    if (isNotable) notable.set(path, folder);
    else notable.delete(path);
  };
  /** Before it is read, so that nothing happens in between unseen. */
  const watch = (path: string): void => {
    if (!isWatched) return;
    const number = watchOf.size < mostWatched ? (events?.add(path) ?? null) : null;
    // One folder in two places: the kernel would tell of one of them.
    if (number === null || (pathOf.get(number) ?? path) !== path) {
      isWatched = false;
      return;
    }
    watchOf.set(path, number);
    pathOf.set(number, path);
  };
  const drop = (top: string): void => {
    const left = [top];
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      for (const name of folders.get(path)?.below ?? []) left.push(`${path}/${name}`);
      const number = watchOf.get(path);
      if (number !== undefined) {
        events?.remove(number);
        pathOf.delete(number);
      }
      watchOf.delete(path);
      folders.delete(path);
      notable.delete(path);
    }
  };
  const walk = function* (top: string, before: ReadonlyMap<string, Folder>): Generator<void> {
    const left = [top];
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      if (folders.size >= mostFolders) {
        isWatched = false;
        return;
      }
      watch(path);
      const folder = folderAt(workspace, path, before.get(path));
      if (folder === null) continue;
      keep(path, folder);
      for (const name of folder.below) left.push(`${path}/${name}`);
      yield;
    }
  };
  const whole = function* (): Generator<void> {
    looks.whole += 1;
    mounted = mounts();
    // A watch that has ended is opened anew; its number may be another folder's by now.
    events?.close();
    events = opened(openEvents);
    isWatched = events !== null && mounted !== null;
    const before = folders;
    folders = new Map();
    notable.clear();
    watchOf = new Map();
    pathOf = new Map();
    yield* walk(workspace, before);
  };
  const pathsOf = (told: readonly DirectoryEvent[]): readonly string[] =>
    [...new Set(told.flatMap(({ watch: number }) => pathOf.get(number) ?? []))].toSorted();
  /** What is in these folders by now. What is gone goes first, so that what was moved is not met twice. */
  const reread = function* (paths: readonly string[]): Generator<void> {
    looks.told += 1;
    const read: string[] = [];
    for (const path of paths) {
      const was = folders.get(path);
      if (was === undefined) continue;
      const now = folderAt(workspace, path, undefined);
      if (now === null) {
        drop(path);
        if (path === workspace) isWatched = false;
        continue;
      }
      const present = new Set(now.below);
      for (const name of was.below) if (!present.has(name)) drop(`${path}/${name}`);
      keep(path, now);
      read.push(path);
      yield;
    }
    for (const path of read)
      for (const name of folders.get(path)?.below ?? []) {
        const child = `${path}/${name}`;
        const number = watchOf.get(child);
        // The kernel gives a folder that it watches the number that it has: it is the same one.
        if (number !== undefined && folders.has(child) && events?.add(child) === number) continue;
        drop(child);
        yield* walk(child, new Map());
      }
  };
  return {
    refresh: function* () {
      // What leads to the workspace may lead to another folder by now.
      const isSame = isWatched && events?.add(workspace) === watchOf.get(workspace);
      const told = isSame && mounts() === mounted ? (events?.read() ?? 'overflow') : 'overflow';
      try {
        if (told === 'overflow') yield* whole();
        else yield* reread(pathsOf(told));
      } catch (error) {
        // What was not come to has not been seen.
        isWatched = false;
        throw error;
      }
    },
    notable: () => notable,
    looks: () => ({ ...looks }),
    unwatch: () => {
      events?.close();
      events = null;
      isWatched = false;
    },
  };
}

function opened(openEvents: FolderTreeOptions['openEvents']): DirectoryEvents | null {
  try {
    return openEvents();
  } catch {
    return null;
  }
}

/** What the kernel watches is a folder, not its place: something else can be mounted there. */
function mountsNow(): string | null {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return null;
  }
}

/** Null where no folder is there, or none that we can read. What has not changed is not read again. */
function folderAt(workspace: string, path: string, before: Folder | undefined): Folder | null {
  try {
    const about = lstatSync(path, { bigint: true });
    if (!about.isDirectory()) return null;
    if (before?.stamp === about.ctimeNs) return before;
    const entries = readdirSync(path, { withFileTypes: true });
    const names = new Set(entries.map(({ name }) => name));
    return {
      // What has just changed may change once more at what counts as the same time.
      stamp: Date.now() - Number(about.ctimeMs) < settledMs ? 0n : about.ctimeNs,
      below: entries
        .filter((one) => one.isDirectory() && one.name !== '.git')
        .map(({ name }) => name),
      hasGit: names.has('.git'),
      isBare: ['HEAD', 'config', 'objects', 'refs'].every((name) => names.has(name)),
      acts: actsIn(
        path.slice(workspace.length),
        entries.filter((one) => !one.isDirectory()).map(({ name }) => name),
      ),
    };
  } catch {
    return null;
  }
}

function actsIn(below: string, files: readonly string[]): Folder['acts'] {
  if (below.split('/').includes('node_modules')) return [];
  return files.flatMap((name) => {
    // By its place in the project alone: where the project lies is another matter.
    const why = actsLaterByName(`/project${below}/${name}`);
    return why === null ? [] : [{ name, why }];
  });
}
