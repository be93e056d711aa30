import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setPassphrase } from '../../shared/operations/index.ts';
import { allow, commandOn, expect, test } from '../support/console.ts';

test('the first steps raise a real ask, which is answered and logged', async ({
  interlock,
  approver,
}) => {
  await expect(approver.getByRole('heading', { name: 'First steps' })).toBeVisible();
  await approver.getByRole('button', { name: 'Try it with a real ask' }).click();
  await expect(commandOn(approver)).toContainText('Interlock asked, and you answered.');
  await allow(approver, 'Allow once');
  const answered = approver.getByRole('listitem').filter({ hasText: 'An ask that you answered' });
  await expect(answered).toContainText('done');
  await approver.getByRole('link', { name: 'History' }).click();
  const row = approver.locator('.history-row').filter({ hasText: 'you answered' });
  await expect(row).toContainText('by you');
  await approver.getByRole('link', { name: 'Asks' }).click();
  await approver.getByRole('button', { name: /Skip this|Close the first steps/ }).click();
  await expect(approver.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
  // It is a setting: it holds in every browser and every shell.
  await expect
    .poll(async () => readFile(join(interlock.home, 'ui.json'), 'utf8').catch(() => ''))
    .toContain('"guideClosed": true');
});

test('first steps that were put away in one browser stay away in another', async ({
  interlock,
  approver,
  browser,
}) => {
  await approver.getByRole('button', { name: /Skip this/ }).click();
  await expect(approver.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
  const other = await (await browser.newContext()).newPage();
  await other.goto(await interlock.anotherLink());
  await expect(other.getByRole('heading', { name: 'Nothing waits for you' })).toBeVisible();
  await expect(other.getByRole('heading', { name: 'First steps' })).toHaveCount(0);
  await other.context().close();
});

test('a lockout is left with the passphrase, a wrong one leaves it shut', async ({
  interlock,
  approver,
}) => {
  await mkdir(join(interlock.home, 'keys'), { recursive: true, mode: 0o700 });
  await setPassphrase('correct horse', {
    path: join(interlock.home, 'keys', 'passphrase.json'),
    uid: process.getuid?.() ?? -1,
    random: randomBytes,
  });
  const token = (await interlock.policy()).socket?.token;
  await approver.getByRole('button', { name: 'Lock out' }).click();
  await expect(approver.getByText('The approvals token was replaced')).toBeVisible();
  expect((await interlock.policy()).socket?.token).not.toBe(token);

  const unlock = approver.getByRole('button', { name: 'Hold to unlock' });
  const hold = async (passphrase: string): Promise<void> => {
    await approver.getByLabel('Passphrase').fill(passphrase);
    await unlock.hover();
    await approver.mouse.down();
    // The field is empty again when the answer is there, or it is gone.
    await expect(approver.locator('input[type="password"][value]:not([value=""])')).toHaveCount(0);
    await approver.mouse.up();
  };
  await hold('wrong horse');
  await expect(approver.getByRole('alert').first()).toBeVisible();
  await expect(approver.getByRole('heading', { name: 'Everything is locked out' })).toBeVisible();
  await hold('correct horse');
  await expect(approver.getByRole('heading', { name: 'Everything is locked out' })).toHaveCount(0);
  await expect(approver).toHaveTitle('Armed · Interlock');
});

test('a Claude Code file is imported, saved, and lets its command run', async ({
  interlock,
  approver,
}) => {
  await approver.getByRole('link', { name: 'Allowlist' }).click();
  await approver.getByRole('button', { name: 'Import' }).click();
  const dialog = approver.getByRole('dialog', { name: 'Import rules' });
  await dialog
    .getByLabel('Rule file')
    .fill('{"permissions":{"allow":["Bash(uname -s)"],"deny":["Read(./.env)"]}}');
  await dialog.getByRole('combobox', { name: 'For' }).selectOption('*');
  await expect(dialog.getByRole('heading', { name: /rule/ }).nth(1)).toBeVisible();
  await dialog.getByRole('button', { name: /^Add \d+ rules?$/ }).click();
  await approver.getByRole('button', { name: 'Save' }).click();
  await expect(approver.getByText('Saved.', { exact: true })).toBeVisible();
  expect(await interlock.call('run', '--', 'uname', '-s').done).toMatchObject({ status: 0 });
});

test('a setting is kept in the home', async ({ interlock, approver }) => {
  await approver.getByRole('button', { name: 'Settings' }).click();
  await approver.getByRole('radio', { name: 'Deutsch' }).check({ force: true });
  await expect(approver.getByRole('heading', { name: 'Einstellungen' })).toBeVisible();
  await expect
    .poll(async () => readFile(join(interlock.home, 'ui.json'), 'utf8').catch(() => ''))
    .toContain('"de"');
});
