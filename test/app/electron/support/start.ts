import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  AppState,
  BridgeCall,
  BridgeResult,
  QueuedAsk,
} from '../../../../app/bridge/types.ts';
import { openConsole } from '../../../../app/console/server.ts';
import { readPageFiles } from '../../../../app/host/page-files.ts';
import type { OpenInBrowser, ShellFacts, UiHostStart } from '../../../../app/host/types.ts';
import type { ShellConfig } from '../../../../app/host/settings.ts';
import type { Updater } from '../../../../app/electron/updates.ts';
import { startShell } from '../../../../app/electron/shell.ts';
import { homePaths } from '../../../../shared/home/paths.ts';
import { fakeClock } from '../../../support/fake-clock.ts';
import { fakeElectron } from './fake-electron.ts';

/** A state with a runner that is armed; fields may be replaced. */
export function appState(change: Partial<AppState> = {}): AppState {
  return {
    revision: 1,
    now: 0,
    runner: { mode: 'armed', reason: null, running: 0, pending: 0, policyProblem: null },
    queue: [],
    missed: [],
    policy: { hash: '', problem: null },
    ...change,
  };
}

/** A host that records calls and pushes the states that a test gives it. */
export function fakeHost() {
  const listeners = new Set<(state: AppState) => void>();
  const calls: [string, unknown][] = [];
  const results = new Map<string, BridgeResult<BridgeCall>>();
  let state = appState();
  return {
    calls,
    /** What a call answers; by default an empty success. */
    results,
    closed: false,
    listeners,
    push(change: Partial<AppState>): void {
      state = { ...state, ...change, revision: state.revision + 1 };
      for (const listener of listeners) listener(state);
    },
    ask(...queue: QueuedAsk[]): void {
      this.push({ queue });
    },
    async handle(call: string, args: unknown): Promise<BridgeResult<BridgeCall>> {
      calls.push([call, args]);
      return results.get(call) ?? { ok: true, result: {} };
    },
    door: { nonce: () => null, prove: async () => Promise.reject(new Error('no console')) },
    subscribe(listener: (next: AppState) => void): () => void {
      listeners.add(listener);
      listener(state);
      return () => listeners.delete(listener);
    },
    async dispose(): Promise<void> {
      this.closed = true;
    },
  };
}

export interface StartChange {
  /** A home that is there already, which the caller removes. */
  readonly home?: string;
  /** The built page; default: a small one. */
  readonly renderer?: string;
  readonly platform?: NodeJS.Platform;
  readonly argv?: readonly string[];
  readonly config?: ShellConfig | null;
  /** Content of `ui.json`. */
  readonly settings?: object | string;
  readonly before?: (electron: ReturnType<typeof fakeElectron>) => void;
  readonly updater?: Updater;
  readonly start?: (onFocus: () => string | null, facts: ShellFacts) => Promise<UiHostStart>;
}

function writeSmallPage(folder: string): void {
  const renderer = join(folder, 'renderer');
  mkdirSync(join(renderer, 'assets'), { recursive: true });
  writeFileSync(join(renderer, 'index.html'), '<!doctype html><title>page</title>');
  writeFileSync(join(renderer, 'assets', 'app.js'), 'void 0;');
  writeFileSync(join(renderer, 'notes.txt'), 'not for the page');
  writeFileSync(join(folder, 'secret.json'), '{}');
}

/** A shell over a fake Electron and a fake host, in a home of its own. */
export async function startFake(change: StartChange = {}) {
  const made = mkdtempSync(join(tmpdir(), 'interlock-shell-'));
  const home = change.home ?? made;
  const renderer = change.renderer ?? join(made, 'renderer');
  if (change.renderer === undefined) writeSmallPage(made);
  const paths = homePaths({ INTERLOCK_HOME: home });
  const { settings } = change;
  if (settings !== undefined) {
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
    writeFileSync(paths.uiSettings, text, { mode: 0o600 });
  }
  const electron = fakeElectron();
  change.before?.(electron);
  const host = fakeHost();
  const clock = fakeClock();
  const knocks: (() => string | null)[] = [];
  const opened: string[] = [];
  let facts: ShellFacts | null = null;
  const shell = await startShell({
    port: electron.port,
    platform: change.platform ?? 'linux',
    env: { XDG_CONFIG_HOME: join(home, 'config') },
    argv: change.argv ?? [],
    executable: '/opt/Interlock/interlock-app',
    uid: process.geteuid?.() ?? -1,
    paths,
    files: {
      renderer,
      preload: '/app/preload.cjs',
      assets: '/app/assets',
      runner: '/res/runner/main.js',
    },
    config: change.config ?? null,
    clock,
    loadUpdater: async () => {
      if (change.updater === undefined) throw new Error('The updater was loaded.');
      return change.updater;
    },
    serveBrowser: async (options) =>
      openConsole({
        ...options,
        files: await readPageFiles(renderer),
        idleMs: 60_000,
        port: 0,
        random: randomBytes,
      }),
    openFile: (path) => opened.push(path),
    startHost:
      change.start ??
      (async (onFocus, told) => {
        knocks.push(onFocus);
        facts = told;
        return { kind: 'started', host };
      }),
  });
  return {
    ...electron,
    electron,
    host,
    clock,
    shell,
    /** As the page does, by way of its host. */
    openInBrowser: (...args: Parameters<OpenInBrowser>) => facts?.openInBrowser()?.(...args),
    /** Files that the system was to open in the browser. */
    opened,
    home,
    paths,
    /** A second start knocks at the host. */
    knock: () => knocks[0]?.(),
    tray: () => electron.trays[0] as (typeof electron.trays)[number],
    end: async () => {
      await shell?.dispose();
      rmSync(made, { recursive: true, force: true });
    },
  };
}

export type FakeShell = Awaited<ReturnType<typeof startFake>>;
