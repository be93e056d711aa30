import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openJournal } from './journal.ts';
import type { Journal } from './journal.ts';
import { ensureRoom, expire } from './pruning.ts';
import type { Holdings } from './pruning.ts';
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

/** A workspace that was looked at. */
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
  return new WorkspaceKeeper(options);
}

class WorkspaceKeeper implements Keeper {
  readonly #options: KeeperOptions;
  readonly #journal: Journal;
  #store: Store;
  readonly #workspaces = new Map<string, Workspace>();
  /** Commands that run, or have left something that does. */
  readonly #live = new Map<string, Entry>();
  readonly #failures = new Map<string, { readonly at: number; readonly why: string }>();
  readonly #looks = { whole: 0, told: 0 };
  /** What was told of a workspace and not looked at yet. */
  readonly #owed = new Map<string, ToldHere>();
  /** What ran last in a workspace, and when. */
  readonly #last = new Map<string, { readonly entry: Entry; readonly to: number }>();
  #sweptAt: number;

  constructor(options: KeeperOptions) {
    this.#options = options;
    mkdirSync(options.directory, { recursive: true, mode: 0o700 });
    this.#journal = openJournal(options.directory);
    this.#store = openStore(join(options.directory, 'store'));
    this.#sweptAt = options.now();
    this.#settleCutOff();
  }

  before({ id, workspace, agent, command }: Beginning, told = anywhere): Kept {
    this.#owe(workspace, told);
    try {
      this.#expire();
      this.#settle(workspace);
      const entry: Entry = {
        version: 1,
        id,
        at: this.#options.now(),
        workspace,
        agent,
        command,
        undoes: null,
        changes: [],
      };
      this.#journal.began(entry);
      this.#live.set(id, entry);
      this.#failures.delete(workspace);
      return { ok: true };
    } catch (error) {
      return this.#failed(workspace, error);
    }
  }

  after(id: string, goesOn: boolean, told = anywhere): void {
    const entry = this.#live.get(id);
    if (entry === undefined) return;
    this.#owe(entry.workspace, told);
    this.#settle(entry.workspace, { isEnd: !goesOn });
    if (!goesOn) this.#finish(this.#live.get(id) ?? entry);
  }

  check(workspace: string, told = anywhere): Kept {
    this.#owe(workspace, told);
    const failure = this.#failures.get(workspace);
    if (failure !== undefined && this.#options.now() - failure.at <= failureHoldsMs)
      return { ok: false, why: failure.why };
    if (this.#workspaces.has(workspace) && this.#runningIn(workspace).length > 0)
      return { ok: true };
    try {
      this.#settle(workspace);
      return { ok: true };
    } catch (error) {
      return this.#failed(workspace, error);
    }
  }

  entries(): readonly Entry[] {
    return this.#journal.list();
  }

  entry(id: string): Entry | null {
    return this.#live.get(id) ?? this.#journal.find(id);
  }

  content(hash: string): Buffer | null {
    return this.#store.read(hash);
  }

  knownIn(root: string): Iterable<readonly [string, Known]> {
    return this.#workspaces.get(root)?.tree.known() ?? [];
  }

  bytes(): number {
    return this.#store.bytes();
  }

  looks(): { whole: number; told: number } {
    return { ...this.#looks };
  }

  takeBack(
    id: string,
    { newId, paths, dryRun }: { readonly newId: string } & TakeBackOptions,
  ): TakenBack | null {
    const entry = this.entry(id);
    if (entry === null) return null;
    const root = entry.workspace;
    this.#owe(root, anywhere);
    this.#settle(root);
    const at = this.#options.now();
    const changes =
      paths === null
        ? entry.changes
        : entry.changes.filter(({ path }) => paths.includes(shownPath(path)));
    const result = takeBack(changes, {
      root,
      dryRun,
      known: (path) => this.#workspaces.get(root)?.tree.at(path) ?? null,
      content: (hash) => this.#store.read(hash),
    });
    if (dryRun) return result;
    this.#settle(root, { written: new Set(result.done.map(({ path }) => path)) });
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
    this.#journal.publish(made);
    return result;
  }

  close(): void {
    this.#workspaces.clear();
    this.#store.close();
  }

  #opened(root: string): Workspace {
    const known = this.#workspaces.get(root);
    if (known !== undefined) return known;
    const { settings } = this.#options;
    const { fileBytes, files } = settings();
    const global =
      this.#options.globalRules === undefined ? globalRules() : this.#options.globalRules;
    const tree = openTree({
      root,
      store: this.#store,
      fileBytes,
      mostFiles: files,
      room: () => ensureRoom(this.#holdings(), settings().maxBytes),
      globalRules: global,
      now: Date.now,
    });
    this.#journal.load(root, tree, (hash) => this.#store.has(hash));
    const made = { root, tree };
    this.#workspaces.set(root, made);
    return made;
  }

  #holdings(): Holdings {
    const roots = [...this.#workspaces.values()];
    return { journal: this.#journal, store: this.#store, workspaces: roots, live: this.#live };
  }

  #expire(): void {
    if (this.#options.now() - this.#sweptAt < sweepEveryMs) return;
    this.#sweptAt = this.#options.now();
    expire(this.#holdings(), this.#sweptAt - this.#options.settings().keepMs);
  }

  /** After a failed look nothing in memory is relied on: what is on the disk is whole. */
  #startOver(): void {
    this.#workspaces.clear();
    try {
      this.#store.close();
    } catch {
      // What could not be written is not in its lists either.
    }
    this.#store = openStore(join(this.#options.directory, 'store'));
  }

  #runningIn(root: string): readonly Entry[] {
    return [...this.#live.values()].filter((entry) => entry.workspace === root);
  }

  #owe(root: string, told: ToldHere): void {
    const { folders, mayHide } = this.#owed.get(root) ?? { folders: [], mayHide: false };
    const all = folders === 'all' || told.folders === 'all';
    this.#owed.set(root, {
      folders: all ? 'all' : [...new Set([...folders, ...told.folders])],
      mayHide: mayHide || told.mayHide,
    });
  }

  /**
   * Looks, and gives what is found to whatever ran there. While somebody else's processes run they may
   * write without a word; at the end of the only command they are gone, and all was told but what
   * may be hidden.
   */
  #settle(root: string, { written = nothing, isEnd = false }: SettleHow = {}): void {
    const running = this.#runningIn(root);
    const told = this.#owed.get(root) ?? anywhere;
    const isCalm = running.length === 0 || (isEnd && running.length === 1 && !told.mayHide);
    const isTold = isCalm && this.#workspaces.has(root) && told.folders !== 'all';
    try {
      const { tree } = this.#opened(root);
      this.#looks[isTold ? 'told' : 'whole'] += 1;
      const found = tree.look(isTold ? told.folders : 'all');
      this.#owed.delete(root);
      const changes = found.filter(({ path }) => !written.has(path));
      for (const entry of running) this.#give(entry, changes, running);
      if (running.length === 0) this.#giveLate(root, changes, tree);
      this.#journal.save(root, tree);
    } catch (error) {
      this.#startOver();
      throw error;
    }
  }

  /** The kernel may tell late of what was written; nobody can set the time at which it was. */
  #giveLate(root: string, changes: readonly Change[], tree: Tree): void {
    const ran = this.#last.get(root);
    if (ran === undefined || changes.length === 0) return;
    const own = changes.filter(({ path }) => {
      const changedAt = tree.at(path)?.signature[4] ?? 0;
      return changedAt >= ran.entry.at - stepMs && changedAt <= ran.to;
    });
    if (own.length === 0) return;
    const entry = this.#journal.find(ran.entry.id) ?? ran.entry;
    const grown = { ...entry, changes: joined(entry.changes, own) };
    this.#last.set(root, { ...ran, entry: grown });
    this.#journal.publish(grown);
  }

  #give(entry: Entry, changes: readonly Change[], running: readonly Entry[]): void {
    if (changes.length === 0) return;
    const others = running.map(({ id }) => id).filter((id) => id !== entry.id);
    const own = others.length === 0 ? changes : changes.map((one) => ({ ...one, with: others }));
    const grown = { ...entry, changes: joined(entry.changes, own) };
    this.#live.set(entry.id, grown);
    this.#journal.publish(grown);
  }

  #tellProblem(error: unknown): string {
    if (error instanceof KeepProblem) return error.message;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    return code === 'ENOSPC' ? 'the disk is full' : `it could not be read or kept (${code})`;
  }

  #failed(workspace: string, error: unknown): Kept {
    const why = this.#tellProblem(error);
    this.#failures.set(workspace, { at: this.#options.now(), why });
    return { ok: false, why };
  }

  #finish(entry: Entry): void {
    this.#last.set(entry.workspace, { entry, to: this.#options.now() });
    this.#live.delete(entry.id);
    this.#journal.ended(entry.id);
  }

  #settleCutOff(): void {
    const entries = this.#journal.cutOff();
    for (const entry of entries) this.#live.set(entry.id, { ...entry, isCutOff: true });
    for (const root of new Set(entries.map(({ workspace }) => workspace))) {
      try {
        this.#settle(root);
      } catch {
        // It is gone or too large by now: what was found earlier stays.
      }
    }
    for (const { id } of entries) this.#finish(this.#live.get(id) as Entry);
  }
}
