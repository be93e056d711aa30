import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { messageOf, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { bytesOf } from '../../shared/engine/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import type { ChangeBody, ChangesSummary, UndoBody } from '../../shared/wire/index.ts';
import type { FolderTree, FolderTrees, Told } from '../../shared/home/index.ts';
import { pathOfText } from '../../shared/home/index.ts';
import type { Kept, KeepSettings, ToldHere } from './keeper.ts';
import { shownPath } from './state.ts';
import type { TakenBack } from './take-back.ts';
import type { Order, Reply } from './worker.ts';

/** What is about to run, and where. */
interface UndoTask {
  readonly id: string;
  readonly agent: string;
  /** The name of the host. */
  readonly host: string;
  /** Absolute real path. */
  readonly cwd: string;
  /** As a person reads it. */
  readonly command: string;
}

/**
 * Whether what a command changes can be taken back. `off`: a person has switched it off for this
 * host, or nothing can change there. `no`: it should be, and cannot; the sentence says why.
 */
export type Keeping =
  | { readonly kind: 'kept' }
  | { readonly kind: 'off' }
  | { readonly kind: 'no'; readonly why: string };

/** Keeps workspaces, so that what commands change there can be taken back. */
export interface Undo {
  /**
   * Before it is decided whether to ask: what `before` will most likely say. Costs what `before` then
   * need not do, and promises nothing: what runs without a question has to be `kept` or `off` by
   * `before`, too.
   */
  check(task: Pick<UndoTask, 'agent' | 'host' | 'cwd'>): Promise<Keeping>;
  /** Right before the start: with `kept` the workspace is kept as it is at this moment. Never rejects. */
  before(task: UndoTask): Promise<Keeping>;
  /** The command has ended, as far as its caller waits for it. `isAlive`: something of it still runs. */
  after(id: string, isAlive: () => boolean): void;
  list(limit: number): Promise<readonly ChangesSummary[]>;
  /** Null where nothing is known of it. */
  show(id: string): Promise<ChangeBody | null>;
  /** Rejects with an `invalid-request` refusal where there is no such entry. */
  takeBack(request: UndoOrder): Promise<Omit<UndoBody, 'ok'>>;
  dispose(): Promise<void>;
}

interface UndoOrder {
  readonly id: string;
  /** As they are shown; null for all. */
  readonly files: readonly string[] | null;
  readonly dryRun: boolean;
}

interface UndoOptions {
  /** A folder of ours. */
  readonly directory: string;
  /** Absolute path of the program of the thread. */
  readonly program: string;
  readonly clock: Clock;
  readonly config: () => Config;
  /** The workspace around a folder; throws where it can be none. */
  readonly workspaceOf: (agent: string, cwd: string) => string;
  /** Takes the secrets out of a text. */
  readonly redact: (text: string) => string;
  /** What happens in workspaces, as all parts of the runner are told. */
  readonly folders: FolderTrees;
  readonly newId: () => string;
  readonly problem: (sentence: string) => void;
}

const linger = { everyMs: 5, times: 20 };
const strayMs = 1_000;
const mostCommand = 2_000;
const day = 86_400_000;

/** The keeper in a thread of its own, started when it is first needed. */
export function createUndo(options: UndoOptions): Undo {
  return new UndoInThread(options);
}

class UndoInThread implements Undo {
  readonly #options: UndoOptions;
  readonly #thread: Thread;
  readonly #toldOf: (workspace: string) => ToldHere;
  /** Workspaces of commands under way, and whether they can be written by those in a box alone. */
  readonly #places = new Map<string, { readonly workspace: string; readonly isBoxed: boolean }>();
  /** Commands whose box is still there after their end. */
  readonly #strays = new Map<string, () => boolean>();
  #cancelPoll: (() => void) | null = null;
  /** Commands whose launcher is still given a moment to go. */
  readonly #ending = new Set<Promise<void>>();

  constructor(options: UndoOptions) {
    this.#options = options;
    this.#thread = createThread(options);
    this.#toldOf = listener(options.folders);
  }

  async check(task: Pick<UndoTask, 'agent' | 'host' | 'cwd'>): Promise<Keeping> {
    return this.#answered(task, async (workspace) =>
      this.#ask({ kind: 'check', workspace, told: this.#toldOf(workspace) }),
    );
  }

  async before(task: UndoTask): Promise<Keeping> {
    await this.#allEnded();
    this.#settleStrays();
    const { id, agent } = task;
    const command = this.#options.redact(task.command).slice(0, mostCommand);
    return this.#answered(task, async (workspace) => {
      this.#places.set(id, { workspace, isBoxed: task.host === 'sandbox' });
      const beginning = { id, agent, command, workspace };
      const told = this.#toldOf(workspace);
      const kept = (await this.#ask({ kind: 'before', beginning, told })) as Kept;
      if (!kept.ok) this.#places.delete(id);
      return kept;
    });
  }

  after(id: string, isAlive: () => boolean): void {
    const ended = new Promise<void>((resolve) => {
      const settle = (left: number): void => {
        if (isAlive() && left > 0) {
          this.#options.clock.after(linger.everyMs, () => settle(left - 1));
          return;
        }
        const goesOn = isAlive();
        this.#tell(id, goesOn);
        if (goesOn) this.#strays.set(id, isAlive);
        this.#settleStrays();
        resolve();
      };
      settle(linger.times);
    });
    this.#ending.add(ended);
    void ended.then(() => this.#ending.delete(ended));
  }

  async list(limit: number): Promise<readonly ChangesSummary[]> {
    await this.#allEnded();
    return (await this.#ask({ kind: 'list', limit })) as readonly ChangesSummary[];
  }

  async show(id: string): Promise<ChangeBody | null> {
    await this.#allEnded();
    return (await this.#ask({ kind: 'show', id })) as ChangeBody | null;
  }

  async takeBack({ id, files, dryRun }: UndoOrder): Promise<Omit<UndoBody, 'ok'>> {
    await this.#allEnded();
    const newId = this.#options.newId();
    const order = { kind: 'take-back', id, newId, dryRun, paths: files } as const;
    const taken = (await this.#ask(order)) as TakenBack | null;
    if (taken === null) throw unknownEntry(id);
    if (taken.results.length === 0) throw unknownFiles(id);
    return {
      id: dryRun || taken.done.length === 0 ? null : newId,
      dryRun,
      files: taken.results.map((one) => ({
        path: shownPath(one.path),
        result: one.result,
        why: 'why' in one ? one.why : null,
      })),
    };
  }

  async dispose(): Promise<void> {
    this.#cancelPoll?.();
    await this.#thread.close(async () => this.#ask({ kind: 'close' }));
  }

  async #ask(order: Bare<Order>): Promise<unknown> {
    return this.#thread.ask({ ...order, settings: settingsOf(this.#options.config()) });
  }

  async #allEnded(): Promise<void> {
    await Promise.all(this.#ending);
  }

  #tell(id: string, goesOn: boolean): void {
    const place = this.#places.get(id);
    if (!goesOn) this.#places.delete(id);
    // Outside of a box, or after one look, files may have been opened and linked from anywhere.
    const isKnown = place?.isBoxed === true && !goesOn && !this.#strays.has(id);
    const told = isKnown ? this.#toldOf(place.workspace) : anywhere;
    this.#ask({ kind: 'after', id, goesOn, told }).catch((error: unknown) =>
      this.#options.problem(`What ${id} changed could not be kept: ${messageOf(error)}`),
    );
  }

  #settleStrays(): void {
    for (const [id, isAlive] of this.#strays)
      if (!isAlive()) {
        this.#tell(id, false);
        this.#strays.delete(id);
      }
    this.#cancelPoll ??=
      this.#strays.size === 0 ? null : this.#options.clock.after(strayMs, () => this.#pollStrays());
  }

  #pollStrays(): void {
    this.#cancelPoll = null;
    this.#settleStrays();
  }

  #placeOf({ host, agent, cwd }: Pick<UndoTask, 'agent' | 'host' | 'cwd'>): string | null {
    const { undo, sandbox, agents } = this.#options.config();
    const own = Object.hasOwn(agents, agent) ? agents[agent]?.sandbox : undefined;
    const isReadOnly = own?.readOnlyWorkspace ?? sandbox.readOnlyWorkspace;
    if (undo.on === 'off' || (undo.on === 'sandbox' && host !== 'sandbox')) return null;
    if (process.platform !== 'linux') return null;
    if (host === 'sandbox' && isReadOnly) return null;
    return this.#options.workspaceOf(agent, cwd);
  }

  async #answered(
    task: Pick<UndoTask, 'agent' | 'host' | 'cwd'>,
    how: (workspace: string) => Promise<unknown>,
  ): Promise<Keeping> {
    let workspace: string | null;
    try {
      workspace = this.#placeOf(task);
    } catch (error) {
      return { kind: 'no', why: messageOf(error) };
    }
    if (workspace === null) return { kind: 'off' };
    try {
      const kept = (await how(workspace)) as Kept;
      return kept.ok ? { kind: 'kept' } : { kind: 'no', why: `${workspace}: ${kept.why}` };
    } catch (error) {
      return { kind: 'no', why: messageOf(error) };
    }
  }
}

const anywhere: ToldHere = { folders: 'all', mayHide: true };

/** What was told of a workspace since the last question, by paths below it. */
function listener(trees: FolderTrees): (workspace: string) => ToldHere {
  const readers = new WeakMap<FolderTree, () => Told>();
  return (workspace) => {
    const tree = trees.of(workspace);
    const reader = readers.get(tree) ?? tree.listen();
    readers.set(tree, reader);
    const { folders, mayHide } = reader();
    const { length } = pathOfText(workspace);
    const below = folders === 'all' ? folders : [...folders].map((path) => path.slice(length + 1));
    return { folders: below, mayHide };
  };
}

function unknownEntry(id: string): Error {
  return refuse(
    'invalid-request',
    `There is nothing to take back of "${id}".`,
    'See what there is with: interlock undo --list',
  );
}

function unknownFiles(id: string): Error {
  return refuse(
    'invalid-request',
    `None of these files is among what "${id}" changed.`,
    'See what is, and how it is written, with: interlock undo ' + id + ' --dry-run',
  );
}

/** Each form of a union without the settings. */
type Bare<T> = T extends unknown ? Omit<T, 'settings'> : never;

function settingsOf({ undo }: Config): KeepSettings {
  return {
    maxBytes: bytesOf(undo.maxBytes),
    fileBytes: bytesOf(undo.fileBytes),
    files: undo.files,
    keepMs: undo.keepDays * day,
  };
}

interface Thread {
  ask(order: Order): Promise<unknown>;
  close(last: () => Promise<unknown>): Promise<void>;
}

function createThread({ directory, program }: UndoOptions): Thread {
  let worker: Worker | null = null;
  let number = 0;
  const waiting = new Map<
    number,
    { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }
  >();
  const gone = (why: string): void => {
    worker = null;
    for (const { reject } of waiting.values()) reject(new Error(why));
    waiting.clear();
  };
  const started = (): Worker => {
    if (!existsSync(program)) throw new Error('what keeps workspaces is not installed');
    const made = new Worker(program, { workerData: directory, stdin: false });
    made.on('message', ({ number: at, result, problem }: Reply) => {
      const call = waiting.get(at);
      waiting.delete(at);
      if (waiting.size === 0) made.unref();
      if (problem === undefined) call?.resolve(result);
      else call?.reject(new Error(problem));
    });
    made.on('error', (error) => gone(`what keeps workspaces failed (${messageOf(error)})`));
    made.on('exit', () => gone('what keeps workspaces has ended'));
    return made;
  };
  return {
    ask: async (order) => {
      worker ??= started();
      const to = worker;
      number += 1;
      const at = number;
      return new Promise((resolve, reject) => {
        waiting.set(at, { resolve, reject });
        to.ref();
        // A thread has no origin.
        // oxlint-disable-next-line unicorn/require-post-message-target-origin
        to.postMessage({ number: at, order });
      });
    },
    close: async (last) => {
      const open = worker;
      if (open === null) return;
      await last().catch(() => undefined);
      await open.terminate();
    },
  };
}
