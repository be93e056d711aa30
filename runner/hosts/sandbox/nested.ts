import { closeSync, constants, lstatSync, openSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../shared/base/index.ts';
import { openDirectoryEvents } from '../../../shared/home/index.ts';
import type { DirectoryEvents } from '../../../shared/home/index.ts';
import type { HostTask } from '../host.ts';
import type { SandboxChange } from './changes.ts';
import { openFolderTree } from './folder-tree.ts';
import type { Folder, FolderTree } from './folder-tree.ts';

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

/** Workspaces of which the kernel tells at a time. */
const mostWatched = 8;
const atOnce = 500;
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

interface Workspace {
  readonly tree: FolderTree;
  known: ReadonlySet<string>;
  /** One look at a time goes through a tree. */
  last: Promise<unknown>;
}

/** @param openEvents what the kernel tells of folders; null where it does not */
export function createNested(
  openEvents: () => DirectoryEvents | null = openDirectoryEvents,
): Nested {
  const workspaces = new Map<string, Workspace>();
  const learn = (path: string): Workspace => {
    const mine = workspaces.get(path) ?? openWorkspace(path, openEvents);
    // Those used last stand last.
    workspaces.delete(path);
    workspaces.set(path, mine);
    [...workspaces.values()].at(-1 - mostWatched)?.tree.unwatch();
    return mine;
  };
  const look = async (
    path: string,
    { mine, since }: { readonly mine: Workspace; readonly since: number },
  ): Promise<Found> => {
    await inTurns(mine.tree.refresh());
    const notable = mine.tree.notable();
    const isNew = (one: string): boolean => changedAt(one) >= since - coarseMs;
    const found = gitsIn(path, notable);
    const planted = found.filter((one) => !mine.known.has(one) && isNew(one));
    // What a person has brought in since is held from now on.
    mine.known = new Set(found.filter((one) => !planted.includes(one)));
    const bare = [...notable]
      .filter(([, { isBare }]) => isBare)
      .flatMap(([folder]) =>
        [`${folder}/HEAD`, `${folder}/config`].some(isNew) ? [`${folder}/HEAD`] : [],
      );
    const changed: { path: string; why: string }[] = [];
    await inTurns(changesIn(notable, isNew, changed));
    return { moved: [...planted, ...bare].flatMap((one) => moveAside(path, one)), changed };
  };
  return {
    known: (path) => [...learn(path).known],
    look: async (path, since) => {
      const mine = learn(path);
      const next = mine.last.then(async () => look(path, { mine, since }));
      mine.last = next.catch(() => undefined);
      return next;
    },
  };
}

function openWorkspace(workspace: string, openEvents: () => DirectoryEvents | null): Workspace {
  const tree = openFolderTree({ workspace, openEvents });
  for (const _ of tree.refresh());
  return { tree, known: new Set(gitsIn(workspace, tree.notable())), last: Promise.resolve() };
}

/** Others have their turn: a large tree takes a while. */
async function inTurns(steps: Generator<void>): Promise<void> {
  let count = 0;
  for (const _ of steps) {
    count += 1;
    if (count % atOnce === 0) await new Promise((resolve) => void setImmediate(resolve));
  }
}

function* changesIn(
  notable: ReadonlyMap<string, Folder>,
  isNew: (path: string) => boolean,
  found: { path: string; why: string }[],
): Generator<void> {
  for (const [path, { acts }] of notable) {
    for (const { name, why } of acts)
      if (isNew(`${path}/${name}`)) found.push({ path: `${path}/${name}`, why });
    yield;
  }
}

function gitsIn(workspace: string, notable: ReadonlyMap<string, Folder>): readonly string[] {
  return [...notable].flatMap(([path, { hasGit }]) =>
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
