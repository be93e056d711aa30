import { closeSync, fstatSync } from 'node:fs';
import { inFolder, lookAt, openFile, openRoot, readable, readAll, wayAt, wayTo } from './files.ts';
import type { OpenFolder, Way } from './files.ts';
import { isRuleFile, openRules, parentOf, rulesSignature } from './rules.ts';
import type { Rules } from './rules.ts';
import { fits, hasChanged, isAsSeen, KeepProblem, seenAs, signed, stepMs } from './seen.ts';
import type { Keeping, Known } from './seen.ts';
import type { Change } from './state.ts';

interface Folder {
  readonly entries: Map<string, Known>;
}

const mostRulesText = 1 << 20;

interface TreeOptions extends Keeping {
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
  return new KeptTree(options);
}

class KeptTree implements Tree {
  readonly #options: TreeOptions;
  readonly #folders = new Map<string, Folder>([['', emptyFolder()]]);
  /** Files that have other names, under which they can be changed unseen. */
  readonly #linked = new Set<string>();
  #rootKnown: Known | null = null;
  #count = 0;
  #found: Change[] = [];
  #touched = new Set<string>();
  /** All of it was looked at, and nothing has failed since. */
  #isWhole = false;
  /** Folders with something that has to be looked at again, whatever is told. */
  #fresh = new Set<string>();
  #rules: Rules | null = null;
  #ruleChanges = 0;
  #outerRules: string | null = null;
  #areRulesNew = false;
  #lastLook = 0;
  #open: OpenFolder | null = null;

  constructor(options: TreeOptions) {
    this.#options = options;
  }

  *known(): IterableIterator<readonly [string, Known]> {
    for (const [path, { entries }] of this.#folders)
      for (const [name, known] of entries)
        yield [path === '' ? name : `${path}/${name}`, known] as const;
  }

  *hashes(): IterableIterator<string> {
    for (const { entries } of this.#folders.values())
      for (const { state } of entries.values())
        if (state.kind === 'file' && state.hash !== null) yield state.hash;
    for (const { before } of this.#found)
      if (before?.kind === 'file' && before.hash !== null) yield before.hash;
  }

  size(): number {
    return this.#count;
  }

  restore(path: string, known: Known): void {
    const parent = this.#folders.get(parentOf(path));
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (parent === undefined || parent.entries.has(name)) return;
    parent.entries.set(name, known);
    if (known.state.kind === 'folder') this.#folders.set(path, emptyFolder());
    this.#count += 1;
  }

  look(where: 'all' | Iterable<string>): readonly Change[] {
    this.#open = openedRoot(this.#options.root);
    const began = this.#options.now();
    this.#areRulesNew = false;
    try {
      if (where === 'all' || !this.#isWhole) this.#whole(this.#open);
      else this.#some(this.#open, where);
      this.#lastLook = began;
    } catch (error) {
      this.#isWhole = false;
      throw error;
    } finally {
      this.#open.close();
      this.#open = null;
    }
    this.#options.store.sync();
    const all = this.#found;
    this.#found = [];
    return all;
  }

  touched(): string[] {
    const all = [...this.#touched];
    this.#touched = new Set();
    return all;
  }

  at(path: string): Known | null {
    return (
      this.#folders.get(parentOf(path))?.entries.get(path.slice(path.lastIndexOf('/') + 1)) ?? null
    );
  }

  #rulesNow(): Rules {
    this.#rules ??= openRules({
      root: this.#options.root,
      global: this.#options.globalRules,
      textIn: (folder) => (this.#open === null ? null : rulesText(this.#open, folder)),
    });
    return this.#rules;
  }

  #note(path: string, known: Known | null): void {
    const folder = this.#folders.get(parentOf(path));
    const name = path.slice(path.lastIndexOf('/') + 1);
    const was = folder?.entries.get(name) ?? null;
    if (known === null) {
      folder?.entries.delete(name);
      this.#linked.delete(path);
      this.#count -= was === null ? 0 : 1;
    } else {
      folder?.entries.set(name, known);
      this.#count += was === null ? 1 : 0;
    }
    this.#touched.add(path);
    if (known?.isFresh === true) this.#fresh.add(parentOf(path));
    const before = was?.state ?? null;
    const after = known?.state ?? null;
    if (hasChanged(was, known)) this.#found.push({ path, before, after });
    if (this.#count > this.#options.mostFiles)
      throw new KeepProblem(`it holds more than ${this.#options.mostFiles} files (undo.files)`);
  }

  #takeIn(path: string, known: Known): void {
    this.#note(path, known);
    this.#found.pop();
  }

  #drop(path: string): void {
    const folder = this.#folders.get(path);
    if (folder !== undefined) {
      for (const name of folder.entries.keys()) this.#drop(`${path}/${name}`);
      this.#folders.delete(path);
    }
    this.#note(path, null);
  }

  #lookAtName(way: Way, { path, folder, name }: Name, how: How): void {
    const full = path === '' ? name : `${path}/${name}`;
    const was = folder.entries.get(name) ?? null;
    // By its path, which is quicker: whoever leads that elsewhere cannot make another file fit.
    if (was !== null && !was.isFresh && isAsSeen(was.signature, this.#options.root, full)) {
      if (was.state.kind === 'folder' && how.isDeep)
        this.#below(way, full, name, { ...how, isRead: how.isForced });
      return;
    }
    const at = way.folder();
    if (at === null) return;
    const stat = lookAt(at, name);
    if (stat === null) {
      if (was !== null) this.#drop(full);
      return;
    }
    const isFolder = stat.isDirectory();
    const isUnchanged = was !== null && !was.isFresh && fits(was.signature, stat);
    if (was === null && this.#rulesNow().leavesOut(full, isFolder)) return;
    if (!isUnchanged) {
      if (was?.state.kind === 'folder' && !isFolder) this.#drop(full);
      const known = seenAs(at, name, stat, this.#options);
      // It was there a moment ago.
      if (known === null) {
        if (folder.entries.has(name)) this.#drop(full);
        return;
      }
      // It was left out up to now; nobody has put it there.
      if (was === null && this.#areRulesNew && stat.ctimeMs < this.#lastLook - stepMs)
        this.#takeIn(full, known);
      else this.#note(full, known);
      if (isRuleFile(full)) {
        this.#rules = null;
        this.#ruleChanges += 1;
        this.#areRulesNew = true;
      }
      if (stat.nlink > 1 && stat.isFile()) this.#linked.add(full);
      else this.#linked.delete(full);
    }
    if (!isFolder) return;
    const isNew = !this.#folders.has(full);
    if (isNew) this.#folders.set(full, emptyFolder());
    if (!isNew && !how.isDeep) return;
    const isRead = how.isForced || !isUnchanged || isNew;
    this.#below(way, full, name, { isDeep: true, isForced: how.isForced, isRead });
  }

  #below(way: Way, path: string, name: string, how: How): void {
    const inside = wayTo(way, name);
    try {
      this.#lookInto(inside, path, how);
    } finally {
      inside.close();
    }
  }

  /** Exchanged or closed to us since we looked: the next look says what it is. */
  #lost(path: string): void {
    const known = this.#folders
      .get(parentOf(path))
      ?.entries.get(path.slice(path.lastIndexOf('/') + 1));
    if (known !== undefined) this.#note(path, { ...known, isFresh: true });
  }

  #lookInto(way: Way, path: string, how: How): void {
    const folder = this.#folders.get(path);
    if (folder === undefined) return;
    const names = how.isRead ? readable(way.folder()) : [...folder.entries.keys()];
    if (names === null) {
      this.#lost(path);
      return;
    }
    const before = this.#ruleChanges;
    const look = (name: string, deep: How): void =>
      this.#lookAtName(way, { path, folder, name }, deep);
    if (names.includes('.gitignore')) look('.gitignore', how);
    // Other rules: what was left out has to be looked at again.
    const isForced = how.isForced || before !== this.#ruleChanges;
    const isRead = how.isRead || isForced;
    const all = isRead && !how.isRead ? (readable(way.folder()) ?? names) : names;
    for (const name of all)
      if (name !== '.git' && name !== '.gitignore') look(name, { ...how, isForced });
    if (!isRead) return;
    const present = new Set(all);
    for (const name of folder.entries.keys())
      if (!present.has(name)) this.#drop(path === '' ? name : `${path}/${name}`);
  }

  #whole(at: OpenFolder): void {
    this.#isWhole = false;
    this.#fresh = new Set();
    const stat = fstatSync(at.fd);
    const isUnchanged =
      this.#rootKnown !== null && !this.#rootKnown.isFresh && fits(this.#rootKnown.signature, stat);
    this.#rootKnown = {
      state: { kind: 'folder', mode: stat.mode & 0o7777 },
      ...signed(stat, this.#options.now()),
    };
    // What lies outside of the tree and says what belongs to it may be another by now.
    this.#rules = null;
    const outer = rulesSignature(this.#options.root, this.#options.globalRules);
    this.#areRulesNew = this.#outerRules !== null && outer !== this.#outerRules;
    this.#outerRules = outer;
    const isForced = this.#areRulesNew;
    this.#lookInto(wayAt(at), '', { isDeep: true, isForced, isRead: !isUnchanged || isForced });
    this.#isWhole = true;
  }

  #some(at: OpenFolder, told: Iterable<string>): void {
    const paths = new Set([...told, ...this.#fresh]);
    this.#fresh = new Set();
    for (const path of this.#linked) paths.add(parentOf(path));
    for (const path of [...paths].toSorted()) {
      if (!this.#folders.has(path)) continue;
      const name = path.slice(path.lastIndexOf('/') + 1);
      const how = { isDeep: false, isForced: false, isRead: true };
      if (path === '') this.#lookInto(wayAt(at), '', how);
      else inFolder(at, parentOf(path), (folder) => this.#below(wayAt(folder), path, name, how));
    }
  }
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
