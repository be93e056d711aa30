import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import type { BigIntStats, Dirent } from 'node:fs';
import { openDirectoryEvents } from './directory-events.ts';
import type { DirectoryEvents } from './directory-events.ts';
import { Listeners } from './folder-listeners.ts';
import type { Told } from './folder-listeners.ts';
import { hasHidden, namesTold, pathBytes, pathOfText } from './folder-names.ts';
import { mountsNow } from './mounts.ts';

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

/** The tree of one workspace; nothing is looked at before it is asked. */
export function openFolderTree(options: FolderTreeOptions): FolderTree {
  return new WatchedTree(options);
}

class WatchedTree implements FolderTree {
  readonly #options: Required<FolderTreeOptions>;
  readonly #top: string;
  readonly #listeners = new Listeners();
  readonly #looks = { whole: 0, told: 0 };
  #folders = new Map<string, Seen>();
  #watchOf = new Map<string, number>();
  #pathOf = new Map<number, string>();
  #events: DirectoryEvents | null = null;
  /** The kernel tells of every folder in the tree. */
  #isWatched = false;
  #unwatchedLooks = 0;
  /** Nothing is watched any more, whoever still asks. */
  #isClosed = false;
  #mounted: string | null = null;
  #version = 0;
  #realTop: string;
  /** A folder that we have made, of which is about to be told. */
  #ours: string | null = null;
  /** Folders to be read again: something in them was not where it belongs. */
  #pending = new Set<string>();

  constructor(options: FolderTreeOptions) {
    this.#options = {
      openEvents: openDirectoryEvents,
      mounts: mountsNow,
      most: mostFolders,
      mostWatched: mostWatchedFolders,
      ...options,
    };
    this.#top = pathOfText(options.workspace);
    this.#realTop = this.#top;
  }

  folders(): ReadonlyMap<string, Seen> {
    this.#refresh();
    return this.#folders;
  }

  version(): number {
    return this.#version;
  }

  listen(): () => Told {
    const heard = this.#listeners.add();
    return () => {
      this.#refresh();
      return heard(this.#isWatched);
    };
  }

  ours(path: string): void {
    this.#ours = pathOfText(path);
    try {
      this.#refresh();
    } finally {
      this.#ours = null;
    }
  }

  looks(): { whole: number; told: number } {
    return { ...this.#looks };
  }

  close(): void {
    this.#isClosed = true;
    this.#events?.close();
    this.#events = null;
    this.#isWatched = false;
  }

  #enter(path: string, before: Seen | undefined): Entered {
    let fd: number;
    if (!this.#isWatched && before !== undefined && before.stamp === stampAt(path)) return before;
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
      if (path === this.#top) this.#realTop = leads;
      else if (leads !== this.#realTop + path.slice(this.#top.length)) return 'moved';
      // Watched first: what happens while it is read is told.
      const isTold = this.#watch(path, fd);
      const read = readFolder(fd, before);
      if (!isTold && read.problem === null) this.#isWatched = false;
      return read;
    } catch (error) {
      return unreadable(error as Error, 0);
    } finally {
      closeSync(fd);
    }
  }

  /** False where the kernel does not tell of it. */
  #watch(path: string, fd: number): boolean {
    if (!this.#isWatched || this.#events === null) return false;
    if (this.#watchOf.size >= this.#options.mostWatched) return false;
    const number = this.#events.add(`/proc/self/fd/${fd}/.`);
    // One folder in two places: the kernel would tell of one of them.
    if (number === null || (this.#pathOf.get(number) ?? path) !== path) return false;
    this.#watchOf.set(path, number);
    this.#pathOf.set(number, path);
    return true;
  }

  #drop(from: string): void {
    const left = [from];
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      for (const name of this.#folders.get(path)?.below ?? []) left.push(`${path}/${name}`);
      const number = this.#watchOf.get(path);
      if (number !== undefined && this.#pathOf.get(number) === path) {
        this.#events?.remove(number);
        this.#pathOf.delete(number);
      }
      this.#watchOf.delete(path);
      this.#folders.delete(path);
    }
  }

  #keep(path: string, folder: Seen): void {
    if (this.#folders.get(path) !== folder) this.#version += 1;
    this.#folders.set(path, folder);
  }

  /** Takes in a folder and all below it, of which nothing is known yet. */
  #walk(from: string, before: ReadonlyMap<string, Seen>): void {
    const left = [from];
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      if (this.#folders.size > this.#options.most) {
        this.#isWatched = false;
        return;
      }
      const folder = this.#enter(path, before.get(path));
      if (folder === 'moved') this.#pending.add(parentOf(path));
      if (folder === 'moved' || folder === 'gone') continue;
      this.#keep(path, folder);
      for (const name of folder.below) if (name !== '.git') left.push(`${path}/${name}`);
    }
  }

  #whole(): void {
    this.#looks.whole += 1;
    const before = this.#folders;
    this.#events?.close();
    this.#unwatchedLooks += 1;
    const isTried = !this.#isClosed && (this.#isWatched || this.#unwatchedLooks % retryAfter === 1);
    this.#mounted = isTried ? this.#options.mounts() : null;
    this.#events = isTried && this.#mounted !== null ? opened(this.#options.openEvents) : null;
    this.#isWatched = this.#events !== null;
    this.#pending = new Set();
    [this.#folders, this.#watchOf, this.#pathOf] = [new Map(), new Map(), new Map()];
    this.#listeners.tellAll();
    const was = this.#version;
    this.#walk(this.#top, before);
    if (was === this.#version && this.#folders.size !== before.size) this.#version += 1;
    if (this.#pending.size > 0) this.#isWatched = false;
    if (this.#isWatched) this.#unwatchedLooks = 0;
    else {
      this.#events?.close();
      this.#events = null;
    }
  }

  /** What is in these folders by now. What is gone goes first, so that what was moved is not met twice. */
  #readAgain(names: ReadonlyMap<string, ReadonlySet<string> | 'all'>): void {
    const entering: string[] = [];
    for (const [path, told] of [...names].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const was = this.#folders.get(path);
      if (was === undefined) continue;
      const number = this.#watchOf.get(path);
      const now = this.#enter(path, undefined);
      if (now === 'gone' || now === 'moved' || this.#watchOf.get(path) !== number) {
        if (number !== undefined && this.#watchOf.get(path) !== number) {
          this.#events?.remove(number);
          this.#pathOf.delete(number);
        }
        this.#drop(path);
        this.#version += 1;
        if (path === this.#top) this.#isWatched = false;
        else if (now !== 'gone') this.#pending.add(parentOf(path));
        continue;
      }
      this.#keep(path, now);
      const present = new Set(now.below);
      for (const name of was.below) if (!present.has(name)) this.#drop(`${path}/${name}`);
      for (const name of now.below) {
        const child = `${path}/${name}`;
        if (name === '.git' || (this.#folders.has(child) && told !== 'all' && !told.has(name)))
          continue;
        // The kernel gives a folder that it watches the number that it has: it is the same one.
        const known = this.#watchOf.get(child);
        if (known !== undefined && this.#events?.add(pathBytes(child)) === known) continue;
        this.#drop(child);
        entering.push(child);
      }
    }
    for (const path of entering) if (this.#folders.has(parentOf(path))) this.#walk(path, new Map());
  }

  #toldNow(): boolean {
    for (let round = 0; round < mostRounds; round += 1) {
      const told = this.#events?.read() ?? 'overflow';
      if (told === 'overflow') return false;
      const names = namesTold(told, this.#pathOf, this.#ours);
      this.#listeners.tell(names.touched);
      if (names.mayHide || hasHidden(names.made)) this.#listeners.tellHidden();
      for (const path of this.#pending) names.listed.set(path, 'all');
      this.#listeners.tell(this.#pending);
      this.#pending = new Set();
      if (names.listed.size === 0) return true;
      this.#readAgain(names.listed);
      if (!this.#isWatched) return false;
      if (this.#pending.size === 0) return true;
    }
    return false;
  }

  #refresh(): void {
    // What leads to the workspace may lead to another folder by now.
    const isSame =
      this.#isWatched && this.#events?.add(pathBytes(this.#top)) === this.#watchOf.get(this.#top);
    try {
      if (isSame && this.#options.mounts() === this.#mounted && this.#toldNow())
        this.#looks.told += 1;
      else this.#whole();
    } catch (error) {
      // What was not come to has not been seen.
      this.#isWatched = false;
      this.#listeners.tellAll();
      throw error;
    }
  }
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

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
