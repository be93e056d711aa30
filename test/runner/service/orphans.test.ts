import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from '../hosts/support.ts';
import { call } from '../ingress/support.ts';
import {
  auditRows,
  exec,
  makeHome,
  startApprover,
  startApproverProcess,
  startRunnerProcess,
  stdoutOf,
} from './support.ts';

const free = { security: 'full', ask: 'off' } as const;
const onLinux = process.platform === 'linux';

test.runIf(onLinux)(
  'a runner killed while commands run: at the restart their processes are gone, rows are closed, nothing runs twice',
  async () => {
    const paths = await makeHome(free);
    const count = join(paths.home, '..', 'count');
    const runner = await startRunnerProcess(paths);
    const texts = [
      'sleep 300 &',
      'setsid sleep 300 & sleep 300 &',
      "trap '' TERM; sleep 300 &",
      'env -i setsid sleep 300 &',
      `env -i setsid bash -c "trap '' TERM; while :; do sleep 1; done" &`,
    ];
    writeFileSync(paths.config, '{ "version": 1, "exec": { "killGraceMs": 200 } }', {
      mode: 0o600,
    });
    const runs = texts.map((text) =>
      exec(paths, { command: `echo x >> ${count}; ${text} jobs -p; echo $$; wait` }),
    );
    await Promise.all(
      runs.map(async (run) =>
        expect.poll(() => stdoutOf(run.events).split('\n').length).toBeGreaterThan(2),
      ),
    );
    const pids = runs.flatMap((run) => stdoutOf(run.events).trim().split('\n').map(Number));
    expect(pids.filter(isAlive).length).toBe(pids.length);
    expect(readdirSync(paths.runningDirectory)).toHaveLength(texts.length);
    runner.child.kill('SIGKILL');
    await Promise.all(runs.map(async (run) => expect(run.done).rejects.toThrow()));
    expect(pids.filter(isAlive).length).toBe(pids.length);

    await startRunnerProcess(paths);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(readdirSync(paths.runningDirectory)).toEqual([]);
    const rows = auditRows(paths);
    expect(rows.filter(({ type }) => type === 'outcome')).toHaveLength(texts.length);
    for (const row of rows.filter(({ type }) => type === 'outcome'))
      expect(row).toMatchObject({ outcome: 'unknown', code: 'stale-on-recovery' });
    expect(rows).toContainEqual(expect.objectContaining({ code: 'orphans-stopped' }));
    expect(readFileSync(count, 'utf8')).toBe('x\n'.repeat(texts.length));
  },
);

test('an ask that waited when the runner was killed is told to be stale to whoever answers it', async () => {
  const paths = await makeHome({ security: 'allowlist', ask: 'on-miss' });
  const approver = await startApprover(paths);
  const runner = await startRunnerProcess(paths);
  const run = exec(paths, { argv: ['touch', join(paths.home, '..', 'never')] });
  const { ask } = await approver.next('ask');
  runner.child.kill('SIGKILL');
  await expect(run.done).rejects.toThrow();
  await startRunnerProcess(paths);
  const answer = await call(paths.runnerSocket, `/v1/pending/${ask.id}`);
  expect(answer.json).toMatchObject({ ok: false, refusal: { code: 'stale-on-recovery' } });
  const other = await call(paths.runnerSocket, '/v1/pending/0f0f0f0f-0000-4000-8000-000000000000');
  expect(other.json).toMatchObject({ refusal: { code: 'invalid-request' } });
  expect(existsSync(join(paths.home, '..', 'never'))).toBe(false);
});

test.runIf(onLinux)('a number that now belongs to somebody else is left alone', async () => {
  const paths = await makeHome(free);
  const first = await startRunnerProcess(paths);
  await first.kill('SIGTERM');
  const bystander = await startApproverProcess(paths);
  const pid = bystander.child.pid ?? 0;
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const record = { version: 1, id: 'old', startedAt: 1, pid, startTicks: '1', bootId };
  writeFileSync(join(paths.runningDirectory, 'old.json'), JSON.stringify(record), { mode: 0o600 });
  await startRunnerProcess(paths);
  expect(isAlive(pid)).toBe(true);
  expect(readdirSync(paths.runningDirectory)).toEqual([]);
});
