import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { localHost } from '../../../runner/hosts/local.ts';
import { launcherPath } from '../../../runner/hosts/sandbox/launch.ts';
import { createSpawner } from '../../../runner/hosts/spawner.ts';
import type { Spawner } from '../../../runner/hosts/spawner.ts';
import { packageRoot } from '../../../runner/version.ts';
import type { Host, HostTask, RunIo, RunLimits, RunOutcome } from '../../../runner/hosts/host.ts';
import type { Clock } from '../../../shared/base/clock.ts';
import { systemClock } from '../../../shared/home/clock.ts';

/** A fresh folder that goes with the test. */
export function temporaryFolder(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'il-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A gateway that leaves no process behind. */
export function gateway(clock: Clock = systemClock, by?: Spawner): Host {
  const host = localHost({
    clock,
    shell: '/bin/bash',
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/nowhere' },
    ...(by !== undefined && { spawner: by }),
  });
  onTestFinished(() => void host.stopStrays());
  return host;
}

export const spawner = createSpawner({ clock: systemClock, launcher: launcherPath(packageRoot()) });

/** Whether this machine has what starts commands without a fork of the runner. */
export const hasSpawner = await spawner.ready();

/** Every way in which a gateway of this machine starts its commands. */
export const ways: readonly (readonly [string, (clock?: Clock) => Host])[] = [
  ['by a fork of the runner', gateway],
  ...(hasSpawner ? ([['by a spawner', (clock?: Clock) => gateway(clock, spawner)]] as const) : []),
];

/** Shell text as the host gets it. */
export function shell(text: string, cwd = '/'): HostTask {
  return { id: 'run-1', agent: 'claude', execution: { kind: 'shell', text }, cwd, env: {} };
}

export interface Running {
  readonly ended: Promise<RunOutcome>;
  readonly output: () => { readonly stdout: string; readonly stderr: string };
  readonly stop: () => void;
  /** Settles once the standard output holds the text. */
  readonly says: (text: string) => Promise<void>;
  /** Settles with the pid once the command has been started. */
  readonly started: Promise<number>;
}

/** Runs a task and gathers what it says. */
export function run(
  host: Host,
  task: HostTask,
  options: Partial<RunLimits> &
    Partial<Pick<RunIo, 'stdin' | 'output'>> & { readonly stopped?: boolean } = {},
): Running {
  const controller = new AbortController();
  if (options.stopped === true) controller.abort();
  const chunks: { readonly stream: string; readonly bytes: Uint8Array }[] = [];
  const listeners: (() => void)[] = [];
  const textOf = (name: string): string =>
    Buffer.concat(
      chunks.filter(({ stream }) => stream === name).map(({ bytes }) => bytes),
    ).toString();
  let tellPid: (pid: number) => void = () => {};
  const started = new Promise<number>((resolve) => (tellPid = resolve));
  const ended = host.run(
    task,
    { timeoutMs: options.timeoutMs ?? 60_000, killAfterMs: options.killAfterMs ?? 5_000 },
    {
      stdin: options.stdin ?? null,
      signal: controller.signal,
      started: tellPid,
      output:
        options.output ??
        ((stream, bytes) => {
          chunks.push({ stream, bytes });
          for (const listener of listeners.splice(0)) listener();
        }),
    },
  );
  return {
    ended,
    started,
    output: () => ({ stdout: textOf('stdout'), stderr: textOf('stderr') }),
    stop: () => controller.abort(),
    says: async (text) => {
      while (!textOf('stdout').includes(text))
        await new Promise<void>((resolve) => void listeners.push(resolve));
    },
  };
}

/** Whether a process still runs. One that has ended and that nobody has collected does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return !stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}
