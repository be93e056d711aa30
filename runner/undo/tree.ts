import { closeSync, fstatSync } from 'node:fs';
import { lookAt, namesIn, openBelow, openChild, openFile, openRoot, readAll } from './files.ts';
import type { OpenFolder } from './files.ts';
import { isRuleFile, openRules, parentOf, rulesSignature } from './rules.ts';
import type { Rules } from './rules.ts';
import { fits, hasChanged, isAsSeen, KeepProblem, seenAs, signed, stepMs } from './seen.ts';
import type { Keeping, Known } from './seen.ts';
import type { Change } from './state.ts';

interface Folder {
  readonly entries: Map<string, Known>;
}

const mostRulesText = 1 << 20;

export interface TreeOptions extends Keeping {
  /** Absolute; a plain path. */
  readonly root: string;
  /** How many files and folders may be in a tree. */
  readonly mostFiles: number;
  /** A person's rules for all projects; null for none. */
  readonly globalRules: string | null;
}

/** A workspace as it was last seen, kept by content. */
export interface Tree {
  /** Every path that is known, with what is known of it. */
  known(): IterableIterator<readonly [string, Known]>;
  /** Contents that it needs, those of changes that were not answered yet included. */
  hashes(): IterableIterator<string>;
  size(): number;
  /** Takes in what was known before. Only before the first look. */
  restore(path: string, known: Known): void;
  /**
   * Looks at what may have changed, keeps it, and answers it: at everything, or at these folders (paths
   * below the root) and files that have other names. The first look is at everything, and so is the
   * one after a failure. Throws a `KeepProblem`, and loses nothing that it found: the next look
   * answers that too.
   */
  look(where: 'all' | Iterable<string>): readonly Change[];
  /** Paths whose records changed since the last call. */
  touched(): readonly string[];
  at(path: string): Known | null;
}

/** The tree of one workspace, empty at first. */
export function openTree(options: TreeOptions): Tree {
  const { root, store, now } = options;
  const folders = new Map<string, Folder>([['', emptyFolder()]]);
  /** Files that have other names, under which they can be changed unseen. */
  const linked = new Set<string>();
  let rootKnown: Known | null = null;
  let count = 0;
  let found: Change[] = [];
  let touched = new Set<string>();
  /** All of it was looked at, and nothing has failed since. */
  let isWhole = false;
  /** Folders with something that has to be looked at again, whatever is told. */
  let fresh = new Set<string>();
  let rules: Rules | null = null;
  let ruleChanges = 0;
  let outerRules: string | null = null;
  let areRulesNew = false;
  let lastLook = 0;
  let open: OpenFolder | null = null;

  const rulesNow = (): Rules => {
    rules ??= openRules({
      root,
      global: options.globalRules,
      textIn: (folder) => (open === null ? null : rulesText(open, folder)),
    });
    return rules;
  };
  const note = (path: string, known: Known | null): void => {
    const folder = folders.get(parentOf(path));
    const name = path.slice(path.lastIndexOf('/') + 1);
    const was = folder?.entries.get(name) ?? null;
    if (known === null) {
      folder?.entries.delete(name);
      linked.delete(path);
      count -= was === null ? 0 : 1;
    } else {
      folder?.entries.set(name, known);
      count += was === null ? 1 : 0;
    }
    touched.add(path);
    if (known?.isFresh === true) fresh.add(parentOf(path));
    const before = was?.state ?? null;
    const after = known?.state ?? null;
    if (hasChanged(was, known)) found.push({ path, before, after });
    if (count > options.mostFiles)
      throw new KeepProblem(`it holds more than ${options.mostFiles} files (undo.files)`);
  };
  const takeIn = (path: string, known: Known): void => {
    note(path, known);
    found.pop();
  };
  const drop = (path: string): void => {
    const folder = folders.get(path);
    if (folder !== undefined) {
      for (const name of folder.entries.keys()) drop(`${path}/${name}`);
      folders.delete(path);
    }
    note(path, null);
  };
  const lookAtName = (way: Way, { path, folder, name }: Name, how: How): void => {
    const full = path === '' ? name : `${path}/${name}`;
    const was = folder.entries.get(name) ?? null;
    // By its path, which is quicker: whoever leads that elsewhere cannot make another file fit.
    if (was !== null && !was.isFresh && isAsSeen(was.signature, root, full)) {
      if (was.state.kind === 'folder' && how.isDeep)
        below(way, full, name, { ...how, isRead: how.isForced });
      return;
    }
    const at = way.folder();
    if (at === null) return;
    const stat = lookAt(at, name);
    if (stat === null) {
      if (was !== null) drop(full);
      return;
    }
    const isFolder = stat.isDirectory();
    const isUnchanged = was !== null && !was.isFresh && fits(was.signature, stat);
    if (was === null && rulesNow().leavesOut(full, isFolder)) return;
    if (!isUnchanged) {
      if (was?.state.kind === 'folder' && !isFolder) drop(full);
      const known = seenAs(at, name, stat, options);
      // It was there a moment ago.
      if (known === null) {
        if (folder.entries.has(name)) drop(full);
        return;
      }
      // It was left out up to now; nobody has put it there.
      if (was === null && areRulesNew && stat.ctimeMs < lastLook - stepMs) takeIn(full, known);
      else note(full, known);
      if (isRuleFile(full)) {
        rules = null;
        ruleChanges += 1;
        areRulesNew = true;
      }
      if (stat.nlink > 1 && stat.isFile()) linked.add(full);
      else linked.delete(full);
    }
    if (!isFolder) return;
    const isNew = !folders.has(full);
    if (isNew) folders.set(full, emptyFolder());
    if (!isNew && !how.isDeep) return;
    const isRead = how.isForced || !isUnchanged || isNew;
    below(way, full, name, { isDeep: true, isForced: how.isForced, isRead });
  };
  const below = (way: Way, path: string, name: string, how: How): void => {
    const inside = wayTo(way, name);
    try {
      lookInto(inside, path, how);
    } finally {
      inside.close();
    }
  };
  /** Exchanged or closed to us since we looked: the next look says what it is. */
  const lost = (path: string): void => {
    const known = folders.get(parentOf(path))?.entries.get(path.slice(path.lastIndexOf('/') + 1));
    if (known !== undefined) note(path, { ...known, isFresh: true });
  };
  const lookInto = (way: Way, path: string, how: How): void => {
    const folder = folders.get(path);
    if (folder === undefined) return;
    const names = how.isRead ? readable(way.folder()) : [...folder.entries.keys()];
    if (names === null) {
      lost(path);
      return;
    }
    const before = ruleChanges;
    const look = (name: string, deep: How): void => lookAtName(way, { path, folder, name }, deep);
    if (names.includes('.gitignore')) look('.gitignore', how);
    // Other rules: what was left out has to be looked at again.
    const isForced = how.isForced || before !== ruleChanges;
    const isRead = how.isRead || isForced;
    const all = isRead && !how.isRead ? (readable(way.folder()) ?? names) : names;
    for (const name of all)
      if (name !== '.git' && name !== '.gitignore') look(name, { ...how, isForced });
    if (!isRead) return;
    const present = new Set(all);
    for (const name of folder.entries.keys())
      if (!present.has(name)) drop(path === '' ? name : `${path}/${name}`);
  };
  const whole = (at: OpenFolder): void => {
    isWhole = false;
    fresh = new Set();
    const stat = fstatSync(at.fd);
    const isUnchanged = rootKnown !== null && !rootKnown.isFresh && fits(rootKnown.signature, stat);
    rootKnown = { state: { kind: 'folder', mode: stat.mode & 0o7777 }, ...signed(stat, now()) };
    // What lies outside of the tree and says what belongs to it may be another by now.
    rules = null;
    const outer = rulesSignature(root, options.globalRules);
    areRulesNew = outerRules !== null && outer !== outerRules;
    outerRules = outer;
    const isForced = areRulesNew;
    lookInto(wayAt(at), '', { isDeep: true, isForced, isRead: !isUnchanged || isForced });
    isWhole = true;
  };
  const some = (at: OpenFolder, told: Iterable<string>): void => {
    const paths = new Set([...told, ...fresh]);
    fresh = new Set();
    for (const path of linked) paths.add(parentOf(path));
    for (const path of [...paths].toSorted()) {
      if (!folders.has(path)) continue;
      const name = path.slice(path.lastIndexOf('/') + 1);
      const how = { isDeep: false, isForced: false, isRead: true };
      if (path === '') lookInto(wayAt(at), '', how);
      else inFolder(at, parentOf(path), (folder) => below(wayAt(folder), path, name, how));
    }
  };
  return {
    known: function* () {
      for (const [path, { entries }] of folders)
        for (const [name, known] of entries)
          yield [path === '' ? name : `${path}/${name}`, known] as const;
    },
    hashes: function* () {
      for (const { entries } of folders.values())
        for (const { state } of entries.values())
          if (state.kind === 'file' && state.hash !== null) yield state.hash;
      for (const { before } of found)
        if (before?.kind === 'file' && before.hash !== null) yield before.hash;
    },
    size: () => count,
    restore: (path, known) => {
      const parent = folders.get(parentOf(path));
      const name = path.slice(path.lastIndexOf('/') + 1);
      if (parent === undefined || parent.entries.has(name)) return;
      parent.entries.set(name, known);
      if (known.state.kind === 'folder') folders.set(path, emptyFolder());
      count += 1;
    },
    look: (where) => {
      open = openedRoot(root);
      const began = now();
      areRulesNew = false;
      try {
        if (where === 'all' || !isWhole) whole(open);
        else some(open, where);
        lastLook = began;
      } catch (error) {
        isWhole = false;
        throw error;
      } finally {
        open.close();
        open = null;
      }
      store.sync();
      const all = found;
      found = [];
      return all;
    },
    touched: () => {
      const all = [...touched];
      touched = new Set();
      return all;
    },
    at: (path) =>
      folders.get(parentOf(path))?.entries.get(path.slice(path.lastIndexOf('/') + 1)) ?? null,
  };
}

interface How {
  /** Also what is in folders below. */
  readonly isDeep: boolean;
  /** Names are read anew; else only those that are known are looked at. */
  readonly isRead: boolean;
  /** Also in all folders below. */
  readonly isForced: boolean;
}

interface Name {
  readonly path: string;
  readonly folder: Folder;
  readonly name: string;
}

/** A folder that is opened when somebody has to look into it; null where that cannot be done. */
interface Way {
  folder(): OpenFolder | null;
  close(): void;
}

function wayAt(folder: OpenFolder): Way {
  return { folder: () => folder, close: () => undefined };
}

function wayTo(parent: Way, name: string): Way {
  let made: OpenFolder | null | undefined;
  const open = (): OpenFolder | null => {
    try {
      const at = parent.folder();
      return at === null ? null : openChild(at, name);
    } catch {
      return null;
    }
  };
  return {
    folder: () => {
      if (made === undefined) made = open();
      return made;
    },
    close: () => made?.close(),
  };
}

function emptyFolder(): Folder {
  return { entries: new Map() };
}

function openedRoot(root: string): OpenFolder {
  try {
    return openRoot(root);
  } catch {
    throw new KeepProblem('it is gone, or a link');
  }
}

function inFolder(root: OpenFolder, path: string, run: (folder: OpenFolder) => void): void {
  let folder: OpenFolder;
  try {
    folder = openBelow(root, path);
  } catch {
    // Its parent is told to have changed, too.
    return;
  }
  try {
    run(folder);
  } finally {
    folder.close();
  }
}

/** Null where we may not look: what was known stays. */
function readable(at: OpenFolder | null): readonly string[] | null {
  try {
    return at === null ? null : namesIn(at);
  } catch {
    return null;
  }
}

function rulesText(root: OpenFolder, folder: string): string | null {
  let text: string | null = null;
  inFolder(root, folder, (at) => {
    try {
      const { fd, stat } = openFile(at, '.gitignore');
      try {
        text = readAll(fd, stat.size, mostRulesText).toString('latin1');
      } finally {
        closeSync(fd);
      }
    } catch {
      text = null;
    }
  });
  return text;
}
