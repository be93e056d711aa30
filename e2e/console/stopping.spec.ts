import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { axeFindings } from '../support/axe.ts';
import { commandOn, expect, test } from '../support/console.ts';

test('with the approver closed the fallback decides', async ({ interlock, approver }) => {
  await expect(approver).toHaveTitle('Armed · Interlock');
  await interlock.closeConsole();
  await expect(approver.getByRole('alert')).toContainText('This console session has ended');
  const outcome = await interlock.call('run', '--', 'echo', 'anyone').done;
  expect(outcome).toMatchObject({ status: 126, stdout: '' });
});

test('the runner may die and come back while an ask is shown', async ({ interlock, approver }) => {
  const { done } = interlock.call('run', '--', 'echo', 'orphan');
  await expect(commandOn(approver)).toContainText('orphan');
  await interlock.stopRunner();
  expect((await done).status).not.toBe(0);
  await expect(approver).toHaveTitle('Runner not connected · Interlock');
  await expect(commandOn(approver)).toHaveCount(0);
  await interlock.startRunner();
  await expect(approver).toHaveTitle('Armed · Interlock');
});

test('the lockout refuses what waits and what comes', async ({ interlock, approver }) => {
  const waiting = interlock.call('run', '--', 'echo', 'too late');
  await expect(commandOn(approver)).toContainText('too late');
  await approver.getByRole('button', { name: 'Lock out' }).click();
  await expect(approver.getByRole('heading', { name: 'Everything is locked out' })).toBeVisible();
  await expect(approver.getByText('What the lockout did')).toBeVisible();
  expect((await waiting.done).stderr).toContain('lockout-active');
  expect((await interlock.call('run', '--', 'echo', 'no').done).stderr).toContain('lockout-active');
});

test('pause refuses until resume', async ({ interlock, approver }) => {
  await approver.getByRole('button', { name: 'Pause' }).click();
  await expect(approver).toHaveTitle('Paused · Interlock');
  expect((await interlock.call('run', '--', 'echo', 'no').done).stderr).toContain('pause-active');
  await approver.getByRole('button', { name: 'Resume' }).click();
  await expect(approver).toHaveTitle('Armed · Interlock');
});

test('a policy that turns invalid is told in red, and refuses', async ({ interlock, approver }) => {
  await writeFile(join(interlock.home, 'exec-approvals.json'), '{ not json', { mode: 0o600 });
  await expect(approver.getByRole('alert').first()).toContainText('everything is refused');
  expect((await interlock.call('run', '--', 'echo', 'no').done).stderr).toContain('config-invalid');
});

test('every view of the real console is accessible', async ({ interlock, approver }) => {
  await interlock.call('check', '--', 'echo', 'hello').done;
  for (const view of ['Asks', 'Allowlist', 'History', 'Missed', 'Boxes', 'Nodes', 'Health']) {
    await approver.getByRole('link', { name: view }).click();
    await expect(approver.getByRole('heading', { level: 2 }).first()).toBeVisible();
    expect(await axeFindings(approver), view).toEqual([]);
  }
});
