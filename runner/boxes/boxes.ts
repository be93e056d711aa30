import { readdirSync, rmSync } from 'node:fs';
import { messageOf, refusalOf } from '../../shared/base/index.ts';
import { boxTemplate, boxTemplates } from '../../shared/agents/index.ts';
import { agentOfBox } from '../../shared/engine/index.ts';
import type { BoxTemplate, SandboxConfig } from '../../shared/engine/index.ts';
import { tryFileLock } from '../../shared/home/index.ts';
import { BoxError, boxExit, noSuchBox } from './errors.ts';
import { existsAny, folderAt } from './folders.ts';
import { begin, endWords, journalOf, makes, mendOf, recover, stepsOf, words } from './lifecycle.ts';
import type { Operation } from './lifecycle.ts';
import type { BoxLocks } from './locks.ts';
import type { BoxRecord } from './record.ts';
import type { BoxExec } from './runtime.ts';
import { BoxSteps, keepsAll } from './steps.ts';
import type { ExecRequest, StepOptions } from './steps.ts';
import { listWindows, readWindows } from './tmux.ts';
import type { BoxWindow } from './tmux.ts';
import type { ReleaseOptions, WorkspaceSource } from './workspace/record.ts';
import { plannedWorkspace, sourceOf, straySentences } from './workspace/step.ts';

export interface BoxesOptions extends StepOptions {
  /** Throws where the box may not be started, as in a lockout of everything or of this one. */
  readonly requireOpen: (name: string) => void;
  readonly locks: Pick<BoxLocks, 'of'>;
  /** Ends what "always" has allowed to an earlier box of this name. Rejects where that cannot be done. */
  readonly fresh: (name: string) => Promise<void>;
}

interface UpRequest {
  readonly name: string;
  readonly templateName: string;
  /** A folder as it is, by its absolute path, or what is to be made. */
  readonly workspace: string | WorkspaceSource;
  readonly network?: SandboxConfig['network'];
}

/** A box as it is at this moment. */
export interface BoxState {
  readonly name: string;
  readonly agent: string;
  readonly template: string;
  readonly network: SandboxConfig['network'];
  readonly workspace: string;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly state: 'running' | 'stopped' | 'unfinished';
  /** A person has locked this one; see "interlock lockout --box". */
  readonly locked: boolean;
  /** Null where none can be seen. */
  readonly windows: readonly BoxWindow[] | null;
  readonly attached: number;
}

/** What may be done with named boxes. Whatever is done with one is done by one process at a time. */
export interface NamedBoxes {
  readonly up: (request: UpRequest) => Promise<BoxState>;
  readonly start: (name: string) => Promise<BoxState>;
  readonly stop: (name: string) => Promise<readonly string[]>;
  /** A fresh root for the same workspace, with what the template says by now. Sentences about what was kept. */
  readonly reset: (name: string) => Promise<readonly string[]>;
  /** Sentences about what was kept of its workspace, since it may be somebody's work. */
  readonly down: (name: string, options?: Partial<ReleaseOptions>) => Promise<readonly string[]>;
  readonly network: (name: string, network: SandboxConfig['network']) => Promise<BoxState>;
  readonly states: () => Promise<readonly BoxState[]>;
  readonly state: (name: string) => Promise<BoxState>;
  /** Starts a command in a box that runs. */
  readonly exec: (name: string, command: ExecRequest) => BoxExec;
  /** Brings records and what is really there together, both ways. Sentences about what was done. */
  readonly gc: () => Promise<readonly string[]>;
}

export function namedBoxes(options: BoxesOptions): NamedBoxes {
  return new Boxes(options);
}

class Boxes implements NamedBoxes {
  readonly #options: BoxesOptions;
  readonly #steps: BoxSteps;

  constructor(options: BoxesOptions) {
    this.#options = options;
    this.#steps = new BoxSteps(options);
  }

  async up({ name, templateName, workspace, network }: UpRequest): Promise<BoxState> {
    const { records, clock } = this.#options;
    this.#options.requireOpen(name);
    const template = this.#template(templateName);
    const settings = {
      ...this.#steps.settings(template),
      ...(network !== undefined && { network }),
    };
    const source = sourceOf(workspace, folderAt);
    return this.#alone(name, async () => {
      if (records.read(name) !== null)
        throw new BoxError(
          boxExit.failed,
          `There is a box "${name}" already.`,
          `Start it: interlock box start ${name}. Or end it: interlock box down ${name}`,
        );
      this.#steps.requireFreeName(name);
      this.#steps.requirePrograms(template);
      this.#requireRuntime(template);
      const record: BoxRecord = {
        version: 1,
        name,
        templateName,
        template,
        network: settings.network,
        workspace: plannedWorkspace(name, source, this.#options.paths.home),
        createdAt: clock.now(),
        startedAt: null,
        keeper: null,
        groups: [],
        nested: null,
        journal: { operation: 'up', begun: [] },
      };
      await this.#options.fresh(name);
      return this.#stateOf(await this.#make(record, source));
    });
  }

  async start(name: string): Promise<BoxState> {
    this.#options.requireOpen(name);
    return this.#alone(name, async () => {
      const record = this.#record(name);
      if (this.#runs(record)) return this.state(name);
      this.#steps.requirePrograms(record.template);
      this.#requireRuntime(record.template);
      await this.#steps.settle(record);
      return this.#stateOf(await this.#make(this.#journal(record, 'start')));
    });
  }

  async stop(name: string): Promise<readonly string[]> {
    return this.#alone(name, async () => this.#end(this.#journal(this.#record(name), 'stop')));
  }

  async reset(name: string): Promise<readonly string[]> {
    this.#options.requireOpen(name);
    return this.#alone(name, async () => {
      const before = this.#record(name);
      const template = boxTemplate(this.#options.config(), before.templateName) ?? before.template;
      const notes = await this.#end(this.#journal(before, 'stop'));
      this.#steps.requirePrograms(template);
      const fresh = { ...this.#record(name), template };
      await this.#make(this.#journal(fresh, 'start'));
      return notes;
    });
  }

  async down(name: string, options: Partial<ReleaseOptions> = {}): Promise<readonly string[]> {
    const release = { ...keepsAll, ...options };
    return this.#alone(name, async () =>
      this.#end(this.#journal(this.#record(name), 'down'), release),
    );
  }

  async network(name: string, network: SandboxConfig['network']): Promise<BoxState> {
    return this.#alone(name, async () => {
      const record = this.#record(name);
      const isFull = [record.network, network].includes('full');
      if (record.network !== network && isFull && this.#runs(record))
        throw new BoxError(
          boxExit.failed,
          `The box "${name}" has ${record.network === 'full' ? "this machine's network" : 'a network of its own'}, and the kernel gives what runs no other one.`,
          `Stop it first: interlock box stop ${name}; then set the network, and start it.`,
        );
      this.#options.records.write({ ...record, network });
      return this.state(name);
    });
  }

  async states(): Promise<readonly BoxState[]> {
    const { records } = this.#options;
    const all = records.names().flatMap((name) => {
      try {
        return records.read(name) ?? [];
      } catch {
        // `gc` and `status` say what is wrong with it.
        return [];
      }
    });
    return Promise.all(all.map(async (record) => this.#stateOf(record)));
  }

  async state(name: string): Promise<BoxState> {
    return this.#stateOf(this.#record(name));
  }

  exec(name: string, request: ExecRequest): BoxExec {
    this.#options.requireOpen(name);
    return this.#steps.exec(this.#record(name), request);
  }

  async gc(): Promise<readonly string[]> {
    const { records } = this.#options;
    this.#steps.sweep();
    const files = readdirSync(records.directory).map((file) =>
      file.replace(/\.(?:json|sock|door|root|logs|lock)$/u, ''),
    );
    const done: string[] = [];
    for (const name of new Set([...records.names(), ...files])) {
      try {
        done.push(...(await this.#alone(name, async () => this.#mend(name))));
      } catch (error) {
        // Somebody works on it, or it is not a name of ours.
        const text = refusalOf(error)?.message ?? messageOf(error);
        if (records.names().includes(name)) done.push(`${name}: ${text}`);
      }
    }
    const strays = straySentences(this.#options.paths.home, new Set(records.names()));
    return [...done, ...this.#steps.takeNotes(), ...strays];
  }

  async #mend(name: string): Promise<readonly string[]> {
    const { records, runtime } = this.#options;
    const record = this.#readQuietly(name);
    const known = typeof record === 'string' ? null : record;
    const found = typeof record === 'string' ? record : { journal: record.journal };
    const hasFiles =
      existsAny([records.socketOf(name), records.doorOf(name), records.rootOf(name)]) ||
      (known !== null && known.keeper !== null);
    const mend = mendOf({
      record: found,
      runs: runtime.runs(name, known?.keeper ?? null),
      hasFiles,
    });
    if (mend === null) return [];
    if (mend.kind === 'settle') {
      await this.#steps.settle(known as BoxRecord);
      return [`${name}: it had ended, and what it left was put in order.`];
    }
    if (mend.kind === 'end') {
      const isGone = await runtime.destroy(name, null, 0);
      if (!isGone) return [`${name}: something of it cannot be ended.`];
      await this.#steps.takeOver(name);
      await this.#steps.takeKey(name);
      this.#steps.forget(name);
      return [`${name}: ended what no record was about.`];
    }
    const { undo, leaves } = mend.recovery;
    let now = known as BoxRecord;
    for (const step of undo) now = await this.#steps.undo(now, step);
    if (leaves === 'nothing') this.#steps.forget(name);
    else records.write({ ...now, journal: null });
    const what = leaves === 'nothing' ? 'taken away' : 'stopped';
    return [
      `${name}: "${now.journal?.operation ?? ''}" was left in the middle, and it was ${what}.`,
    ];
  }

  #readQuietly(name: string): BoxRecord | 'none' | 'damaged' {
    try {
      return this.#options.records.read(name) ?? 'none';
    } catch {
      return 'damaged';
    }
  }

  /** Does the steps that make a box, each written down with the next; what fails is taken back, and said. */
  async #make(before: BoxRecord, source?: WorkspaceSource): Promise<BoxRecord> {
    const { records } = this.#options;
    let record = before;
    try {
      for (const step of stepsOf(before.journal?.operation ?? 'start')) {
        record = { ...record, journal: begin(journalOf(record), step) };
        records.write(record);
        this.#options.requireOpen(record.name);
        this.#options.progress(words[step]);
        record = await this.#steps.do(record, step, source);
      }
      // A lockout that came before its keeper was written down did not find it.
      this.#options.requireOpen(record.name);
      const made = { ...record, journal: null, startedAt: this.#options.clock.now() };
      records.write(made);
      return made;
    } catch (error) {
      throw await this.#takenBack(before, error);
    }
  }

  async #takenBack(before: BoxRecord, error: unknown): Promise<BoxError> {
    const { name } = before;
    let record = this.#options.records.read(name) ?? before;
    const { undo, leaves } = recover(journalOf(record));
    for (const step of undo) record = await this.#steps.undo(record, step);
    if (leaves === 'nothing') this.#steps.forget(name);
    else this.#options.records.write({ ...record, journal: null });
    const refusal = refusalOf(error);
    const why = refusal?.message ?? messageOf(error);
    const undone =
      undo.length === 0
        ? 'Nothing had been made.'
        : `Taken back: ${undo.map((step) => words[step]).join(', ')}.`;
    const code = error instanceof BoxError ? error.exitCode : boxExit.notStarted;
    const hint =
      refusal?.hint ?? (error instanceof BoxError ? error.hint : 'See interlock sandbox status.');
    return new BoxError(code, `The box "${name}" was not started: ${why} ${undone}`, hint, {
      cause: error,
    });
  }

  async #end(record: BoxRecord, release = keepsAll): Promise<readonly string[]> {
    const { records } = this.#options;
    const { operation, ...rest } = journalOf(record);
    this.#steps.takeNotes();
    let now: BoxRecord = { ...record, journal: { operation, ...rest } };
    records.write(now);
    for (const step of stepsOf(operation)) {
      this.#options.progress(endWords[step]);
      now = { ...now, journal: begin(journalOf(now), step) };
      records.write(now);
      now = await this.#steps.undo(now, step, release);
    }
    if (operation === 'down') this.#steps.forget(now.name);
    else records.write({ ...now, journal: null });
    return this.#steps.takeNotes();
  }

  async #stateOf(record: BoxRecord): Promise<BoxState> {
    const isRunning = this.#runs(record);
    const seen = isRunning ? await this.#steps.run(record, listWindows).catch(() => null) : null;
    const { windows, attached } = readWindows(seen?.code === 0 ? seen.text : '');
    return {
      name: record.name,
      agent: agentOfBox(record.name),
      template: record.templateName,
      network: record.network,
      workspace: record.workspace.path,
      createdAt: record.createdAt,
      startedAt: isRunning ? record.startedAt : null,
      state: record.journal !== null ? 'unfinished' : isRunning ? 'running' : 'stopped',
      locked: this.#options.locks.of(record.name) !== null,
      windows: seen?.code === 0 ? windows : null,
      attached,
    };
  }

  #template(name: string): BoxTemplate {
    const { config } = this.#options;
    const found = boxTemplate(config(), name);
    if (found !== null) return found;
    throw new BoxError(
      boxExit.noTemplate,
      `There is no template "${name}".`,
      `There are: ${Object.keys(boxTemplates(config())).join(', ')}.`,
    );
  }

  #requireRuntime({ runtime = 'kernel' }: BoxTemplate): void {
    const problem = this.#options.runtime.lacks(runtime);
    if (problem !== null)
      throw new BoxError(
        boxExit.notStarted,
        `No box can be made here: ${problem}`,
        'See interlock sandbox status.',
      );
  }

  #record(name: string): BoxRecord {
    const found = this.#options.records.read(name);
    if (found === null) throw noSuchBox(name);
    return found;
  }

  #runs({ name, keeper }: BoxRecord): boolean {
    return this.#options.runtime.runs(name, keeper);
  }

  #journal(record: BoxRecord, operation: Operation): BoxRecord {
    const { journal } = record;
    if (journal !== null && makes(operation))
      throw new BoxError(
        boxExit.failed,
        `"${journal.operation}" of the box "${record.name}" was left in the middle.`,
        'Put it in order: interlock box gc',
      );
    return { ...record, journal: { operation, begun: [] } };
  }

  /** One process at a time works on a box; the kernel lets go where that one ends. */
  async #alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { records } = this.#options;
    const release = tryFileLock(records.lockOf(name));
    if (release === null)
      throw new BoxError(
        boxExit.failed,
        `Something else is being done with the box "${name}".`,
        'Try again in a moment.',
      );
    try {
      return await work();
    } finally {
      if (!records.names().includes(name)) rmSync(records.lockOf(name), { force: true });
      release();
    }
  }
}
