import { closeSync, constants, lstatSync, openSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../shared/base/index.ts';
import { actsLaterByName } from '../../../shared/engine/index.ts';
import type { HostTask } from '../host.ts';
import type { SandboxChange } from './changes.ts';

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
  /** Paths of `.git` below a workspace, as it was seen last; the first call looks. */
  readonly known: (workspace: string) => readonly string[];
  /** Moves aside what has appeared since then (milliseconds) and was not known. Never rejects. */
  readonly look: (workspace: string, since: number) => Promise<Found>;
}

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

/** Folders of one workspace that are remembered and gone through; more are not looked at. */
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
      };
      running.set(task.id, mine);
      mine.folders.add(folder);
      return nested.known(folder);
    },
    ended: async (id) => {
      const mine = running.get(id);
      if (mine === undefined) return [];
      const [first = ''] = mine.folders;
      const before = late.get(first) ?? [];
      late.delete(first);
      const looked = lookIn(mine);
      const now = await Promise.race([looked, pause(clock, mostWaitMs)]);
      if (now === null) void looked.then((moved) => keep(mine, moved));
      return [...before, ...(now ?? [])];
    },
    closed: (id) => {
      const mine = running.get(id);
      if (mine === undefined) return;
      // The command's own end comes at the same time, and tells.
      clock.after(mostWaitMs, () => {
        running.delete(id);
        void lookIn(mine).then((moved) => keep(mine, moved));
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
}

async function pause(clock: Clock, ms: number): Promise<null> {
  return new Promise((resolve) => void clock.after(ms, () => resolve(null)));
}

export function createNested(): Nested {
  const trees = new Map<string, Tree>();
  const knownIn = new Map<string, ReadonlySet<string>>();
  const learn = (workspace: string): ReadonlySet<string> => {
    const before = knownIn.get(workspace);
    if (before !== undefined) return before;
    const tree: Tree = new Map();
    for (const _ of walk(workspace, tree, new Map()));
    const found = new Set(gitsIn(workspace, tree));
    trees.set(workspace, tree);
    knownIn.set(workspace, found);
    return found;
  };
  return {
    known: (workspace) => [...learn(workspace)],
    look: async (workspace, since) => {
      const known = learn(workspace);
      const tree: Tree = new Map();
      let count = 0;
      for (const _ of walk(workspace, tree, trees.get(workspace) ?? new Map())) {
        count += 1;
        // Others have their turn: a large tree takes a while.
        if (count % atOnce === 0) await new Promise((resolve) => void setImmediate(resolve));
      }
      trees.set(workspace, tree);
      const isNew = (path: string): boolean => changedAt(path) >= since - coarseMs;
      const found = gitsIn(workspace, tree);
      const planted = found.filter((path) => !known.has(path) && isNew(path));
      // What a person has brought in since is held from now on.
      knownIn.set(workspace, new Set(found.filter((path) => !planted.includes(path))));
      const bare = [...tree]
        .filter(([, { isBare }]) => isBare)
        .flatMap(([folder]) =>
          [`${folder}/HEAD`, `${folder}/config`].some(isNew) ? [`${folder}/HEAD`] : [],
        );
      const changed = await changedIn(workspace, tree, isNew);
      return {
        moved: [...planted, ...bare].flatMap((path) => moveAside(workspace, path)),
        changed,
      };
    },
  };
}

/** All folders below one, those of `.git` left out; what has not changed is not read again. */
function* walk(top: string, tree: Tree, before: Tree): Generator<void> {
  const left = [top];
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    if (tree.size >= mostFolders) return;
    const folder = folderAt(path, before.get(path));
    if (folder === null) continue;
    tree.set(path, folder);
    for (const name of folder.below) left.push(`${path}/${name}`);
    yield;
  }
}

function folderAt(path: string, before: Folder | undefined): Folder | null {
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
      files: entries.filter((one) => !one.isDirectory()).map(({ name }) => name),
      hasGit: names.has('.git'),
      isBare: ['HEAD', 'config', 'objects', 'refs'].every((name) => names.has(name)),
    };
  } catch {
    return null;
  }
}

/** Names in a folder that are obeyed or started later; found once for each state of the folder. */
const actsIn = new WeakMap<Folder, readonly { readonly name: string; readonly why: string }[]>();

async function changedIn(workspace: string, tree: Tree, isNew: (path: string) => boolean) {
  const found: { path: string; why: string }[] = [];
  let count = 0;
  for (const [path, folder] of tree) {
    const below = path.slice(workspace.length);
    if (below.split('/').includes('node_modules')) continue;
    const acts =
      actsIn.get(folder) ??
      folder.files.flatMap((name) => {
        // By its place in the project alone: where the project lies is another matter.
        const why = actsLaterByName(`/project${below}/${name}`);
        return why === null ? [] : [{ name, why }];
      });
    actsIn.set(folder, acts);
    for (const { name, why } of acts)
      if (isNew(`${path}/${name}`)) found.push({ path: `${path}/${name}`, why });
    count += 1;
    if (count % atOnce === 0) await new Promise((resolve) => void setImmediate(resolve));
  }
  return found;
}

function gitsIn(workspace: string, tree: Tree): readonly string[] {
  return [...tree].flatMap(([path, { hasGit }]) =>
    hasGit && path !== workspace ? [`${path}/.git`] : [],
  );
}

function changedAt(path: string): number {
  try {
    return lstatSync(path).ctimeMs;
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
    opened.push(openSync(workspace, flags));
    for (const part of parts)
      opened.push(openSync(`/proc/self/fd/${opened.at(-1) ?? -1}/${part}`, flags));
    const folder = `/proc/self/fd/${opened.at(-1) ?? -1}`;
    const aside = freeName(folder, `${name}.sandbox`);
    renameSync(join(folder, name), join(folder, aside));
    const shown = JSON.stringify(path);
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
