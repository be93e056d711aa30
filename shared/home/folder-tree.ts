import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import type { BigIntStats, Dirent } from 'node:fs';
import { openDirectoryEvents } from './directory-events.ts';
import type { DirectoryEvents } from './directory-events.ts';
import { hasHidden, namesTold, pathBytes, pathOfText } from './folder-names.ts';

/** What is in one folder. Another one stands for it as soon as anything in it has changed. */
export interface TreeFolder {
  /** Names of the folders in it. */
  readonly below: readonly string[];
  /** All other names. */
  readonly files: readonly string[];
  /** Why its names cannot be read; null where they can. */
  readonly problem: NodeJS.ErrnoException | null;
  /** When its names last changed, in milliseconds. */
  readonly changedAt: number;
}

/** Where something has happened: folders, by their whole path. `all`: it may have been anywhere. */
export interface Told {
  readonly folders: ReadonlySet<string> | 'all';
  /**
   * A file may have been changed by a name that came and went, which the folders do not tell of. Who
   * asks what a command did takes it for `all`.
   */
  readonly mayHide: boolean;
}

/** All folders of a workspace but those in `.git`, as they are now. */
export interface FolderTree {
  /**
   * By their whole path, the workspace among them; empty where it is gone. Reads what has changed
   * since, and everything where the kernel may have told less than all. No more than the most that
   * it was opened with, and one.
   */
  readonly folders: () => ReadonlyMap<string, TreeFolder>;
  /** Another number after anything in any of them has changed. */
  readonly version: () => number;
  /** Starts to gather for one reader; each call of what it answers tells what came since the last. */
  readonly listen: () => () => Told;
  /** We have just made this folder in the tree: by that nothing can be hidden. */
  readonly ours: (path: string) => void;
  /** How often all was read, and how often only what the kernel told of. */
  readonly looks: () => { readonly whole: number; readonly told: number };
  readonly close: () => void;
}

export interface FolderTreeOptions {
  /** Absolute real path. */
  readonly workspace: string;
  readonly openEvents?: () => DirectoryEvents | null;
  /** Changes with what is mounted anywhere; null where that cannot be told. */
  readonly mounts?: () => string | null;
  /** How many folders are looked into. */
  readonly most?: number;
  /** How many are watched; each costs the kernel memory. */
  readonly mostWatched?: number;
}

const mostFolders = 100_000;
const mostWatchedFolders = 20_000;
/** More are as good as all. */
const mostTold = 10_000;
/** What could not be watched is tried again after so many looks. */
const retryAfter = 50;
const mostRounds = 8;
/** A folder that has just changed may change once more at what counts as the same time. */
const settledMs = 50;
/** Linux's O_PATH, for which no right to the folder itself is needed. */
const pathOnly = 0o10_000_000;

interface Seen extends TreeFolder {
  /** Changes with the names in it; null where that cannot be relied on. */
  readonly stamp: string | null;
}

/** What a look at a folder found: `moved` where its path led elsewhere for a moment. */
type Entered = Seen | 'gone' | 'moved';

interface Gathering {
  folders: Set<string> | 'all';
  mayHide: boolean;
}

/** The tree of one workspace; nothing is looked at before it is asked. */
export function openFolderTree(options: FolderTreeOptions): FolderTree {
  const { openEvents = openDirectoryEvents, mounts = mountsNow } = options;
  const { most = mostFolders, mostWatched = mostWatchedFolders } = options;
  const top = pathOfText(options.workspace);
  const gatherings: Gathering[] = [];
  const looks = { whole: 0, told: 0 };
  let folders = new Map<string, Seen>();
  let watchOf = new Map<string, number>();
  let pathOf = new Map<number, string>();
  let events: DirectoryEvents | null = null;
  /** The kernel tells of every folder in the tree. */
  let isWatched = false;
  let unwatchedLooks = 0;
  /** Nothing is watched any more, whoever still asks. */
  let isClosed = false;
  let mounted: string | null = null;
  let version = 0;
  let realTop = top;
  /** A folder that we have made, of which is about to be told. */
  let ours: string | null = null;
  /** Folders to be read again: something in them was not where it belongs. */
  let pending = new Set<string>();

  const gather = (paths: Iterable<string>): void => {
    for (const one of gatherings) {
      if (one.folders === 'all') continue;
      for (const path of paths) one.folders.add(path);
      if (one.folders.size > mostTold) one.folders = 'all';
    }
  };
  const gatherAll = (): void => {
    for (const one of gatherings) one.folders = 'all';
  };
  const hide = (): void => {
    for (const one of gatherings) one.mayHide = true;
  };
  const enter = (path: string, before: Seen | undefined): Entered => {
    let fd: number;
    if (!isWatched && before !== undefined && before.stamp === stampAt(path)) return before;
    try {
      const flags = pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW;
      fd = openSync(pathBytes(path), flags);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return 'gone';
      return unreadable(error as Error, 0);
    }
    try {
      // By a link that stood on the way for a moment one would come to a folder of somebody else.
      const leads = readlinkSync(`/proc/self/fd/${fd}`, { encoding: 'latin1' });
      if (path === top) realTop = leads;
      else if (leads !== realTop + path.slice(top.length)) return 'moved';
      // Watched first: what happens while it is read is told.
      const isTold = watch(path, fd);
      const read = readFolder(fd, before);
      if (!isTold && read.problem === null) isWatched = false;
      return read;
    } catch (error) {
      return unreadable(error as Error, 0);
    } finally {
      closeSync(fd);
    }
  };
  /** False where the kernel does not tell of it. */
  const watch = (path: string, fd: number): boolean => {
    if (!isWatched || events === null) return false;
    if (watchOf.size >= mostWatched) return false;
    const number = events.add(`/proc/self/fd/${fd}/.`);
    // One folder in two places: the kernel would tell of one of them.
    if (number === null || (pathOf.get(number) ?? path) !== path) return false;
    watchOf.set(path, number);
    pathOf.set(number, path);
    return true;
  };
  const drop = (from: string): void => {
    const left = [from];
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      for (const name of folders.get(path)?.below ?? []) left.push(`${path}/${name}`);
      const number = watchOf.get(path);
      if (number !== undefined && pathOf.get(number) === path) {
        events?.remove(number);
        pathOf.delete(number);
      }
      watchOf.delete(path);
      folders.delete(path);
    }
  };
  const keep = (path: string, folder: Seen): void => {
    if (folders.get(path) !== folder) version += 1;
    folders.set(path, folder);
  };
  /** Takes in a folder and all below it, of which nothing is known yet. */
  const walk = (from: string, before: ReadonlyMap<string, Seen>): void => {
    const left = [from];
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      if (folders.size > most) {
        isWatched = false;
        return;
      }
      const folder = enter(path, before.get(path));
      if (folder === 'moved') pending.add(parentOf(path));
      if (folder === 'moved' || folder === 'gone') continue;
      keep(path, folder);
      for (const name of folder.below) if (name !== '.git') left.push(`${path}/${name}`);
    }
  };
  const whole = (): void => {
    looks.whole += 1;
    const before = folders;
    events?.close();
    unwatchedLooks += 1;
    const isTried = !isClosed && (isWatched || unwatchedLooks % retryAfter === 1);
    mounted = isTried ? mounts() : null;
    events = isTried && mounted !== null ? opened(openEvents) : null;
    isWatched = events !== null;
    pending = new Set();
    [folders, watchOf, pathOf] = [new Map(), new Map(), new Map()];
    gatherAll();
    const was = version;
    walk(top, before);
    if (was === version && folders.size !== before.size) version += 1;
    if (pending.size > 0) isWatched = false;
    if (isWatched) unwatchedLooks = 0;
    else {
      events?.close();
      events = null;
    }
  };
  /** What is in these folders by now. What is gone goes first, so that what was moved is not met twice. */
  const readAgain = (names: ReadonlyMap<string, ReadonlySet<string> | 'all'>): void => {
    const entering: string[] = [];
    for (const [path, told] of [...names].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const was = folders.get(path);
      if (was === undefined) continue;
      const number = watchOf.get(path);
      const now = enter(path, undefined);
      if (now === 'gone' || now === 'moved' || watchOf.get(path) !== number) {
        if (number !== undefined && watchOf.get(path) !== number) {
          events?.remove(number);
          pathOf.delete(number);
        }
        drop(path);
        version += 1;
        if (path === top) isWatched = false;
        else if (now !== 'gone') pending.add(parentOf(path));
        continue;
      }
      keep(path, now);
      const present = new Set(now.below);
      for (const name of was.below) if (!present.has(name)) drop(`${path}/${name}`);
      for (const name of now.below) {
        const child = `${path}/${name}`;
        if (name === '.git' || (folders.has(child) && told !== 'all' && !told.has(name))) continue;
        // The kernel gives a folder that it watches the number that it has: it is the same one.
        const known = watchOf.get(child);
        if (known !== undefined && events?.add(pathBytes(child)) === known) continue;
        drop(child);
        entering.push(child);
      }
    }
    for (const path of entering) if (folders.has(parentOf(path))) walk(path, new Map());
  };
  const toldNow = (): boolean => {
    for (let round = 0; round < mostRounds; round += 1) {
      const told = events?.read() ?? 'overflow';
      if (told === 'overflow') return false;
      const names = namesTold(told, pathOf, ours);
      gather(names.touched);
      if (names.mayHide || hasHidden(names.made)) hide();
      for (const path of pending) names.listed.set(path, 'all');
      gather(pending);
      pending = new Set();
      if (names.listed.size === 0) return true;
      readAgain(names.listed);
      if (!isWatched) return false;
      if (pending.size === 0) return true;
    }
    return false;
  };
  const refresh = (): void => {
    // What leads to the workspace may lead to another folder by now.
    const isSame = isWatched && events?.add(pathBytes(top)) === watchOf.get(top);
    try {
      if (isSame && mounts() === mounted && toldNow()) looks.told += 1;
      else whole();
    } catch (error) {
      // What was not come to has not been seen.
      isWatched = false;
      gatherAll();
      throw error;
    }
  };
  return {
    folders: () => {
      refresh();
      return folders;
    },
    version: () => version,
    listen: () => {
      const mine: Gathering = { folders: 'all', mayHide: true };
      gatherings.push(mine);
      return () => {
        refresh();
        const told = { ...mine };
        mine.folders = isWatched ? new Set() : 'all';
        mine.mayHide = false;
        return told;
      };
    },
    ours: (path) => {
      ours = pathOfText(path);
      try {
        refresh();
      } finally {
        ours = null;
      }
    },
    looks: () => ({ ...looks }),
    close: () => {
      isClosed = true;
      events?.close();
      events = null;
      isWatched = false;
    },
  };
}

function readFolder(fd: number, before: Seen | undefined): Seen {
  const about = fstatSync(fd, { bigint: true });
  const changedAt = Number(about.ctimeMs);
  const stamp = stampOf(about);
  if (before !== undefined && before.stamp === stamp) return before;
  let entries: readonly Dirent[];
  try {
    const path = pathBytes(`/proc/self/fd/${fd}/.`);
    entries = readdirSync(path, { withFileTypes: true, encoding: 'latin1' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      return unreadable(error as Error, changedAt);
    entries = [];
  }
  const namesOf = (isFolder: boolean): readonly string[] =>
    entries.filter((one) => one.isDirectory() === isFolder).map(({ name }) => name);
  return {
    below: namesOf(true),
    files: namesOf(false),
    problem: null,
    changedAt,
    stamp: Date.now() - changedAt < settledMs ? null : stamp,
  };
}

function stampAt(path: string): string | undefined {
  try {
    const about = lstatSync(pathBytes(path), { bigint: true });
    return about.isDirectory() ? stampOf(about) : undefined;
  } catch {
    return undefined;
  }
}

function stampOf({ dev, ino, ctimeNs }: BigIntStats): string {
  return [dev, ino, ctimeNs].join(':');
}

function unreadable(problem: Error, changedAt: number): Seen {
  return { below: [], files: [], problem, changedAt, stamp: null };
}

function opened(openEvents: () => DirectoryEvents | null): DirectoryEvents | null {
  try {
    return openEvents();
  } catch {
    return null;
  }
}

/** What the kernel watches is a folder, not its place: something else can be mounted there. */
function mountsNow(): string | null {
  try {
    return readFileSync('/proc/self/mountinfo', 'latin1');
  } catch {
    return null;
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
