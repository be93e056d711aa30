import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DecisionRow } from '../../../runner/audit/rows.ts';
import { openHomeAudit } from '../audit/support.ts';
import { call } from '../ingress/support.ts';
import { auditRows, endOf, exec, makeHome, startRunnerProcess, stdoutOf } from './support.ts';

const free = { security: 'full', ask: 'off' } as const;

test('a runner killed at the start of a command: the row is closed at the restart, and nothing runs again', async () => {
  const paths = await makeHome(free);
  const dying = await startRunnerProcess(paths, 'dist/test/fixtures/runner/dying-runner.js');
  const file = join(paths.home, '..', 'never');
  await expect(exec(paths, { argv: ['touch', file] }).done).rejects.toThrow();
  expect(await dying.ended).toEqual({ code: null, signal: 'SIGKILL' });
  const before = auditRows(paths).filter(({ type }) => type !== 'note');
  expect(before.map(({ type }) => type)).toEqual(['decision', 'starting']);
  const runner = await startRunnerProcess(paths);
  const after = auditRows(paths).filter(({ type }) => type !== 'note');
  expect(after.slice(2)).toMatchObject([
    { type: 'outcome', outcome: 'unknown', code: 'stale-on-recovery', exitCode: null },
  ]);
  expect(existsSync(file)).toBe(false);
  await runner.kill('SIGTERM');
  await startRunnerProcess(paths);
  expect(auditRows(paths).filter(({ type }) => type === 'outcome')).toHaveLength(1);
});

test('a decision that was written down and never reached its start is closed as not executed', async () => {
  const paths = await makeHome(free);
  const runner = await startRunnerProcess(paths);
  await exec(paths, { argv: ['true'] }).done;
  await runner.kill('SIGTERM');
  const [file] = readdirSync(paths.auditDirectory).filter((name) => name.endsWith('.jsonl'));
  const decision = auditRows(paths).find(({ type }) => type === 'decision') as DecisionRow;
  const path = join(paths.auditDirectory, file ?? '');
  // As a crash leaves it: a whole row, then half of the next one.
  const audit = await openHomeAudit(paths);
  await audit.durable({ ...decision, id: 'cut-off' });
  await audit.dispose();
  appendFileSync(path, '{"seq":99,"mac":"00');
  await startRunnerProcess(paths);
  const lines = auditRows(paths);
  expect(lines).toContainEqual(
    expect.objectContaining({ id: 'cut-off', outcome: 'not-executed', code: 'stale-on-recovery' }),
  );
  expect(stdoutOf(await exec(paths, { argv: ['echo', 'on'] }).done)).toBe('on\n');
});

test('the history knows what was decided and how it ended', async () => {
  const paths = await makeHome(free);
  await startRunnerProcess(paths);
  await exec(paths, { argv: ['sh', '-c', 'exit 7'], agent: 'claude', session: 's1' }).done;
  await exec(paths, { argv: ['ls', '/no/such/thing'], agent: 'codex' }).done;
  await exec(paths, { argv: ['ls'], agent: 'codex', security: 'deny' }).done;
  const page = await call(paths.runnerSocket, '/v1/history?limit=2');
  expect(page.json).toMatchObject({
    total: 3,
    entries: [
      { agent: 'codex', command: 'ls', decision: 'deny', code: 'policy-deny', exitCode: null },
      { agent: 'codex', command: 'ls /no/such/thing', exitCode: 2 },
    ],
  });
  const found = await call(paths.runnerSocket, '/v1/history?search=EXIT%207');
  expect(found.json).toMatchObject({ total: 1, entries: [{ session: 's1', exitCode: 7 }] });
  const none = await call(paths.runnerSocket, '/v1/history?agent=nobody');
  expect(none.json).toMatchObject({ total: 0, entries: [] });
});

test('a runner that is told to stop ends what runs, tells its callers, and leaves no socket', async () => {
  const paths = await makeHome(free);
  const runner = await startRunnerProcess(paths);
  const run = exec(paths, { command: 'echo started; sleep 300' });
  await expect.poll(() => stdoutOf(run.events)).toBe('started\n');
  runner.child.kill('SIGTERM');
  expect(endOf(await run.done)).toBe('host-unavailable');
  expect(await runner.ended).toEqual({ code: 0, signal: null });
  expect(existsSync(paths.runnerSocket)).toBe(false);
  expect(auditRows(paths).at(-1)).toMatchObject({ type: 'outcome', outcome: 'executed' });
});
