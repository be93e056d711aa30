import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
} from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import type { Clock } from '../../../shared/base/index.ts';
import { actsLaterByName } from '../../../shared/engine/index.ts';
import { pathBytes, pathOfText, pathText } from '../../../shared/home/index.ts';
import type { FolderTree, FolderTrees, TreeFolder } from '../../../shared/home/index.ts';
import type { HostTask } from '../host.ts';
import type { SandboxChange } from './changes.ts';
import { isBelow, overlaps, parentOf } from './paths.ts';

/** What a look at a workspace has found. */
interface Found {
  /** One sentence for each history that was moved aside. */
  readonly moved: readonly string[];
  /** Files that have changed and that something outside obeys or starts, with why. */
  readonly changed: readonly { readonly path: string; readonly why: string }[];
}

/**
 * Histories inside of workspaces. Those that were there before are held; one that a command has made
 * would have the person's Git obey its settings as soon as it is used there, so it is moved aside.
 */
interface Nested {
  /**
   * Paths of `.git` below a workspace, and of folders that are a history themselves. While other
   * commands run in `busy`, what is new there counts as theirs. Throws a `host-unavailable` refusal
   * where not all of them can be held.
   */
  readonly known: (workspace: string, busy: readonly string[]) => readonly string[];
  /** What is known of a workspace, for another process that looks at it later. */
  readonly marks: (workspace: string) => Marks;
  readonly restore: (workspace: string, marks: Marks) => void;
  /**
   * Moves aside what was not known, and tells what has changed since then (milliseconds). Never
   * rejects.
   */
  readonly look: (workspace: string, since: number) => Promise<Found>;
}

/** By path, what tells a history from another that was put in its place. */
type Marks = ReadonlyMap<string, string>;

/** With more folders in a workspace, no command begins there. */
const mostFolders = 100_000;
const mostOpened = 1_000;
/** How coarse times of files are. */
const coarseMs = 10;

/** Workspaces of commands that run: what they leave there for others to obey. */
export interface Watched {
  /** A command begins to write in that folder: which histories are there already. */
  readonly begin: (task: HostTask, folder: string) => readonly string[];
  /** The command has ended: moves aside what it has made. Waits no longer than a moment. */
  readonly ended: (id: string) => Promise<readonly string[]>;
  /** Nothing of it lives any more. */
  readonly closed: (id: string) => void;
}

/** How long a command's end waits for the look at a large tree; the look goes on. */
const mostWaitMs = 300;

/** @param note gets what has changed, once for each look that found something */
export function watchNested(
  clock: Clock,
  note: (changes: readonly SandboxChange[]) => void,
  nested: Nested,
): Watched {
  const running = new Map<string, Watching>();
  const late = new Map<string, readonly string[]>();
  const lookIn = async ({ task, since, folders, seen }: Watching): Promise<readonly string[]> => {
    const moved: string[] = [];
    for (const workspace of folders) {
      const found = await nested.look(workspace, since);
      moved.push(...found.moved);
      const fresh = found.changed.filter(({ path }) => !seen.has(path));
      for (const { path } of fresh) seen.add(path);
      const { agent, session = null, id: command } = task;
      const about = { at: clock.now(), agent, session, command, workspace };
      if (fresh.length > 0) note(fresh.map((one) => ({ ...about, ...one })));
    }
    return moved;
  };
  /** Told to the next command there. */
  const keep = ({ folders }: Watching, moved: readonly string[]): void => {
    const [first = ''] = folders;
    if (moved.length > 0) late.set(first, moved);
  };
  return {
    begin: (task, folder) => {
      const mine = running.get(task.id) ?? {
        task,
        since: clock.now(),
        folders: new Set<string>(),
        seen: new Set<string>(),
        isClosed: false,
        isDone: false,
      };
      running.set(task.id, mine);
      const busy = [...running.values()].flatMap((one) =>
        one === mine || one.isDone ? [] : [...one.folders],
      );
      const known = nested.known(folder, busy);
      mine.folders.add(folder);
      return known;
    },
    ended: async (id) => {
      const mine = running.get(id);
      if (mine === undefined) return [];
      const [first = ''] = mine.folders;
      const before = late.get(first) ?? [];
      late.delete(first);
      const wasClosed = mine.isClosed;
      const looked = lookIn(mine).then((moved) => {
        mine.isDone = wasClosed;
        return moved;
      });
      const now = await Promise.race([looked, pause(clock, mostWaitMs)]);
      if (now === null) void looked.then((moved) => keep(mine, moved));
      return [...before, ...(now ?? [])];
    },
    closed: (id) => {
      const mine = running.get(id);
      if (mine === undefined) return;
      mine.isClosed = true;
      // The command's own end comes at the same time, and tells.
      clock.after(mostWaitMs, () => {
        void lookIn(mine)
          .then((moved) => keep(mine, moved))
          .finally(() => running.delete(id));
      });
    },
  };
}

interface Watching {
  readonly task: HostTask;
  readonly since: number;
  readonly folders: Set<string>;
  /** Files that were noted already. */
  readonly seen: Set<string>;
  /** Nothing of it lives any more. */
  isClosed: boolean;
  /** And what it left was looked at since. */
  isDone: boolean;
}

async function pause(clock: Clock, ms: number): Promise<null> {
  return new Promise((resolve) => void clock.after(ms, () => resolve(null)));
}

/** Paths are kept as the trees have them, in bytes: Git finds a history under any name. */
export function createNested(trees: FolderTrees, most = mostFolders): Nested {
  const knownIn = new Map<string, Marks>();
  const foundIn = new WeakMap<FolderTree, { version: number; found: readonly string[] }>();
  const historiesNow = (workspace: string): readonly string[] => {
    const tree = trees.of(workspace);
    const folders = tree.folders();
    if (folders.size > most) throw unfit(workspace, `it has more than ${most} folders`);
    const known = foundIn.get(tree);
    if (known?.version === tree.version()) return known.found;
    const found = [...folders].flatMap(([path, folder]) => historiesOf(path, folder));
    foundIn.set(tree, { version: tree.version(), found });
    return found;
  };
  return {
    known: (workspace, busy) => {
      const top = pathOfText(workspace);
      const found = historiesNow(workspace);
      const others = busy.map(pathOfText).filter((one) => overlaps(one, top));
      const known = found.filter((path) =>
        others.every((one) => !isBelow(path, one) || knownIn.get(one)?.has(path) === true),
      );
      const odd = known.find((path) => pathOfText(pathText(path)) !== path);
      if (odd !== undefined)
        throw unfit(workspace, `${pathText(odd)} has a name that is no UTF-8, and cannot be held`);
      knownIn.set(top, new Map(known.map((path) => [path, markOf(path)])));
      return known
        .filter((path) => path !== `${top}/.git` && path !== `${top}/HEAD`)
        .map((path) => pathText(path.replace(/\/HEAD$/, '')));
    },
    marks: (workspace) => knownIn.get(pathOfText(workspace)) ?? new Map<string, string>(),
    restore: (workspace, marks) => void knownIn.set(pathOfText(workspace), marks),
    look: async (workspace, since) => {
      const top = pathOfText(workspace);
      const known = knownIn.get(top) ?? new Map<string, string>();
      const tree = trees.of(workspace);
      openShut(tree, since);
      const folders = tree.folders();
      const isNew = (path: string): boolean => changedAt(path) >= since - coarseMs;
      const changed = [...folders].flatMap(([path, folder]) =>
        changedIn(path, { top, folder, isNew }),
      );
      const planted = [...folders]
        .flatMap(([path, folder]) => historiesOf(path, folder))
        .filter((path) => path !== `${top}/.git` && known.get(path) !== markOf(path));
      const moved = planted.flatMap((path) => {
        // In what is moved aside lie others, which Git would find there.
        for (const one of historiesBelow(path).toReversed()) moveAside(top, one);
        return moveAside(top, path);
      });
      return { moved, changed };
    },
  };
}

/** What a command has shut, or may have: what lies in it waits for somebody to open it. */
function openShut(tree: FolderTree, since: number): void {
  const tried = new Set<string>();
  for (let isMore = true; isMore && tried.size < mostOpened;) {
    isMore = false;
    const folders = tree.folders();
    for (const [path, { problem, changedAt: at }] of folders) {
      if (problem?.code !== 'EACCES') continue;
      // Where we cannot even reach it, the folder around it is shut.
      const shut = at === 0 ? parentOf(path) : path;
      if (tried.has(shut) || (folders.get(shut)?.changedAt ?? 0) < since - coarseMs) continue;
      tried.add(shut);
      isMore = opens(shut) || isMore;
    }
  }
}

function opens(path: string): boolean {
  try {
    const file = openSync(pathBytes(path), pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      // What the path leads through may be a link by now.
      if (readlinkSync(`/proc/self/fd/${file}`, { encoding: 'latin1' }) !== path) return false;
      chmodSync(`/proc/self/fd/${file}`, 0o700);
      return true;
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

/** All histories in a folder, those in Git's own included, the outer ones first. */
function historiesBelow(from: string): readonly string[] {
  const found: string[] = [];
  const left = [from];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const entries = namesIn(path);
    const [below, files] = [true, false].map((isFolder) =>
      entries.filter((one) => one.isDirectory() === isFolder).map(({ name }) => name),
    ) as [string[], string[]];
    found.push(...historiesOf(path, { below, files }));
    for (const name of below) left.push(`${path}/${name}`);
  }
  return found;
}

function namesIn(path: string): readonly Dirent[] {
  const read = (): readonly Dirent[] =>
    readdirSync(pathBytes(path), { withFileTypes: true, encoding: 'latin1' });
  try {
    if (!lstatSync(pathBytes(path)).isDirectory()) return [];
    return read();
  } catch (error) {
    const isShut = (error as NodeJS.ErrnoException).code === 'EACCES' && opens(path);
    try {
      return isShut ? read() : [];
    } catch {
      return [];
    }
  }
}

/** Linux's O_PATH, for which no right to the folder itself is needed. */
const pathOnly = 0o10_000_000;

/** What Git would find in a folder: `.git`, and the HEAD of one that is a history itself. */
function historiesOf(
  path: string,
  { below, files }: Pick<TreeFolder, 'below' | 'files'>,
): readonly string[] {
  const has = (name: string): boolean => below.includes(name) || files.includes(name);
  const isBare = has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
  return [...(has('.git') ? [`${path}/.git`] : []), ...(isBare ? [`${path}/HEAD`] : [])];
}

/** A folder is held in place; what is none may have been replaced, under the number it had. */
function markOf(path: string): string {
  try {
    const about = lstatSync(pathBytes(path.replace(/\/HEAD$/, '')), { bigint: true });
    return `${about.dev}:${about.ino}:${about.isDirectory() ? '' : about.ctimeNs}`;
  } catch {
    return '';
  }
}

/** Names in a folder that are obeyed or started later; found once for each state of the folder. */
const actsIn = new WeakMap<
  TreeFolder,
  readonly { readonly name: string; readonly why: string }[]
>();

interface Changed {
  readonly path: string;
  readonly why: string;
}

function changedIn(
  path: string,
  {
    top,
    folder,
    isNew,
  }: {
    readonly top: string;
    readonly folder: TreeFolder;
    readonly isNew: (path: string) => boolean;
  },
): readonly Changed[] {
  const below = path.slice(top.length);
  if (below.split('/').includes('node_modules')) return [];
  const acts =
    actsIn.get(folder) ??
    folder.files.flatMap((name) => {
      // By its place in the project alone: where the project lies is another matter.
      const why = actsLaterByName(pathText(`/project${below}/${name}`));
      return why === null ? [] : [{ name, why }];
    });
  actsIn.set(folder, acts);
  return acts.flatMap(({ name, why }) =>
    isNew(`${path}/${name}`) ? [{ path: pathText(`${path}/${name}`), why }] : [],
  );
}

function changedAt(path: string): number {
  try {
    return lstatSync(pathBytes(path)).ctimeMs;
  } catch {
    return 0;
  }
}

/**
 * Renames in a folder that is opened part by part: what the path leads through may be a link by now,
 * and what lies behind it is nobody's to rename.
 */
function moveAside(workspace: string, path: string): readonly string[] {
  const parts = path.slice(workspace.length + 1).split('/');
  const name = parts.pop() ?? '';
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  const opened: number[] = [];
  try {
    opened.push(openSync(pathBytes(workspace), flags));
    for (const part of parts)
      opened.push(openSync(pathBytes(`/proc/self/fd/${opened.at(-1) ?? -1}/${part}`), flags));
    const folder = `/proc/self/fd/${opened.at(-1) ?? -1}`;
    const aside = freeName(folder, `${name}.sandbox`);
    renameSync(join(folder, name), join(folder, aside));
    const shown = JSON.stringify(pathText(path));
    return [
      `${shown} was made in the sandbox and is called ${aside} now: Git would obey its settings outside.`,
    ];
  } catch {
    return [];
  } finally {
    for (const file of opened) closeSync(file);
  }
}

function freeName(folder: string, name: string): string {
  const isTaken = (one: string): boolean =>
    lstatSync(join(folder, one), { throwIfNoEntry: false }) !== undefined;
  let number = 1;
  while (isTaken(number === 1 ? name : `${name}-${number}`)) number += 1;
  return number === 1 ? name : `${name}-${number}`;
}

function unfit(workspace: string, why: string): Error {
  return refuse(
    'host-unavailable',
    `${workspace} cannot be the workspace of a sandbox: ${why}.`,
    'Work in a smaller folder that exec.workspaces of config.json names.',
  );
}
