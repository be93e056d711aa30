import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runnerNodeOptions } from '../../runner/cli/service/manager.ts';
import { homePaths } from '../../shared/home/index.ts';
import type { HomePaths } from '../../shared/home/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';

/** A real runner on a home of its own, for as long as the measurements take. */
export interface RunnerProcess {
  readonly pid: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stop: () => Promise<void>;
}

/** What else a home has before its runner starts. */
interface Prepared {
  /** Fields of `config.json`. */
  readonly config?: object;
  readonly files?: (paths: HomePaths) => unknown;
}

/** Starts the built runner on a fresh home in which `true` is allowed. */
export async function startRunnerProcess(
  dist: string,
  { config = {}, files }: Prepared = {},
): Promise<RunnerProcess> {
  const folder = mkdtempSync(join(tmpdir(), 'il-bench-'));
  const env = { ...process.env, INTERLOCK_HOME: join(folder, 'home') };
  const cli = join(dist, 'runner', 'cli', 'main.js');
  const prepare = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync(process.execPath, [cli, ...args], {
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`interlock ${args.join(' ')} failed: ${stderr}`);
  };
  prepare('init', '--host', 'gateway');
  prepare('approvals', 'allow', '--', 'true');
  // The limit is made for agents; here it would only measure itself.
  prepareConfig(join(folder, 'home', 'config.json'), config);
  await files?.(homePaths(env));
  // As the service starts it.
  const child = spawn(process.execPath, [...runnerNodeOptions, cli, 'runner'], {
    env,
    stdio: 'ignore',
  });
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const client = runnerClient({ socketPath: join(folder, 'home', 'runner.sock') });
  for (let look = 0; look < 1_200; look += 1) {
    const isUp = await client.status().then(
      () => true,
      () => false,
    );
    if (isUp) break;
    await delay(50);
  }
  return {
    pid: child.pid ?? -1,
    env,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function prepareConfig(path: string, config: object): void {
  const limits = {
    concurrentPerAgent: 1_000,
    concurrent: 1_000,
    requestsPerMinute: 100_000,
    burst: 10_000,
    requestsPerMinuteInAll: 100_000,
    burstInAll: 10_000,
  };
  writeFileSync(path, JSON.stringify({ version: 1, limits, ...config }));
}

/** Resident memory of a process in MiB, or null where the system does not tell in this way. */
export function residentMiB(pid: number): number | null {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    const kib = /^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1];
    return kib === undefined ? null : Number(kib) / 1024;
  } catch {
    return null;
  }
}

/** Time on a processor that these have had, in microseconds. */
export function processorMicros(pids: readonly number[]): number {
  const ticks = pids.map((pid) => {
    const fields =
      readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
        .split(') ')[1]
        ?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * 10_000;
}
