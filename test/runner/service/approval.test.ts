import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  auditRows,
  endOf,
  exec,
  makeHome,
  readPolicy,
  startApprover,
  startApproverProcess,
  startRunnerProcess,
  stdoutOf,
} from './support.ts';

const say = { argv: ['sh', '-c', 'echo one; echo two; rmdir /nowhere 2>/dev/null; exit 3'] };

test('allow once: it runs, its output streams, its status comes back, and the next one asks again', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const first = exec(paths, say);
  approver.decide(await approver.next('ask'), { decision: 'allow-once' });
  const events = await first.done;
  expect(endOf(events)).toBe('exit 3');
  expect(stdoutOf(events)).toBe('one\ntwo\n');
  expect(events[0]).toMatchObject({ type: 'pending' });
  const second = exec(paths, say);
  approver.decide(await approver.next('ask'), { decision: 'deny' });
  expect(endOf(await second.done)).toBe('confirm-rejected');
  expect(auditRows(paths).filter(({ type }) => type === 'decision')).toMatchObject([
    { decision: 'allow', code: 'allow-once', by: 'person' },
    { decision: 'deny', code: 'confirm-rejected', by: 'person' },
  ]);
});

test('the ask shows who asks, where, and what', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const run = exec(paths, {
    command: 'touch a && ls | head -3',
    cwd: join(paths.home, '..'),
    agent: 'claude',
    session: 's1',
    statedReason: 'to look',
    env: { LD_PRELOAD: '/tmp/x.so', COLOUR: 'no' },
  });
  const { ask } = await approver.next('ask');
  expect(ask).toMatchObject({
    agent: 'claude',
    session: 's1',
    cwd: join(paths.home, '..'),
    command: 'touch a && ls | head -3',
    isShellText: true,
    host: 'gateway',
    statedReason: 'to look',
  });
  expect(ask.stages.map(({ argv }) => argv[0])).toEqual(['touch', 'ls', 'head']);
  expect(ask.env).toEqual([
    { name: 'LD_PRELOAD', value: '/tmp/x.so', unsafe: true },
    { name: 'COLOUR', value: 'no', unsafe: false },
  ]);
  expect(ask.ancestry[0]?.pid).toBe(process.pid);
  expect(ask.expiresAt - ask.createdAt).toBe(120_000);
  run.hangUp();
  await expect(run.done).rejects.toThrow();
  expect(await approver.next('withdraw')).toMatchObject({ id: ask.id, reason: 'requester-gone' });
});

test('allow always writes a rule, and the same command runs unasked the next time', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const file = join(paths.home, '..', 'made');
  const request = { argv: ['touch', file], agent: 'claude' };
  const first = exec(paths, request);
  const asked = await approver.next('ask');
  expect(asked.ask.durations).toEqual(['once', '15-minutes', 'until-restart', 'always']);
  const proposalId = asked.ask.proposals[0]?.id ?? '';
  approver.decide(asked, {
    decision: 'allow-always',
    remember: { duration: 'always', proposalId },
  });
  expect(endOf(await first.done)).toBe('exit 0');
  expect(existsSync(file)).toBe(true);
  const rules = readPolicy(paths).document.agents?.['claude']?.allowlist ?? [];
  expect(rules).toMatchObject([
    { source: 'allow-always', pattern: expect.stringMatching(/touch$/) },
  ]);
  await approver.leave();
  const second = await exec(paths, request).done;
  expect(second.map(({ type }) => type)).toEqual(['started', 'finished']);
  expect(endOf(await exec(paths, { argv: ['touch', `${file}2`], agent: 'claude' }).done)).toBe(
    'approver-unavailable',
  );
});

test('a grant until the restart is forgotten at the restart', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  const runner = await startRunnerProcess(paths);
  const request = { argv: ['touch', join(paths.home, '..', 'x')] };
  const first = exec(paths, request);
  const asked = await approver.next('ask');
  const proposalId = asked.ask.proposals[0]?.id ?? '';
  const remember = { duration: 'until-restart', proposalId } as const;
  approver.decide(asked, { decision: 'allow-always', remember });
  expect(endOf(await first.done)).toBe('exit 0');
  expect((await exec(paths, request).done).map(({ type }) => type)).not.toContain('pending');
  expect(readPolicy(paths).document.agents).not.toHaveProperty('main');
  await runner.kill('SIGTERM');
  await startRunnerProcess(paths);
  const again = exec(paths, request);
  approver.decide(await approver.next('ask'), { decision: 'deny' });
  expect(endOf(await again.done)).toBe('confirm-rejected');
});

test('two commands at once wait, are answered out of order, and run side by side', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const one = exec(paths, { command: 'touch 1 && echo first', cwd: join(paths.home, '..') });
  const two = exec(paths, { command: 'touch 2 && echo second', cwd: join(paths.home, '..') });
  const asked = [await approver.next('ask'), await approver.next('ask')];
  for (const each of asked.toReversed()) approver.decide(each, { decision: 'allow-once' });
  expect(stdoutOf(await one.done)).toBe('first\n');
  expect(stdoutOf(await two.done)).toBe('second\n');
});

test('an approver that dies between ask and answer has not allowed anything', async () => {
  const paths = await makeHome({ security: 'full', ask: 'always', askFallback: 'full' });
  const approver = await startApproverProcess(paths);
  await startRunnerProcess(paths);
  const file = join(paths.home, '..', 'never');
  const run = exec(paths, { argv: ['touch', file] });
  await approver.next('ask');
  await approver.kill('SIGKILL');
  expect(endOf(await run.done)).toBe('approver-unavailable');
  expect(existsSync(file)).toBe(false);
});

test('an approver that answers twice, or another ask, is cut off and has allowed nothing more', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const first = exec(paths, { argv: ['touch', join(paths.home, '..', 'one')] });
  const asked = await approver.next('ask');
  approver.decide(asked, { decision: 'allow-once' });
  expect(endOf(await first.done)).toBe('exit 0');
  const second = exec(paths, { argv: ['touch', join(paths.home, '..', 'two')] });
  const again = await approver.next('ask');
  approver.decide({ ...again, digest: asked.digest }, { decision: 'allow-once' });
  expect(endOf(await second.done)).toBe('approver-unavailable');
  expect(existsSync(join(paths.home, '..', 'two'))).toBe(false);
  expect(auditRows(paths)).toContainEqual(
    expect.objectContaining({ type: 'note', code: 'approver-digest-mismatch' }),
  );
});

test('a second answer to one ask ends the session, and the command ran once', async () => {
  const paths = await makeHome();
  const approver = await startApprover(paths);
  await startRunnerProcess(paths);
  const log = join(paths.home, '..', 'log');
  const run = exec(paths, { command: `echo once >> ${log}`, cwd: join(paths.home, '..') });
  const asked = await approver.next('ask');
  approver.decide(asked, { decision: 'allow-once' });
  approver.decide(asked, { decision: 'allow-once' });
  expect(endOf(await run.done)).toBe('exit 0');
  await approver.next('closed');
  expect(auditRows(paths).filter(({ type }) => type === 'outcome')).toHaveLength(1);
});
