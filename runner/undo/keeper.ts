import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openJournal } from './journal.ts';
import { globalRules } from './rules.ts';
import { joined, shownPath } from './state.ts';
import type { Change, Entry } from './state.ts';
import { openStore } from './store.ts';
import type { Store } from './store.ts';
import { takeBack } from './take-back.ts';
import type { TakenBack } from './take-back.ts';
import { KeepProblem, stepMs } from './seen.ts';
import type { Known } from './seen.ts';
import { openTree } from './tree.ts';
import type { Tree } from './tree.ts';

/** How much is kept, and for how long. */
export interface KeepSettings {
  readonly maxBytes: number;
  readonly fileBytes: number;
  readonly files: number;
  readonly keepMs: number;
}

/** A command before its start. */
export interface Beginning {
  readonly id: string;
  /** Absolute real path. */
  readonly workspace: string;
  readonly agent: string;
  /** As a person reads it, secrets taken out. */
  readonly command: string;
}

/** Where something has happened since it was last said. */
export interface ToldHere {
  /** Paths of folders below the workspace, their bytes one letter each. */
  readonly folders: readonly string[] | 'all';
  /** A file may have been changed by a name that came and went, of which the folders tell nothing. */
  readonly mayHide: boolean;
}

const anywhere: ToldHere = { folders: 'all', mayHide: true };

export type Kept = { readonly ok: true } | { readonly ok: false; readonly why: string };

/** Keeps what commands change, so that it can be taken back. Every call does its work before it returns. */
export interface Keeper {
  /**
   * Once it says ok, the workspace is kept as it is, and what changes from now on is this command's.
   * What is told is remembered until it was looked at; where nothing is, everything is looked at.
   */
  before(beginning: Beginning, told?: ToldHere): Kept;
  /** The command has ended. With `goesOn` something that it started still runs, and may change more. */
  after(id: string, goesOn: boolean, told?: ToldHere): void;
  /**
   * Whether a workspace can be kept as it is now. What is found is kept, so that `before` has little
   * left to do; while something runs there, only what is known counts.
   */
  check(workspace: string, told?: ToldHere): Kept;
  entries(): readonly Entry[];
  /** An entry as it is now, changes of what still runs included; null where there is none. */
  entry(id: string): Entry | null;
  content(hash: string): Buffer | null;
  /** What is known of a workspace's paths; nothing where it was not looked at. */
  knownIn(workspace: string): Iterable<readonly [string, Known]>;
  /** What is kept, in bytes on the disk. */
  bytes(): number;
  /** How often workspaces were looked at: as a whole, and only where something was told of. */
  looks(): { readonly whole: number; readonly told: number };
  /** Takes an entry back, all or some paths; `dryRun` only says what would be done. */
  takeBack(id: string, how: { readonly newId: string } & TakeBackOptions): TakenBack | null;
  close(): void;
}

export interface TakeBackOptions {
  /** As they are shown; null for all. */
  readonly paths: readonly string[] | null;
  readonly dryRun: boolean;
}

export interface KeeperOptions {
  /** A folder of ours. */
  readonly directory: string;
  readonly settings: () => KeepSettings;
  readonly now: () => number;
  readonly globalRules?: string | null;
}

interface Workspace {
  readonly root: string;
  readonly tree: Tree;
}

interface SettleHow {
  /** Paths that we have written ourselves. */
  readonly written?: ReadonlySet<string>;
  /** A command has ended with all that it started. */
  readonly isEnd?: boolean;
}

const nothing: ReadonlySet<string> = new Set();
const failureHoldsMs = 30_000;
const sweepEveryMs = 3_600_000;

/** Opens what is kept, and settles what an earlier runner was cut off in. */
export function openKeeper(options: KeeperOptions): Keeper {
  const { directory, settings, now } = options;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const journal = openJournal(directory);
  let store: Store = openStore(join(directory, 'store'));
  const workspaces = new Map<string, Workspace>();
  /** Commands that run, or have left something that does. */
  const live = new Map<string, Entry>();
  const failures = new Map<string, { readonly at: number; readonly why: string }>();
  const looks = { whole: 0, told: 0 };
  /** What was told of a workspace and not looked at yet. */
  const owed = new Map<string, ToldHere>();
  /** What ran last in a workspace, and when. */
  const last = new Map<string, { readonly entry: Entry; readonly to: number }>();
  let sweptAt = now();

  const neededNow = (): ((hash: string) => boolean) => {
    const needed = new Set<string>();
    const ofChanges = (changes: readonly Change[]): void => {
      for (const { before, after } of changes)
        for (const state of [before, after])
          if (state?.kind === 'file' && state.hash !== null) needed.add(state.hash);
    };
    for (const entry of [...journal.list(), ...live.values()]) ofChanges(entry.changes);
    const opened = new Set([...workspaces.keys()].map((root) => journal.keyOf(root)));
    for (const { tree } of workspaces.values()) for (const hash of tree.hashes()) needed.add(hash);
    for (const { key } of journal.trees())
      if (!opened.has(key)) for (const hash of journal.hashesOf(key)) needed.add(hash);
    return (hash) => needed.has(hash);
  };
  const sweep = (): void => store.sweep(neededNow());
  /** The oldest goes first; a quarter of the room is made at once, so that this stays rare. */
  const makeRoom = (most: number): void => {
    sweep();
    const aim = most * 0.75;
    for (const entry of journal.list()) {
      if (store.bytes() <= aim) return;
      if (live.has(entry.id)) continue;
      journal.remove(entry.id);
      sweep();
    }
    const opened = new Set([...workspaces.keys()].map((root) => journal.keyOf(root)));
    for (const { key } of journal.trees()) {
      if (store.bytes() <= aim) return;
      if (opened.has(key)) continue;
      journal.forget(key);
      sweep();
    }
  };
  const room = (): void => {
    const { maxBytes } = settings();
    if (store.bytes() < maxBytes) return;
    makeRoom(maxBytes);
    if (store.bytes() >= maxBytes)
      throw new KeepProblem('its files take more room than undo.maxBytes allows');
  };
  const expire = (): void => {
    if (now() - sweptAt < sweepEveryMs) return;
    sweptAt = now();
    const oldest = now() - settings().keepMs;
    for (const entry of journal.list())
      if (entry.at < oldest && !live.has(entry.id)) journal.remove(entry.id);
    const opened = new Set([...workspaces.keys()].map((root) => journal.keyOf(root)));
    for (const { key, usedAt } of journal.trees())
      if (usedAt < oldest && !opened.has(key)) journal.forget(key);
    sweep();
  };
  const opened = (root: string): Workspace => {
    const known = workspaces.get(root);
    if (known !== undefined) return known;
    const { fileBytes, files } = settings();
    const global = options.globalRules === undefined ? globalRules() : options.globalRules;
    const tree = openTree({
      root,
      store,
      fileBytes,
      mostFiles: files,
      room,
      globalRules: global,
      now: Date.now,
    });
    journal.load(root, tree, (hash) => store.has(hash));
    const made = { root, tree };
    workspaces.set(root, made);
    return made;
  };
  /** After a failed look nothing in memory is relied on: what is on the disk is whole. */
  const startOver = (): void => {
    workspaces.clear();
    try {
      store.close();
    } catch {
      // What could not be written is not in its lists either.
    }
    store = openStore(join(directory, 'store'));
  };
  const runningIn = (root: string): readonly Entry[] =>
    [...live.values()].filter((entry) => entry.workspace === root);
  const owe = (root: string, told: ToldHere): void => {
    const { folders, mayHide } = owed.get(root) ?? { folders: [], mayHide: false };
    const all = folders === 'all' || told.folders === 'all';
    owed.set(root, {
      folders: all ? 'all' : [...new Set([...folders, ...told.folders])],
      mayHide: mayHide || told.mayHide,
    });
  };
  /**
   * Looks, and gives what is found to whatever ran there. While somebody else's processes run they may
   * write without a word; at the end of the only command they are gone, and all was told but what
   * may be hidden.
   */
  const settle = (root: string, { written = nothing, isEnd = false }: SettleHow = {}): void => {
    const running = runningIn(root);
    const told = owed.get(root) ?? anywhere;
    const isCalm = running.length === 0 || (isEnd && running.length === 1 && !told.mayHide);
    const isTold = isCalm && workspaces.has(root) && told.folders !== 'all';
    try {
      const { tree } = opened(root);
      looks[isTold ? 'told' : 'whole'] += 1;
      const found = tree.look(isTold ? told.folders : 'all');
      owed.delete(root);
      const changes = found.filter(({ path }) => !written.has(path));
      for (const entry of running) give(entry, changes, running);
      if (running.length === 0) giveLate(root, changes, tree);
      journal.save(root, tree);
    } catch (error) {
      startOver();
      throw error;
    }
  };
  /** The kernel may tell late of what was written; nobody can set the time at which it was. */
  const giveLate = (root: string, changes: readonly Change[], tree: Tree): void => {
    const ran = last.get(root);
    if (ran === undefined || changes.length === 0) return;
    const own = changes.filter(({ path }) => {
      const changedAt = tree.at(path)?.signature[4] ?? 0;
      return changedAt >= ran.entry.at - stepMs && changedAt <= ran.to;
    });
    if (own.length === 0) return;
    const entry = journal.find(ran.entry.id) ?? ran.entry;
    const grown = { ...entry, changes: joined(entry.changes, own) };
    last.set(root, { ...ran, entry: grown });
    journal.publish(grown);
  };
  const give = (entry: Entry, changes: readonly Change[], running: readonly Entry[]): void => {
    if (changes.length === 0) return;
    const others = running.map(({ id }) => id).filter((id) => id !== entry.id);
    const own = others.length === 0 ? changes : changes.map((one) => ({ ...one, with: others }));
    const grown = { ...entry, changes: joined(entry.changes, own) };
    live.set(entry.id, grown);
    journal.publish(grown);
  };
  const tellProblem = (error: unknown): string => {
    if (error instanceof KeepProblem) return error.message;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return code === 'ENOSPC' ? 'the disk is full' : `it could not be read or kept (${code})`;
  };
  const failed = (workspace: string, error: unknown): Kept => {
    const why = tellProblem(error);
    failures.set(workspace, { at: now(), why });
    return { ok: false, why };
  };
  const finish = (entry: Entry): void => {
    last.set(entry.workspace, { entry, to: now() });
    live.delete(entry.id);
    journal.ended(entry.id);
  };
  const settleCutOff = (): void => {
    const entries = journal.cutOff();
    for (const entry of entries) live.set(entry.id, { ...entry, isCutOff: true });
    for (const root of new Set(entries.map(({ workspace }) => workspace))) {
      try {
        settle(root);
      } catch {
        // It is gone or too large by now: what was found earlier stays.
      }
    }
    for (const { id } of entries) finish(live.get(id) as Entry);
  };
  settleCutOff();

  const entryOf = (id: string): Entry | null => live.get(id) ?? journal.find(id);
  return {
    before: ({ id, workspace, agent, command }, told = anywhere) => {
      owe(workspace, told);
      try {
        expire();
        settle(workspace);
        const entry: Entry = {
          version: 1,
          id,
          at: now(),
          workspace,
          agent,
          command,
          undoes: null,
          changes: [],
        };
        journal.began(entry);
        live.set(id, entry);
        failures.delete(workspace);
        return { ok: true };
      } catch (error) {
        return failed(workspace, error);
      }
    },
    after: (id, goesOn, told = anywhere) => {
      const entry = live.get(id);
      if (entry === undefined) return;
      owe(entry.workspace, told);
      settle(entry.workspace, { isEnd: !goesOn });
      if (!goesOn) finish(live.get(id) ?? entry);
    },
    check: (workspace, told = anywhere) => {
      owe(workspace, told);
      const failure = failures.get(workspace);
      if (failure !== undefined && now() - failure.at <= failureHoldsMs)
        return { ok: false, why: failure.why };
      if (workspaces.has(workspace) && runningIn(workspace).length > 0) return { ok: true };
      try {
        settle(workspace);
        return { ok: true };
      } catch (error) {
        return failed(workspace, error);
      }
    },
    entries: () => journal.list(),
    entry: entryOf,
    content: (hash) => store.read(hash),
    knownIn: (root) => workspaces.get(root)?.tree.known() ?? [],
    bytes: () => store.bytes(),
    looks: () => ({ ...looks }),
    takeBack: (id, { newId, paths, dryRun }) => {
      const entry = entryOf(id);
      if (entry === null) return null;
      const root = entry.workspace;
      owe(root, anywhere);
      settle(root);
      const at = now();
      const changes =
        paths === null
          ? entry.changes
          : entry.changes.filter(({ path }) => paths.includes(shownPath(path)));
      const result = takeBack(changes, {
        root,
        dryRun,
        known: (path) => workspaces.get(root)?.tree.at(path) ?? null,
        content: (hash) => store.read(hash),
      });
      if (dryRun) return result;
      settle(root, { written: new Set(result.done.map(({ path }) => path)) });
      const made: Entry = {
        version: 1,
        id: newId,
        at,
        workspace: root,
        agent: entry.agent,
        command: entry.command,
        undoes: id,
        changes: [...result.done],
      };
      journal.publish(made);
      return result;
    },
    close: () => {
      workspaces.clear();
      store.close();
    },
  };
}
