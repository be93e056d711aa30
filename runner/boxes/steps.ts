import { mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { displayPlain } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { agentOfBox, bytesOf, sandboxOfTemplate } from '../../shared/engine/index.ts';
import type { BoxTemplate, Config, SandboxConfig } from '../../shared/engine/index.ts';
import {
  agentKeyFile,
  baseEnvironment,
  ensurePrivateDirectory,
  openFolderTrees,
  programOnPath,
  removeHalfWritten,
  toolsIn,
} from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { bundleOf, bundlePath, hostRoots } from '../egress/trust.ts';
import { changesPath, noteChanges } from '../hosts/sandbox/changes.ts';
import { touchSlots, untaken } from '../hosts/sandbox/history/slot.ts';
import { createHistories } from '../hosts/sandbox/history/store.ts';
import type { Entry } from '../hosts/sandbox/message.ts';
import { createNested } from '../hosts/sandbox/nested.ts';
import { historyMark } from '../ingress/box-call.ts';
import type { Principals } from '../principals/callers.ts';
import { keyEntries } from './agent-keys.ts';
import { boxEnvironment, doorEntries } from './inside.ts';
import { BoxError, boxExit } from './errors.ts';
import { existsAny, isSameFolder, requireSameFolder } from './folders.ts';
import type { BoxStep } from './lifecycle.ts';
import { keepLogs } from './logs.ts';
import type { BoxRecord, BoxRecords } from './record.ts';
import { planRoot } from './root.ts';
import type { BoxCommand, BoxExec, BoxRuntime } from './runtime.ts';
import { heard, openSession, tmuxEntries, tmuxProgram } from './tmux.ts';
import type { ReleaseOptions, WorkspaceSource, WorkspaceTools } from './workspace/record.ts';
import { giveBackWorkspace, makeWorkspace, toldAtHome, workspaceTools } from './workspace/step.ts';

export interface StepOptions {
  readonly clock: Clock;
  readonly uid: number;
  readonly paths: Pick<
    HomePaths,
    'home' | 'keysDirectory' | 'sandboxLayers' | 'egressAuthority' | 'toolsDirectory'
  >;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly launcher: string;
  readonly records: BoxRecords;
  readonly runtime: BoxRuntime;
  readonly config: () => Config;
  readonly principals: Pick<Principals, 'list' | 'add' | 'rekey' | 'clear'>;
  /** A secret of the store for a box; null where there is none. */
  readonly secret: (name: string, box: string) => Promise<string | null>;
  /** Told of each step as it begins, for whoever waits. */
  readonly progress: (line: string) => void;
}

export interface ExecRequest {
  readonly argv: readonly string[];
  readonly cwd?: string;
  readonly terminal?: number;
  readonly output?: number;
  readonly takesInput?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** Nothing that may be somebody's work goes unasked. */
export const keepsAll: ReleaseOptions = { keepBranch: false, discard: false };

/** Between asking all in a box to end and its end, in milliseconds. */
const graceMs = 2_000;

/** What the steps of a box do, and how each is undone. Nobody else works on the box meanwhile. */
export class BoxSteps {
  readonly #options: StepOptions;
  /** What the ends of boxes had to say. */
  readonly #notes: string[] = [];

  constructor(options: StepOptions) {
    this.#options = options;
  }

  exec(
    record: BoxRecord,
    { argv, cwd, terminal, output, takesInput = false, env = {} }: ExecRequest,
  ): BoxExec {
    const identity = this.#identity(record);
    const given = { ...boxEnvironment(record, this.#options.env, this.#options.config()), ...env };
    const [file = ''] = argv;
    // The words of a program that is not written out as a path are looked up inside.
    const found = file.startsWith('/') ? [...argv] : ['/usr/bin/env', '--', ...argv];
    const taken = this.#options.runtime.exec(record.name, {
      ...identity,
      cwd: cwd ?? record.workspace.path,
      file: found[0] ?? '',
      argv: found,
      env: given,
      takesInput,
      ...(terminal !== undefined && { terminal }),
      ...(output !== undefined && { output }),
    });
    if (taken !== null) return taken;
    throw new BoxError(
      boxExit.failed,
      `The box "${record.name}" does not run.`,
      `Start it: interlock box start ${record.name}`,
    );
  }

  /** Does a step; undoing it again must do whatever it did. */
  async do(record: BoxRecord, step: BoxStep, source?: WorkspaceSource): Promise<BoxRecord> {
    return {
      workspace: async () => this.#makeWorkspace(record, source),
      key: async () => this.#giveKey(record),
      keeper: async () => this.#createBox(record),
      windows: async () => this.#openWindows(record),
    }[step]();
  }

  /** Undoes a step, whether it was done, half done or never begun. */
  async undo(record: BoxRecord, step: BoxStep, release = keepsAll): Promise<BoxRecord> {
    const steps = {
      workspace: async () => this.#giveBackWorkspace(record, release),
      key: async () => {
        await this.takeKey(record.name);
        return record;
      },
      keeper: async () => this.#endBox(record),
      // They end with the box.
      windows: async () => Promise.resolve(record),
    };
    return steps[step]();
  }

  async #makeWorkspace(record: BoxRecord, source?: WorkspaceSource): Promise<BoxRecord> {
    if (source === undefined) return record;
    return makeWorkspace(record, source, this.#tools(), this.#options.records.write);
  }

  async #giveBackWorkspace(record: BoxRecord, release: ReleaseOptions): Promise<BoxRecord> {
    const { write } = this.#options.records;
    const given = await giveBackWorkspace(record, release, this.#tools(), write);
    this.#notes.push(...given.notes);
    return given.record;
  }

  #tools(): WorkspaceTools {
    const { env, paths, progress } = this.#options;
    return {
      ...workspaceTools(env, paths.home, progress),
      brokered: toolsIn(paths.toolsDirectory),
    };
  }

  /** What ends of boxes had to say since this was asked last. */
  takeNotes(): readonly string[] {
    return this.#notes.splice(0);
  }

  async #giveKey(record: BoxRecord): Promise<BoxRecord> {
    const { principals } = this.#options;
    const agent = agentOfBox(record.name);
    const isKnown = principals.list().some(({ name }) => name === agent);
    await (isKnown ? principals.rekey(agent) : principals.add(agent));
    return record;
  }

  /** Removes what killed processes have left half written, keys among it. */
  sweep(): void {
    const { records, clock, paths } = this.#options;
    const keys = paths.keysDirectory;
    for (const folder of [records.directory, keys, dirname(agentKeyFile(keys, '-'))])
      removeHalfWritten(folder, clock.now());
  }

  async takeKey(name: string): Promise<void> {
    await this.#options.principals.clear(agentOfBox(name));
  }

  async #openWindows(record: BoxRecord): Promise<BoxRecord> {
    const { template, workspace } = record;
    const { code, text } = await this.run(record, openSession(template.agents, workspace.path));
    if (code === 0) {
      await keepLogs(record, this.#options, (request) => this.exec(record, request));
      return record;
    }
    throw new BoxError(
      boxExit.notStarted,
      `tmux did not begin: ${displayPlain(text.slice(0, 300))}`,
      'See interlock sandbox status.',
    );
  }

  async #endBox(record: BoxRecord): Promise<BoxRecord> {
    if (await this.#options.runtime.destroy(record.name, record.keeper, graceMs))
      return this.settle(record);
    throw new BoxError(
      boxExit.failed,
      `Something of the box "${record.name}" cannot be ended.`,
      'Try again, then look for it with ps.',
    );
  }

  /** Takes over what Git did, and lets go of what a box that has ended leaves. */
  async settle(record: BoxRecord): Promise<BoxRecord> {
    await this.takeOver(record.name);
    this.#notes.push(...(await this.#clear(record)));
    await this.#options.runtime.clear(record.name, record.groups);
    rmSync(this.#options.records.doorOf(record.name), { force: true, recursive: true });
    const settled = { ...record, keeper: null, groups: [], nested: null, startedAt: null };
    this.#options.records.write(settled);
    return settled;
  }

  /** Takes over what Git did in a box that has ended, whatever else is known of it. */
  async takeOver(name: string): Promise<void> {
    const histories = this.#histories(name);
    touchSlots(this.#historyFolder(name), this.#options.clock.now());
    await histories.recover();
    await histories.settled();
    this.#notes.push(...untaken(this.#historyFolder(name), this.#options.uid));
  }

  async #createBox(record: BoxRecord): Promise<BoxRecord> {
    const { runtime, paths, env, records, clock, secret } = this.#options;
    const settings = { ...this.settings(record.template), network: record.network };
    requireSameFolder(record.workspace.path);
    const { runtime: builtBy = 'kernel' } = record.template;
    const [trust, keys] = await Promise.all([
      record.network === 'full' ? [] : this.#trust(),
      keyEntries(record.template.agents, (name) => secret(name, record.name)),
    ]);
    const root = planRoot(record.name, record.workspace.path, {
      settings,
      ownHome: paths.home,
      path: (baseEnvironment(env)['PATH'] ?? '').split(':'),
      // An engine lays no layer over it that we could take over, so it is read-only there.
      histories: builtBy === 'kernel' ? this.#histories(record.name) : null,
      more: [...tmuxEntries, ...trust],
    });
    // Before anything runs: what is there at its end and not in this was made in it.
    const history = historyMark(record.workspace.path);
    const begun = { ...record, nested: root.nested, history, startedAt: clock.now() };
    records.write(begun);
    const created = await runtime.create({
      name: record.name,
      runtime: builtBy,
      uid: root.owner.uid,
      gid: root.owner.gid,
      entries: [
        ...root.entries,
        ...toldAtHome(record, root.owner.home, this.#tools()),
        ...keys,
        ...(await doorEntries(record.name, root.owner.uid, this.#options)),
      ],
      limits: root.limits,
      network: record.network,
      memory: bytesOf(settings.memory),
    });
    return { ...begun, keeper: created.keeper, groups: [...created.groups] };
  }

  /** Runs a short command in a box and gathers what it says. */
  async run(record: BoxRecord, argv: readonly string[]): Promise<{ code: number; text: string }> {
    const done = this.exec(record, { argv: [tmuxProgram, ...argv.slice(1)] });
    return heard(done, this.#options.clock);
  }

  /** Moves aside histories that were made in a box, and notes what it has left that acts later. */
  async #clear({ name, nested, startedAt, workspace }: BoxRecord): Promise<readonly string[]> {
    const { clock, paths, uid } = this.#options;
    const trees = openFolderTrees();
    const moved: string[] = [];
    try {
      for (const [folder, marks] of Object.entries(nested ?? {})) {
        // What lies behind a link that came into the path was not made in the box.
        if (!isSameFolder(folder)) {
          moved.push(`${folder} is another folder by now, and was not looked into.`);
          continue;
        }
        const looker = createNested(trees);
        looker.restore(folder, new Map(Object.entries(marks)));
        const found = await looker.look(folder, startedAt ?? 0);
        moved.push(...found.moved);
        const about = { at: clock.now(), agent: agentOfBox(name), session: name, command: name };
        const changes = found.changed.map((one) => ({
          ...about,
          workspace: workspace.path,
          ...one,
        }));
        if (changes.length > 0) noteChanges(changesPath(paths.sandboxLayers), uid, changes);
      }
      return moved;
    } finally {
      trees.close();
    }
  }

  /** Whom programs in it trust: the proxy looks into what it signs in. */
  async #trust(): Promise<readonly Entry[]> {
    const { paths, uid, clock, env } = this.#options;
    ensurePrivateDirectory(dirname(paths.egressAuthority), { uid });
    // What makes certificates is large, and most commands need none.
    const { openAuthority } = await import('../egress/authority.ts');
    const { certificate } = await openAuthority({
      path: paths.egressAuthority,
      uid,
      now: () => clock.now(),
    });
    const content = bundleOf(certificate, hostRoots({ extra: env['NODE_EXTRA_CA_CERTS'] }));
    return [{ kind: 'file', target: bundlePath, content }];
  }

  #identity({ workspace, network }: BoxRecord): Pick<BoxCommand, 'uid' | 'gid' | 'network'> {
    requireSameFolder(workspace.path);
    const { uid, gid } = statSync(workspace.path);
    return { uid, gid, network };
  }

  settings(template: BoxTemplate): SandboxConfig {
    return sandboxOfTemplate(this.#options.config(), template);
  }

  /** An agent of the box's name that is there already is somebody's own: its key stays what it is. */
  requireFreeName(name: string): void {
    const agent = agentOfBox(name);
    if (!this.#options.principals.list().some((one) => one.name === agent)) return;
    throw new BoxError(
      boxExit.failed,
      `There is an agent "${agent}" already, and the box would be it.`,
      `Take another name, or first: interlock agents rm ${agent}`,
    );
  }

  requirePrograms({ agents }: BoxTemplate): void {
    const path = baseEnvironment(this.#options.env)['PATH'] ?? '';
    const lacking = agents.flatMap(({ command: [program = ''] }) =>
      program.startsWith('/') || programOnPath(program, path) !== null ? [] : [program],
    );
    if (programOnPath('tmux', '/usr/bin') === null)
      throw new BoxError(
        boxExit.noResource,
        'There is no /usr/bin/tmux on this machine.',
        'Install tmux.',
      );
    if (lacking.length > 0)
      throw new BoxError(
        boxExit.noResource,
        `Not on your PATH: ${lacking.join(', ')}.`,
        'Install it, or write a template of your own with its path.',
      );
  }

  #historyFolder(name: string): string {
    return join(this.#options.paths.sandboxLayers, 'boxes', name);
  }

  #histories(name: string) {
    const directory = this.#historyFolder(name);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const { clock, launcher, uid } = this.#options;
    return createHistories({ clock, launcher, uid, directory });
  }

  /** Forgets a box that has ended; what of Git could not be taken over is kept aside. */
  forget(name: string): void {
    const { records, clock, uid } = this.#options;
    const folder = this.#historyFolder(name);
    if (existsAny([folder]) && untaken(folder, uid).length > 0) {
      const aside = `${folder}.left-${String(clock.now())}`;
      renameSync(folder, aside);
      this.#notes.push(`What of Git was not taken over is kept in ${aside}.`);
    } else rmSync(folder, { recursive: true, force: true });
    records.remove(name);
  }
}
