import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { initHome } from '../../../shared/home/init.ts';
import { homePaths } from '../../../shared/home/paths.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import {
  closeLock,
  readStopState,
  removeRuntimeLocks,
  runtimeLockPaths,
} from '../../../shared/home/stop-state.ts';
import { isAlive } from '../hosts/support.ts';
import { endOf, exec, makeHome, root, startRunnerProcess, stdoutOf } from '../service/support.ts';

const uid = process.geteuid?.() ?? -1;
const free = { security: 'full', ask: 'off' } as const;
const commandLine = join(root, 'dist/runner/cli/main.js');

/** `interlock` as a person starts it: another process, told only by its environment. */
function interlock(paths: HomePaths, ...args: readonly string[]) {
  return spawnSync(process.execPath, [commandLine, ...args], {
    env: { PATH: process.env['PATH'], INTERLOCK_HOME: paths.home },
    encoding: 'utf8',
  });
}

const pidsIn = (text: string): readonly number[] =>
  [...text.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));

/** A file system of its own on a loop device, or null where this machine lets us have none. */
function loopFolder(): { readonly folder: string; readonly readOnly: () => void } | null {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'il-disk-')));
  const [image, folder] = [join(place, 'image'), join(place, 'disk')];
  onTestFinished(() => {
    spawnSync('umount', ['-l', folder]);
    rmSync(place, { recursive: true, force: true });
  });
  mkdirSync(folder);
  try {
    execFileSync('truncate', ['-s', '32M', image]);
    execFileSync('mkfs.ext4', ['-q', image], { stdio: 'ignore' });
    execFileSync('mount', ['-o', 'loop', image, folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  return { folder, readOnly: () => execFileSync('mount', ['-o', 'remount,abort', folder]) };
}

async function homeOnDisk(): Promise<{ paths: HomePaths; readOnly: () => void } | null> {
  const disk = loopFolder();
  if (disk === null) {
    console.warn('NOT TESTED: a home that turns read-only, because no loop device can be had here');
    return null;
  }
  const paths = homePaths({ INTERLOCK_HOME: join(disk.folder, 'home') });
  await initHome(paths, { uid, now: () => 1 });
  onTestFinished(() => removeRuntimeLocks(paths.home, uid));
  return { paths, readOnly: disk.readOnly };
}

test.each([
  ['dead', 'SIGKILL'],
  ['frozen', 'SIGSTOP'],
] as const)(
  'a home on a read-only disk and a %s runner: locked all the same',
  async (_, signal) => {
    const home = await homeOnDisk();
    if (home === null) return;
    const { paths, readOnly } = home;
    const runner = await startRunnerProcess(paths);
    onTestFinished(() => void runner.child.kill('SIGKILL'));
    const sleeper = markedSleeper(paths);
    runner.child.kill(signal);
    readOnly();
    expect(() => writeFileSync(join(paths.home, 'x'), '')).toThrow(/EROFS/);
    const { status, stdout, stderr } = interlock(paths, 'lockout', '--reason', 'drill');
    expect(isAlive(sleeper)).toBe(false);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('Locked.') });
    expect(stderr).toContain('cannot be written');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(readStopState(paths)).toEqual({ mode: 'locked', reason: 'drill' });
    expect(interlock(paths, 'check', '--', 'true').status).toBe(0);
  },
);

/** A process that carries the mark of the home, as if a command had started it. */
function markedSleeper(paths: HomePaths): number {
  const tag = runtimeLockPaths(paths.home, uid)[0]?.match(/lock-([0-9a-f]+)\.json$/)?.[1] ?? '';
  const child = spawn('sleep', ['321'], {
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], INTERLOCK_RUN_ID: 'drill', INTERLOCK_RUN_HOME: tag },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? -1;
}

test('a lock outside the home is nobody else’s to make, and goes with the unlock', () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'il-nowhere-')));
  onTestFinished(() => {
    removeRuntimeLocks(home, uid);
    rmSync(home, { recursive: true, force: true });
  });
  const paths = homePaths({ INTERLOCK_HOME: join(home, 'not-made') });
  expect(closeLock(paths, { reason: 'why', at: 1, by: 'test' })).toBe('runtime');
  expect(readStopState(paths)).toEqual({ mode: 'locked', reason: 'why' });
  const [lock = ''] = runtimeLockPaths(paths.home, uid).filter((path) =>
    lstatSync(path, { throwIfNoEntry: false }),
  );
  expect(lstatSync(lock).mode & 0o777).toBe(0o600);
  const folder = join(lock, '..');
  chmodSync(folder, 0o777);
  expect(readStopState(paths).reason).not.toBe('why');
  chmodSync(folder, 0o700);
  removeRuntimeLocks(paths.home, uid);
  expect(lstatSync(lock, { throwIfNoEntry: false })).toBeUndefined();
});

test('a client that waits for a frozen runner is told of the lock', async () => {
  const paths = await makeHome(free);
  const runner = await startRunnerProcess(paths);
  onTestFinished(() => void runner.child.kill('SIGKILL'));
  const client = spawn(process.execPath, [commandLine, 'run', '-c', 'echo on; sleep 322'], {
    env: { PATH: process.env['PATH'], INTERLOCK_HOME: paths.home },
  });
  let told = '';
  client.stderr.setEncoding('utf8').on('data', (text: string) => (told += text));
  const ended = new Promise<number | null>((resolve) => client.once('close', resolve));
  await new Promise((resolve) => client.stdout.once('data', resolve));
  runner.child.kill('SIGSTOP');
  expect(interlock(paths, 'lockout').status).toBe(0);
  expect(await ended).toBe(126);
  expect(told).toContain('lockout-active');
});

test('what a command has put into a session of its own ends with the command’s time', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  const run = exec(paths, {
    command: 'setsid sh -c \'echo "pid $$"; exec sleep 323\' & sleep 324',
    timeoutMs: 1_000,
  });
  expect(endOf(await run.done)).toBe('command-timeout');
  const pids = pidsIn(stdoutOf(run.events));
  expect(pids).toHaveLength(1);
  await expect.poll(() => pids.filter(isAlive)).toEqual([]);
});

test('what a command has put into a session of its own ends with the runner', async () => {
  const paths = await makeHome(free);
  const runner = await startRunnerProcess(paths);
  const run = exec(paths, { command: 'setsid sleep 325 > /dev/null 2>&1 & echo "pid $!"' });
  expect(endOf(await run.done)).toBe('exit 0');
  const [pid = 0] = pidsIn(stdoutOf(run.events));
  expect(isAlive(pid)).toBe(true);
  await runner.kill('SIGTERM');
  expect(isAlive(pid)).toBe(false);
});

test('root locks a person’s home as that person: nothing in it becomes root’s', async () => {
  if (uid !== 0) {
    console.warn('NOT TESTED: root with the home of another user, because this is not root');
    return;
  }
  const paths = await makeHome(free);
  const other = 65_534;
  const everything = (): readonly string[] => [
    paths.home,
    ...readdirSync(paths.home, { recursive: true, encoding: 'utf8' }).map((name) =>
      join(paths.home, name),
    ),
  ];
  for (const path of everything()) chownSync(path, other, other);
  chmodSync(join(paths.home, '..'), 0o755);
  expect(interlock(paths, 'lockout').status).toBe(0);
  expect(everything().filter((path) => lstatSync(path).uid !== other)).toEqual([]);
  expect(readStopState(paths, other).mode).toBe('locked');
});
