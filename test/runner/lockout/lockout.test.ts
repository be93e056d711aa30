import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { NoteRow } from '../../../runner/audit/rows.ts';
import { systemClock } from '../../../shared/home/clock.ts';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { lockOut } from '../../../shared/operations/lockout.ts';
import type { LockoutReport } from '../../../shared/operations/lockout.ts';
import { writePolicyFile } from '../../../shared/home/policy-file.ts';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import { openLock } from '../../../shared/home/stop-journal.ts';
import { readStopState } from '../../../shared/home/stop-state.ts';
import { isAlive } from '../hosts/support.ts';
import { call } from '../ingress/support.ts';
import {
  auditRows,
  endOf,
  exec,
  makeHome,
  readPolicy,
  startApprover,
  startRunnerProcess,
  stdoutOf,
} from '../service/support.ts';

const free = { security: 'full', ask: 'off' } as const;
const uid = process.geteuid?.() ?? -1;
const onLinux = process.platform === 'linux';
const wide = {
  version: 1,
  limits: { requestsPerMinute: 100_000, burst: 10_000, concurrentPerAgent: 500, concurrent: 500 },
};

/** Patient: after a moment without an answer a lockout begins by itself, and a machine may be busy. */
const patientClock = { ...systemClock, after: () => () => undefined };

async function lock(paths: HomePaths): Promise<LockoutReport> {
  const runner = runnerClient({ socketPath: paths.runnerSocket, timeoutMs: 60_000 });
  return lockOut({ runner, paths, uid, clock: patientClock, reason: 'drill', by: 'test' });
}

function roomy(paths: HomePaths): void {
  writeFileSync(paths.config, JSON.stringify(wide), { mode: 0o600 });
}

const pidsIn = (text: string): readonly number[] =>
  [...text.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
const notes = (paths: HomePaths): readonly NoteRow[] =>
  auditRows(paths).filter((row): row is NoteRow => row.type === 'note');
const tokenOf = (paths: HomePaths): string | undefined => readPolicy(paths).document.socket?.token;

/** What runs on this machine with this text among its words. */
function commandsNaming(text: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').join(' ');
      } catch {
        return [];
      }
    })
    .filter((command) => command.includes(text));
}

test('nothing starts after the lock, however many are on their way', async () => {
  const paths = await makeHome(free);
  roomy(paths);
  await startRunnerProcess(paths);
  const folder = join(paths.home, '..', 'did');
  mkdirSync(folder);
  const runs = Array.from({ length: 60 }, (_, n) =>
    exec(paths, { command: `: > ${folder}/${n}; sleep 300` }),
  );
  await expect.poll(() => readdirSync(folder).length).toBeGreaterThan(3);
  const { stopped } = await lock(paths);
  const then = readdirSync(folder).length;
  const ends = await Promise.all(runs.map(async (run) => endOf(await run.done)));
  expect(new Set(ends)).toEqual(new Set(['lockout-active']));
  expect(readdirSync(folder)).toHaveLength(then);
  const started = runs.filter(({ events }) => events.some(({ type }) => type === 'started'));
  expect(then).toBeLessThanOrEqual(started.length);
  // One that was just starting may end by the closed lock itself, before the lockout looks for it.
  expect(stopped).toBeGreaterThan(0);
  expect(stopped).toBeLessThanOrEqual(started.length);
  if (onLinux) expect(commandsNaming(folder)).toEqual([]);
});

test('what left its group, its session, or its mark is stopped as well', async () => {
  if (!onLinux) return;
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  const run = exec(paths, {
    command: [
      'setsid sh -c \'echo "pid $$"; exec sleep 301\' &',
      'env -i setsid sh -c \'echo "pid $$"; trap "" TERM; sleep 302 & echo "pid $!"; wait\' &',
      '(setsid sh -c \'echo "pid $$"; exec sleep 303\' &)',
      'wait',
    ].join('\n'),
  });
  await expect.poll(() => pidsIn(stdoutOf(run.events)).length).toBe(4);
  const pids = pidsIn(stdoutOf(run.events));
  const report = await lock(paths);
  expect(report).toMatchObject({ stopped: 1, left: 0, runnerReached: true });
  expect(pids.filter(isAlive)).toEqual([]);
});

test('a background process whose command has ended is found and counted', async () => {
  if (!onLinux) return;
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  const run = exec(paths, { command: 'setsid sleep 304 > /dev/null 2>&1 & echo "pid $!"' });
  expect(endOf(await run.done)).toBe('exit 0');
  const [pid = 0] = pidsIn(stdoutOf(run.events));
  expect(isAlive(pid)).toBe(true);
  expect(await lock(paths)).toMatchObject({ stopped: 1, left: 0 });
  expect(isAlive(pid)).toBe(false);
});

test('the token is a new one, and the approver is back with it by itself', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const before = tokenOf(paths);
  const waiting = exec(paths, { argv: ['touch', '/nowhere'] });
  await approver.next('ask');
  expect(await lock(paths)).toMatchObject({ withdrawn: 1, tokenRotated: true, problems: [] });
  expect(tokenOf(paths)).not.toBe(before);
  expect(endOf(await waiting.done)).toBe('lockout-active');
  expect(await approver.next('withdraw')).toMatchObject({ reason: 'lockout' });
});

test('the log says what was done, and who', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  await lock(paths);
  const row = notes(paths).find(({ code }) => code === 'lockout');
  expect(JSON.parse(row?.text ?? '{}')).toMatchObject({ reason: 'drill', tokenRotated: true });
});

test('two at once, in the middle of policy writes: both are told the same, and the writes stay', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  const write = async (n: number): Promise<void> => {
    const { document, hash } = readPolicy(paths);
    const agents = { ...document.agents, [`agent-${n}`]: { security: 'deny' } as const };
    await writePolicyFile(paths.policy, { ...document, agents }, { uid, baseHash: hash }).catch(
      async () => write(n),
    );
  };
  const before = tokenOf(paths);
  const writing = Promise.all([1, 2, 3, 4].map(write));
  const [one, other] = await Promise.all([lock(paths), lock(paths)]);
  await writing;
  expect([one.tokenRotated, other.tokenRotated]).toEqual([true, true]);
  expect(tokenOf(paths)).not.toBe(before);
  const { agents } = readPolicy(paths).document;
  for (const n of [1, 2, 3, 4]) expect(agents).toHaveProperty(`agent-${n}`);
});

test('with the runner dead: what it left is found and stopped, and the next runner keeps the record', async () => {
  if (!onLinux) return;
  const paths = await makeHome(free);
  const runner = await startRunnerProcess(paths);
  const run = exec(paths, { command: 'sleep 305 & echo "pid $!"; echo "pid $$"; wait' });
  run.done.catch(() => {});
  await expect.poll(() => pidsIn(stdoutOf(run.events)).length).toBe(2);
  const pids = pidsIn(stdoutOf(run.events));
  await runner.kill('SIGKILL');
  expect(pids.filter(isAlive)).toEqual(pids);
  expect(await lock(paths)).toMatchObject({ stopped: 1, left: 0, runnerReached: false });
  expect(pids.filter(isAlive)).toEqual([]);
  await startRunnerProcess(paths);
  await expect.poll(() => notes(paths).map(({ code }) => code)).toContain('lockout-elsewhere');
});

test('the count is right whoever stopped the commands: a runner that comes second finds none', async () => {
  if (!onLinux) return;
  const paths = await makeHome(free);
  const runner = await startRunnerProcess(paths);
  const run = exec(paths, { command: 'echo "pid $$"; sleep 307' });
  run.done.catch(() => {});
  await expect.poll(() => pidsIn(stdoutOf(run.events)).length).toBe(1);
  const [pid = 0] = pidsIn(stdoutOf(run.events));
  runner.child.kill('SIGSTOP');
  const second = {
    lockout: async () => {
      await expect.poll(() => isAlive(pid), { timeout: 5_000 }).toBe(false);
      return { ok: true, mode: 'locked', stopped: 0, withdrawn: 2, keysRotated: 0 } as const;
    },
    status: async () => null as never,
  };
  const options = { paths, uid, clock: systemClock, reason: 'drill', by: 'test' };
  const report = await lockOut({ runner: second, ...options });
  expect(report).toMatchObject({ stopped: 1, withdrawn: 2, runnerReached: true });
  runner.child.kill('SIGCONT');
});

test('with a runner that hangs: the lock is closed, and holds when it wakes', async () => {
  const paths = await makeHome(free);
  const runner = await startRunnerProcess(paths);
  const run = exec(paths, { command: 'echo "pid $$"; sleep 306' });
  await expect.poll(() => pidsIn(stdoutOf(run.events)).length).toBe(1);
  runner.child.kill('SIGSTOP');
  const hanging = runnerClient({ socketPath: paths.runnerSocket, timeoutMs: 600_000 });
  const options = { paths, uid, clock: systemClock, reason: 'drill', by: 'test' };
  const report = await lockOut({ runner: hanging, ...options });
  expect(report).toMatchObject({ runnerReached: false, tokenRotated: true });
  expect(pidsIn(stdoutOf(run.events)).filter(isAlive)).toEqual([]);
  runner.child.kill('SIGCONT');
  await run.done;
  expect(endOf(await exec(paths, { argv: ['true'] }).done)).toBe('lockout-active');
});

test('a lock that another process writes stops what runs here, too', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  const run = exec(paths, { command: 'echo on; sleep 307' });
  await expect.poll(() => stdoutOf(run.events)).toBe('on\n');
  const { closeLock } = await import('../../../shared/home/stop-state.ts');
  closeLock(paths, { reason: 'from outside', at: 1, by: 'test' });
  expect(endOf(await run.done)).toBe('lockout-active');
});

test('unlocked from outside, the runner goes on, and the log knows it', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  await lock(paths);
  openLock(paths, { uid, now: 5, by: 'person at a terminal' });
  expect(endOf(await exec(paths, { argv: ['true'] }).done)).toBe('exit 0');
  await expect.poll(() => notes(paths).map(({ code }) => code)).toContain('unlock-elsewhere');
});

test('no door of the runner unlocks', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  await lock(paths);
  for (const body of [{}, { passphrase: 'x' }])
    expect((await call(paths.runnerSocket, '/v1/unlock', { body })).status).toBe(404);
  expect(readStopState(paths).mode).toBe('locked');
  rmSync(paths.pause);
  expect(existsSync(paths.pause)).toBe(false);
  expect(readFileSync(paths.lockout, 'utf8')).toContain('drill');
});
