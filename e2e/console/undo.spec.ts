import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from '../support/console.ts';
import type { Interlock } from '../support/interlock.ts';

/** A project whose commands run in the sandbox unasked, where this machine has one. */
async function project(interlock: Interlock): Promise<string> {
  const { status } = await interlock.call('sandbox', 'status').done;
  test.skip(status !== 0, 'no sandbox can be had on this machine');
  const folder = join(interlock.work, 'project');
  await mkdir(folder);
  await writeFile(join(folder, 'a.txt'), 'one\n');
  const config = { version: 1, exec: { host: 'auto', workspaces: [folder] } };
  await writeFile(join(interlock.home, 'config.json'), JSON.stringify(config), { mode: 0o600 });
  await interlock.stopRunner();
  await interlock.startRunner();
  return folder;
}

async function openChanges(page: Page, count: number) {
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('button', { name: `${count} changes` }).click();
  return page.getByRole('dialog', { name: 'What it changed' });
}

const text = 'for each in a b; do echo two > $each.txt; done';

test('what ran unasked is taken back from the history, and the files are as they were', async ({
  interlock,
  approver,
}) => {
  const folder = await project(interlock);
  const ran = await interlock.call('run', '--cwd', folder, '-c', text).done;
  expect(ran).toMatchObject({ status: 0 });
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('two\n');
  const dialog = await openChanges(approver, 2);
  await expect(dialog.getByText('+two').first()).toBeVisible();
  await dialog.getByRole('button', { name: 'Take all back' }).click();
  await expect(dialog.getByText('Taken back').first()).toBeVisible();
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
  expect((await readdir(folder)).filter((name) => name !== '.git')).toEqual(['a.txt']);
  // And that is taken back, too.
  await dialog.getByRole('button', { name: 'Put it back' }).click();
  await expect.poll(() => existsSync(join(folder, 'b.txt'))).toBe(true);
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('two\n');
});

test('one file is taken back, and one that was changed since stays as it is', async ({
  interlock,
  approver,
}) => {
  const folder = await project(interlock);
  await interlock.call('run', '--cwd', folder, '-c', text).done;
  const dialog = await openChanges(approver, 2);
  await dialog.getByRole('button', { name: 'Take back: b.txt' }).click();
  await expect.poll(() => existsSync(join(folder, 'b.txt'))).toBe(false);
  await writeFile(join(folder, 'a.txt'), 'mine\n');
  await dialog.getByRole('button', { name: 'Take all back' }).click();
  await expect(dialog.getByText('Left: it was changed again since')).toBeVisible();
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('mine\n');
});

test('what a killed runner had not looked at yet is taken back after its next start', async ({
  interlock,
  approver,
}) => {
  const folder = await project(interlock);
  const running = interlock.call('run', '--cwd', folder, '-c', `${text}; touch ready; sleep 60`);
  await expect.poll(() => existsSync(join(folder, 'ready'))).toBe(true);
  await interlock.killRunner();
  await running.done;
  await interlock.startRunner();
  const dialog = await openChanges(approver, 3);
  await dialog.getByRole('button', { name: 'Take all back' }).click();
  await expect.poll(() => existsSync(join(folder, 'ready'))).toBe(false);
  expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
});
