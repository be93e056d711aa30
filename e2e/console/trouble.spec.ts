import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { startInterlock } from '../support/interlock.ts';
import { allow, commandOn, deny, expect, test } from '../support/console.ts';

async function addRule(page: Page, program: string): Promise<void> {
  await page.getByRole('button', { name: 'Add rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a rule' });
  await dialog.getByLabel('Program').fill(program);
  await dialog.getByRole('button', { name: 'Apply' }).click();
}

test('an edit waits while the file is not valid, and is saved when it is', async ({
  interlock,
  approver,
}) => {
  const file = join(interlock.home, 'exec-approvals.json');
  const good = await readFile(file, 'utf8');
  await approver.getByRole('link', { name: 'Allowlist' }).click();
  await addRule(approver, 'uname');
  await writeFile(file, '{ not json', { mode: 0o600 });
  await expect(approver.getByText('Your changes are kept here until it is.')).toBeVisible();
  await expect(approver.getByRole('button', { name: 'Save' })).toBeDisabled();
  expect(await readFile(file, 'utf8')).toBe('{ not json');
  await writeFile(file, good, { mode: 0o600 });
  await approver.getByRole('button', { name: 'Save' }).click();
  await expect(approver.getByText('Saved.', { exact: true })).toBeVisible();
  expect(JSON.stringify(await interlock.policy())).toContain('uname');
});

test('both sides changed one rule: nothing is saved over theirs before a choice', async ({
  interlock,
  approver,
}) => {
  const file = join(interlock.home, 'exec-approvals.json');
  await approver.getByRole('link', { name: 'Allowlist' }).click();
  await addRule(approver, 'uname');
  await approver.getByRole('button', { name: 'Save' }).click();
  await expect(approver.getByText('Saved.', { exact: true })).toBeVisible();
  await approver.getByRole('button', { name: /^Delete: .*uname/ }).click();
  const theirs = (await readFile(file, 'utf8')).replace('"uname"', '"hostname"');
  await writeFile(file, theirs, { mode: 0o600 });
  const dialog = approver.getByRole('dialog', { name: 'Someone else changed the policy' });
  await expect(dialog.getByText('hostname')).toBeVisible();
  await approver.keyboard.press('Escape');
  await approver.getByRole('button', { name: 'Choose' }).click();
  await dialog.getByRole('radio', { name: 'Keep theirs' }).check({ force: true });
  await dialog.getByRole('button', { name: 'Use these' }).click();
  expect(await readFile(file, 'utf8')).toBe(theirs);
});

test('a runner that is replaced takes its asks along; an answer to them reaches nobody', async ({
  interlock,
  approver,
}) => {
  const old = interlock.call('run', '--', 'mkdir', join(interlock.work, 'old'));
  await expect(commandOn(approver)).toContainText('old');
  await interlock.killRunner();
  expect((await old.done).status).not.toBe(0);
  await expect(commandOn(approver)).toHaveCount(0);
  await interlock.startRunner();
  const young = interlock.call('run', '--', 'mkdir', join(interlock.work, 'young'));
  await expect(commandOn(approver)).toContainText('young');
  await allow(approver, 'Allow once');
  expect(await young.done).toMatchObject({ status: 0 });
  await approver.getByRole('link', { name: 'Missed' }).click();
  await expect(approver.getByText('The runner stopped', { exact: true })).toBeVisible();
});

test('a second approver takes nothing: it leads to the first', async ({ interlock, approver }) => {
  const link = new URL(await interlock.anotherLink());
  expect(link.origin).toBe(new URL(approver.url()).origin);
  const asked = interlock.call('run', '--', 'mkdir', join(interlock.work, 'once'));
  await expect(commandOn(approver)).toContainText('once');
  await allow(approver, 'Allow once');
  expect(await asked.done).toMatchObject({ status: 0 });
});

test('a history whose runner is gone says so, and is back with it', async ({
  interlock,
  approver,
}) => {
  await interlock.stopRunner();
  await approver.getByRole('link', { name: 'History' }).click();
  await expect(
    approver.getByRole('heading', { name: 'The history cannot be read now' }),
  ).toBeVisible();
  await interlock.startRunner();
  await expect(
    approver.getByRole('heading', { name: 'Nothing has been decided yet' }),
  ).toBeVisible();
});

test('a full disk on save: told in a sentence, nothing allowed by it, nothing lost', async ({
  page,
}) => {
  test.setTimeout(180_000);
  const disk = await mkdtemp(join(tmpdir(), 'interlock-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]);
  if (mounted.status !== 0) console.warn('NOT TESTED: a full disk, because nothing can be mounted');
  test.skip(mounted.status !== 0, 'nothing can be mounted here');
  const interlock = await startInterlock(disk);
  try {
    await page.goto(await interlock.openConsole());
    await expect(page).toHaveTitle('Armed · Interlock');
    await page.getByRole('link', { name: 'Allowlist' }).click();
    await addRule(page, 'uname');
    const before = JSON.stringify(await interlock.policy());
    const filler = join(disk, 'filler');
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k']);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('alert')).toContainText('the disk is full');
    await expect(page.getByText('1 change not saved')).toBeVisible();
    expect(JSON.stringify(await interlock.policy())).toBe(before);
    // The rule that could not be saved allows nothing: a person is asked all the same.
    const asked = interlock.call('run', '--', 'uname', '-s');
    await page.getByRole('link', { name: /^Asks/ }).click();
    await expect(commandOn(page)).toContainText('uname');
    await deny(page);
    expect(await asked.done).toMatchObject({ status: 126, stdout: '' });
    await rm(filler);
    await page.getByRole('link', { name: 'Allowlist' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Saved.', { exact: true })).toBeVisible();
  } finally {
    await interlock.close();
    spawnSync('umount', ['-l', disk]);
    await rm(disk, { recursive: true, force: true });
  }
});
