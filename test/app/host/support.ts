import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { AppState, BridgeCall, BridgeCalls } from '../../../app/bridge/types.ts';
import { startUiHost } from '../../../app/host/start.ts';
import type { UiHost, UiHostOptions } from '../../../app/host/types.ts';
import { openHome } from '../../../shared/home/home.ts';
import { initHome } from '../../../shared/home/init.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { openRunnerSession } from '../../../shared/ipc/protocol/runner-session.ts';
import type { RunnerSession } from '../../../shared/ipc/protocol/context.ts';
import { connect } from '../../../shared/ipc/transport/ipc.ts';
import type { PolicyDocument } from '../../../shared/engine/policy/types.ts';

export const uid = process.geteuid?.() ?? -1;

export interface TestHome {
  readonly paths: HomePaths;
  /** The policy file as it is on disk. */
  policy(): PolicyDocument;
  optionsFor(change?: Partial<UiHostOptions>): UiHostOptions;
  /** Starts a host that is closed with the home. Fails the test when another one runs. */
  start(change?: Partial<UiHostOptions>): Promise<TestHost>;
  /** A runner's session with whatever host listens in this home. */
  connectRunner(token?: string): Promise<RunnerSession>;
  close(): Promise<void>;
}

export interface TestHost {
  readonly host: UiHost;
  /** Resolves with the first state, present or to come, that fits. */
  readonly until: (fits: (state: AppState) => boolean) => Promise<AppState>;
}

/** A fresh home in a temporary folder, set up as `interlock init` does it. */
export async function testHome(): Promise<TestHome> {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-host-'));
  const env = { INTERLOCK_HOME: join(folder, 'home'), HOME: folder, PATH: process.env['PATH'] };
  const paths = homePaths(env);
  await initHome(paths, { uid, now: () => 1 });
  const ends: (() => unknown)[] = [];
  const policy = (): PolicyDocument =>
    JSON.parse(readFileSync(paths.policy, 'utf8')) as PolicyDocument;
  const optionsFor = (change: Partial<UiHostOptions> = {}): UiHostOptions => ({
    home: openHome(env),
    env,
    packageRoot: join(import.meta.dirname, '../../..'),
    shell: 'terminal',
    onFocus: () => null,
    ...change,
  });
  return {
    paths,
    policy,
    optionsFor,
    start: async (change) => {
      const started = await startUiHost(optionsFor(change));
      if (started.kind !== 'started') throw new Error('another host runs');
      ends.unshift(() => started.host.dispose());
      return { host: started.host, until: (fits) => untilState(started.host, fits) };
    },
    connectRunner: async (token = policy().socket?.token ?? '') => {
      const duplex = await connect(paths.approvalsSocket, { timeoutMs: 5_000 });
      ends.unshift(() => duplex.destroy());
      return openRunnerSession(duplex, { token, uid });
    },
    close: async () => {
      for (const end of ends) await end();
      rmSync(folder, { recursive: true });
    },
  };
}

function untilState(host: UiHost, fits: (state: AppState) => boolean): Promise<AppState> {
  return new Promise((resolve) => {
    let found = false;
    let stop: (() => void) | null = null;
    stop = host.subscribe((state) => {
      if (found || !fits(state)) return;
      found = true;
      stop?.();
      resolve(state);
    });
    if (found) stop();
  });
}

/** What a page would call, with the answer or the refusal as an error. */
export function caller(host: UiHost) {
  return async <C extends BridgeCall>(name: C, args: BridgeCalls[C]['args']) => {
    const answer = await host.handle(name, args);
    if (!answer.ok) throw new Error(`${answer.refusal.code}: ${answer.refusal.message}`);
    return answer.result as BridgeCalls[C]['result'];
  };
}

/** The host that a person would sit at, on a home of `makeHome`, until the test has ended. */
export async function startHost(home: string, person = home) {
  const env = { PATH: process.env['PATH'], HOME: person, INTERLOCK_HOME: home };
  const started = await startUiHost({
    home: openHome(env),
    env,
    packageRoot: '/nowhere',
    shell: 'console',
    onFocus: () => null,
  });
  if (started.kind !== 'started') throw new Error('another host runs');
  const { host } = started;
  onTestFinished(() => host.dispose());
  return { host, call: caller(host) };
}
