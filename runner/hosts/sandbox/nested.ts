import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
} from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { refuse } from '../../../shared/base/index.ts';
import type { Clock } from '../../../shared/base/index.ts';
import { actsLaterByName } from '../../../shared/engine/index.ts';
import type { HostTask } from '../host.ts';
import type { SandboxChange } from './changes.ts';
import { isBelow, overlaps } from './paths.ts';

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
export interface Nested {
  /**
   * Paths of `.git` below a workspace, and of folders that are a history themselves. While other
   * commands run in `busy`, what is new there counts as theirs. Throws a `host-unavailable` refusal
   * where not all of them can be held.
   */
  readonly known: (workspace: string, busy: readonly string[]) => readonly string[];
  /**
   * Moves aside what was not known, and tells what has changed since then (milliseconds). Never
   * rejects.
   */
  readonly look: (workspace: string, since: number) => Promise<Found>;
}

/*
 * Paths are kept here as their bytes, one letter a byte: a name that is no UTF-8 is a name too, and
 * Git finds a history under it.
 */
const bytes = (path: string): Buffer => Buffer.from(path, 'latin1');
const asBytes = (text: string): string => Buffer.from(text).toString('latin1');
const asText = (path: string): string => bytes(path).toString();

interface Folder {
  /** Changes with the names in it. */
  readonly stamp: bigint;
  readonly below: readonly string[];
  readonly files: readonly string[];
  readonly hasGit: boolean;
  /** Git would take the folder itself for a history. */
  readonly isBare: boolean;
}

type Tree = Map<string, Folder>;
/** By path, what tells a history from another that was put in its place. */
type Marks = ReadonlyMap<string, string>;

/** Folders of one workspace that are remembered; with more, no command begins there. */
const mostFolders = 100_000;
const atOnce = 500;
/** How coarse times of files are. */
const coarseMs = 10;
const settledMs = 50;

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
  nested: Nested = createNested(),
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

export function createNested(most = mostFolders): Nested {
  const trees = new Map<string, Tree>();
  const knownIn = new Map<string, Marks>();
  return {
    known: (workspace, busy) => {
      const top = asBytes(workspace);
      const tree: Tree = new Map();
      const found: string[] = [];
      let count = 0;
      for (const [path, folder] of walk(top, trees.get(top))) {
        count += 1;
        if (count > most) throw unfit(workspace, `it has more than ${most} folders`);
        tree.set(path, folder);
        found.push(...historiesOf(path, folder));
      }
      const others = busy.map(asBytes).filter((one) => overlaps(one, top));
      const known = found.filter((path) =>
        others.every((one) => !isBelow(path, one) || knownIn.get(one)?.has(path) === true),
      );
      const odd = known.find((path) => asBytes(asText(path)) !== path);
      if (odd !== undefined)
        throw unfit(workspace, `${asText(odd)} has a name that is no UTF-8, and cannot be held`);
      trees.set(top, tree);
      knownIn.set(top, new Map(known.map((path) => [path, markOf(path)])));
      return known
        .filter((path) => path !== `${top}/.git` && path !== `${top}/HEAD`)
        .map((path) => asText(path.replace(/\/HEAD$/, '')));
    },
    look: async (workspace, since) => {
      const top = asBytes(workspace);
      const known = knownIn.get(top) ?? new Map<string, string>();
      const tree: Tree = new Map();
      const found: string[] = [];
      const changed: Changed[] = [];
      const isNew = (path: string): boolean => changedAt(path) >= since - coarseMs;
      let count = 0;
      for (const [path, folder] of walk(top, trees.get(top), { opensSince: since })) {
        count += 1;
        if (count <= most) tree.set(path, folder);
        found.push(...historiesOf(path, folder));
        changed.push(...changedIn(path, { top, folder, isNew }));
        // Others have their turn: a large tree takes a while.
        if (count % atOnce === 0) await new Promise((resolve) => void setImmediate(resolve));
      }
      trees.set(top, tree);
      const planted = found.filter(
        (path) => path !== `${top}/.git` && known.get(path) !== markOf(path),
      );
      const moved = planted.flatMap((path) => {
        // In what is moved aside lie others, which Git would find there.
        const inner = [...walk(path, undefined, { intoGit: true, opensSince: 0 })].flatMap(
          ([at, folder]) => historiesOf(at, folder),
        );
        for (const one of inner.toReversed()) moveAside(top, one);
        return moveAside(top, path);
      });
      return { moved, changed };
    },
  };
}

/** All folders below one, those of `.git` left out; what has not changed is not read again. */
function* walk(
  top: string,
  before: Tree = new Map(),
  { intoGit = false, opensSince = Number.POSITIVE_INFINITY } = {},
): Generator<readonly [string, Folder]> {
  const left = [top];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const folder = folderAt(path, before.get(path), opensSince);
    if (folder === null) continue;
    for (const name of folder.below) if (intoGit || name !== '.git') left.push(`${path}/${name}`);
    yield [path, folder];
  }
}

function folderAt(path: string, before: Folder | undefined, opensSince: number): Folder | null {
  try {
    const about = lstatSync(bytes(path), { bigint: true });
    if (!about.isDirectory()) return null;
    if (before?.stamp === about.ctimeNs) return before;
    const entries = namesIn(path, Number(about.ctimeMs) >= opensSince - coarseMs);
    const names = new Set(entries.map(({ name }) => name));
    return {
      // What has just changed may change once more at what counts as the same time.
      stamp: Date.now() - Number(about.ctimeMs) < settledMs ? 0n : about.ctimeNs,
      below: entries.filter((one) => one.isDirectory()).map(({ name }) => name),
      files: entries.filter((one) => !one.isDirectory()).map(({ name }) => name),
      hasGit: names.has('.git'),
      isBare:
        names.has('HEAD') &&
        (names.has('commondir') || (names.has('objects') && names.has('refs'))),
    };
  } catch {
    return null;
  }
}

function namesIn(path: string, isOurs: boolean): readonly Dirent[] {
  const read = (): readonly Dirent[] =>
    readdirSync(bytes(path), { withFileTypes: true, encoding: 'latin1' });
  try {
    return read();
  } catch (error) {
    // A command has shut it, or may have, and what lies in it waits for somebody to open it.
    if (!isOurs || (error as NodeJS.ErrnoException).code !== 'EACCES') throw error;
    const file = openSync(bytes(path), pathOnly | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    try {
      chmodSync(`/proc/self/fd/${file}`, 0o700);
    } finally {
      closeSync(file);
    }
    return read();
  }
}

/** Linux's O_PATH, for which no right to the folder itself is needed. */
const pathOnly = 0o10_000_000;

/** What Git would find in a folder: `.git`, and the HEAD of one that is a history itself. */
function historiesOf(path: string, { hasGit, isBare }: Folder): readonly string[] {
  return [...(hasGit ? [`${path}/.git`] : []), ...(isBare ? [`${path}/HEAD`] : [])];
}

/** A folder is held in place; what is none may have been replaced, under the number it had. */
function markOf(path: string): string {
  try {
    const about = lstatSync(bytes(path.replace(/\/HEAD$/, '')), { bigint: true });
    return `${about.dev}:${about.ino}:${about.isDirectory() ? '' : about.ctimeNs}`;
  } catch {
    return '';
  }
}

/** Names in a folder that are obeyed or started later; found once for each state of the folder. */
const actsIn = new WeakMap<Folder, readonly { readonly name: string; readonly why: string }[]>();

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
    readonly folder: Folder;
    readonly isNew: (path: string) => boolean;
  },
): readonly Changed[] {
  const below = path.slice(top.length);
  if (below.split('/').includes('node_modules')) return [];
  const acts =
    actsIn.get(folder) ??
    folder.files.flatMap((name) => {
      // By its place in the project alone: where the project lies is another matter.
      const why = actsLaterByName(asText(`/project${below}/${name}`));
      return why === null ? [] : [{ name, why }];
    });
  actsIn.set(folder, acts);
  return acts.flatMap(({ name, why }) =>
    isNew(`${path}/${name}`) ? [{ path: asText(`${path}/${name}`), why }] : [],
  );
}

function changedAt(path: string): number {
  try {
    return lstatSync(bytes(path)).ctimeMs;
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
    opened.push(openSync(bytes(workspace), flags));
    for (const part of parts)
      opened.push(openSync(bytes(`/proc/self/fd/${opened.at(-1) ?? -1}/${part}`), flags));
    const folder = `/proc/self/fd/${opened.at(-1) ?? -1}`;
    const aside = freeName(folder, `${name}.sandbox`);
    renameSync(join(folder, name), join(folder, aside));
    const shown = JSON.stringify(asText(path));
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
