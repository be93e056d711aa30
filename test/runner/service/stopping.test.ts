import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from '../hosts/support.ts';
import { call } from '../ingress/support.ts';
import { endOf, exec, makeHome, startApprover, startRunnerProcess, stdoutOf } from './support.ts';

const free = { security: 'full', ask: 'off' } as const;
const deaf = { command: 'trap \'\' TERM; echo "pid $$"; while :; do sleep 1; done' };

const pidIn = (text: string): number => Number(/pid (\d+)/.exec(text)?.[1]);

test('lockout stops what runs, withdraws what waits, and refuses what comes', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const running = exec(paths, { command: 'echo "pid $$"; sleep 300' });
  approver.decide(await approver.next('ask'), { decision: 'allow-once' });
  await expect.poll(() => stdoutOf(running.events)).toMatch(/pid \d+/);
  const waiting = exec(paths, { argv: ['touch', join(paths.home, '..', 'x')] });
  await approver.next('ask');
  const answer = await call(paths.runnerSocket, '/v1/lockout', { body: { reason: 'drill' } });
  expect(answer.json).toMatchObject({ ok: true, mode: 'locked', stopped: 1, withdrawn: 1 });
  expect(endOf(await running.done)).toBe('lockout-active');
  expect(endOf(await waiting.done)).toBe('lockout-active');
  expect(await approver.next('withdraw')).toMatchObject({ reason: 'lockout' });
  await expect.poll(() => isAlive(pidIn(stdoutOf(running.events)))).toBe(false);
  expect(endOf(await exec(paths, { argv: ['true'] }).done)).toBe('lockout-active');
  expect(JSON.parse(readFileSync(paths.lockout, 'utf8'))).toMatchObject({
    locked: true,
    reason: 'drill',
  });
  expect((await call(paths.runnerSocket, '/v1/resume', { body: {} })).json).toMatchObject({
    mode: 'locked',
  });
});

test('a lockout outlives the runner', async () => {
  const paths = await makeHome(free);
  const runner = await startRunnerProcess(paths);
  await call(paths.runnerSocket, '/v1/lockout', { body: {} });
  await runner.kill('SIGKILL');
  await startRunnerProcess(paths);
  expect(endOf(await exec(paths, { argv: ['true'] }).done)).toBe('lockout-active');
});

test('pause refuses what comes and lets run what runs; resume ends it', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  const fifo = join(paths.home, '..', 'gate');
  const running = exec(paths, { command: `mkfifo ${fifo}; echo ready; cat ${fifo}` });
  await expect.poll(() => stdoutOf(running.events)).toBe('ready\n');
  const paused = await call(paths.runnerSocket, '/v1/pause', { body: { reason: 'lunch' } });
  expect(paused.json).toMatchObject({ mode: 'paused', stopped: 0 });
  expect(endOf(await exec(paths, { argv: ['true'] }).done)).toBe('pause-active');
  await call(paths.runnerSocket, '/v1/resume', { body: {} });
  expect(endOf(await exec(paths, { command: `echo on > ${fifo}` }).done)).toBe('exit 0');
  expect(stdoutOf(await running.done)).toBe('ready\non\n');
});

test('a state file that is gone means locked', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  const { rmSync } = await import('node:fs');
  rmSync(paths.pause);
  expect(endOf(await exec(paths, { argv: ['true'] }).done)).toBe('lockout-active');
});

test('a process that ignores SIGTERM is killed after the grace', async () => {
  const paths = await makeHome(free);
  const { writeFileSync } = await import('node:fs');
  writeFileSync(paths.config, '{"version": 1, "exec": {"killGraceMs": 200}}', { mode: 0o600 });
  await startRunnerProcess(paths);
  const run = exec(paths, { ...deaf, timeoutMs: 500 });
  expect(endOf(await run.done)).toBe('command-timeout');
  expect(isAlive(pidIn(stdoutOf(run.events)))).toBe(false);
});

test('a caller who hangs up stops the command, children and all', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  const run = exec(paths, { command: 'sleep 300 & echo "pid $!"; wait' });
  await expect.poll(() => stdoutOf(run.events)).toMatch(/pid \d+/);
  run.hangUp();
  await expect(run.done).rejects.toThrow();
  await expect.poll(() => isAlive(pidIn(stdoutOf(run.events)))).toBe(false);
});

test('output without end does not fill the runner’s memory, even when nobody reads', async () => {
  const paths = await makeHome(free);
  const runner = await startRunnerProcess(paths);
  await exec(paths, { argv: ['true'] }).done;
  const before = residentMegabytes(runner.child.pid ?? 0);
  const { open } = await import('../ingress/support.ts');
  const { sent, answer } = await open(paths.runnerSocket, '/v1/exec', {
    body: { command: 'yes', cwd: '/tmp' },
  });
  answer.on('error', () => {});
  await new Promise((resolve) => answer.once('readable', resolve));
  // Many round trips pass while the endless writer could go on.
  for (let turn = 0; turn < 100; turn += 1) await call(paths.runnerSocket, '/v1/status');
  expect(residentMegabytes(runner.child.pid ?? 0) - before).toBeLessThan(60);
  sent.destroy();
  await expect
    .poll(
      async () => ((await call(paths.runnerSocket, '/v1/status')).json as { running: [] }).running,
    )
    .toEqual([]);
});

test('a streaming caller gets all of a long output, and is told that the copy was cut', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  const run = exec(paths, { command: 'head -c 1500000 /dev/zero | tr "\\\\0" x', session: 's' });
  const events = await run.done;
  expect(stdoutOf(events)).toHaveLength(1_500_000);
  expect(events.at(-1)).toMatchObject({ type: 'finished', truncated: true });
  const { json } = await call(paths.runnerSocket, '/v1/events?session=s');
  const [, finished] = (json as { events: readonly string[] }).events;
  expect(finished).toMatch(
    /^Exec finished \(node=gateway, id=.*, code=0\)\n… \(truncated\) x{20000}$/,
  );
});

test('a folder that is gone, a program that is not there', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  const gone = exec(paths, { argv: ['true'], cwd: join(paths.home, '..', 'nowhere') });
  expect(endOf(await gone.done)).toBe('invalid-request');
  expect(endOf(await exec(paths, { argv: ['no-such-program'] }).done)).toBe('exit 127');
  expect(existsSync(join(paths.home, '..', 'nowhere'))).toBe(false);
});

function residentMegabytes(pid: number): number {
  if (!existsSync(`/proc/${pid}/status`)) return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
