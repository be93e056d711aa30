import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
} from 'node:fs';
import { rmSync, writeFileSync } from 'node:fs';
import type * as childProcess from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isWriterAtWork } from '../../../runner/audit/log-files.ts';
import { startRunner } from '../../../runner/service/start-runner.ts';
import type { RunnerOptions } from '../../../runner/service/start-runner.ts';
import type { Clock } from '../../../shared/base/clock.ts';
import { initHome } from '../../../shared/home/init.ts';
import { systemClock } from '../../../shared/home/clock.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import { takeLease } from '../../../shared/ipc/transport/socket-path.ts';

const standIn = vi.hoisted(() => ({ gdbus: '' }));
vi.mock('node:child_process', async (original) => {
  const actual = await original<typeof childProcess>();
  const spawn = (file: string, args: readonly string[], options: childProcess.SpawnOptions) =>
    actual.spawn(file === 'gdbus' ? standIn.gdbus : file, args, options);
  return { ...actual, spawn };
});

let folder: string;
const log = { info: () => {}, warn: () => {}, error: () => {} };
let options: Pick<RunnerOptions, 'env' | 'log'>;
beforeEach(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'il-start-')));
  standIn.gdbus = join(folder, 'gdbus');
  writeFileSync(standIn.gdbus, '#!/bin/sh\nwhile :; do sleep 0.1; done\n');
  chmodSync(standIn.gdbus, 0o755);
  const env = { INTERLOCK_HOME: join(folder, 'home'), PATH: process.env['PATH'] };
  const paths = homePaths(env);
  await initHome(paths, { uid: process.getuid?.() ?? -1, now: Date.now });
  const config = { version: 1, lockout: { onScreenLock: true } };
  writeFileSync(paths.config, JSON.stringify(config), { mode: 0o600 });
  options = { env, log };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The real clock, which counts the timers that wait, and refuses to make the one of that number. */
function countingClock(fails = 0): {
  readonly clock: Clock;
  readonly waiting: () => number;
  readonly made: () => number;
} {
  const open = new Set<NodeJS.Timeout>();
  let made = 0;
  const after: Clock['after'] = (ms, run) => {
    made += 1;
    if (made === fails) throw new Error('no more timers');
    const timer = setTimeout(() => {
      open.delete(timer);
      run();
    }, ms);
    timer.unref();
    open.add(timer);
    return () => {
      open.delete(timer);
      clearTimeout(timer);
    };
  };
  return { clock: { ...systemClock, after }, waiting: () => open.size, made: () => made };
}

/** Watches that the kernel keeps for this process; none where it does not tell. */
function watches(): number {
  if (process.platform !== 'linux') return 0;
  return readdirSync('/proc/self/fdinfo')
    .map((fd) => textOf(`/proc/self/fdinfo/${fd}`).match(/^inotify /gmu)?.length ?? 0)
    .reduce((sum, count) => sum + count, 0);
}

/** Processes that were started from the folder of this test. */
function processes(): readonly string[] {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').filter((name) => /^\d+$/u.test(name));
  return pids.filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(folder));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** What a runner that is gone must have left: nothing. */
async function expectNothingLeft(waiting: () => number, watchesBefore: number): Promise<void> {
  const { runnerSocket, auditDirectory } = homePaths(options.env);
  expect(existsSync(runnerSocket)).toBe(false);
  const release = takeLease(runnerSocket);
  expect(release).not.toBeNull();
  release?.();
  expect(isWriterAtWork(auditDirectory)).toBe(false);
  expect(waiting()).toBe(0);
  expect(watches()).toBe(watchesBefore);
  await expect.poll(processes).toEqual([]);
}

test('a start that fails when everything was opened leaves nothing behind', async () => {
  const { clock, waiting } = countingClock();
  const before = watches();
  const seen: { readonly process: boolean; readonly watches: number; readonly timers: number }[] =
    [];
  const info = (text: string): void => {
    if (!text.startsWith('Listening')) return;
    seen.push({
      process: processes().length > 0,
      watches: watches() - before,
      timers: waiting(),
    });
    throw new Error('the last step');
  };
  const start = startRunner({ ...options, clock, log: { ...log, info } });
  await expect(start).rejects.toThrow('the last step');
  const [found] = seen;
  expect(found?.timers).toBeGreaterThan(4);
  if (process.platform === 'linux') expect(found).toMatchObject({ process: true, watches: 4 });
  await expectNothingLeft(waiting, before);
});

test('a start leaves nothing behind, whichever timer it cannot have', async () => {
  // The first of all begins the audit log; from the second on each start makes the same timers.
  await (await startRunner(options)).dispose();
  const before = watches();
  let failures = 0;
  for (let fails = 1; ; fails += 1) {
    const { clock, waiting, made } = countingClock(fails);
    const problem = await startRunner({ ...options, clock }).then(
      async (runner) => runner.dispose(),
      (error: unknown) => error,
    );
    await expectNothingLeft(waiting, before);
    if (made() < fails) break;
    if (problem === undefined) continue;
    expect(problem).toMatchObject({ message: 'no more timers' });
    failures += 1;
  }
  expect(failures).toBeGreaterThan(5);
});

test('a runner that is stopped leaves nothing behind, and a second stop changes nothing', async () => {
  const { clock, waiting } = countingClock();
  const before = watches();
  const runner = await startRunner({ ...options, clock });
  if (process.platform === 'linux') expect(processes()).not.toEqual([]);
  await Promise.all([runner.dispose(), runner.dispose()]);
  await expectNothingLeft(waiting, before);
});
