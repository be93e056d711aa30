import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { homePaths, ownUid } from '../../shared/home/index.ts';
import { setPassphrase } from '../../shared/operations/index.ts';
import { virtualAuthenticator } from '../support/authenticator.ts';
import { axeFindings } from '../support/axe.ts';
import { commandOn, expect, test } from '../support/console.ts';

const passphrase = 'correct horse';

async function choosePassphrase(home: string): Promise<void> {
  const { passphrase: path } = homePaths({ INTERLOCK_HOME: home });
  await setPassphrase(passphrase, { path, uid: ownUid(), random: randomBytes });
}

const section = (page: Page) => page.getByRole('region', { name: 'Passkeys' });

async function register(page: Page, name: string, person = ''): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  await section(page).getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Whose it is').fill(person);
  await page.getByLabel('Passphrase').fill(passphrase);
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(section(page).getByText(name, { exact: true })).toBeVisible();
}

test('a passkey is added, ends a lockout, opens the page again, and is removed', async ({
  interlock,
  approver,
  browser,
}) => {
  await choosePassphrase(interlock.home);
  await approver.reload();
  const authenticator = await virtualAuthenticator(approver);
  await register(approver, 'laptop');
  expect(await axeFindings(approver)).toEqual([]);

  await approver.getByRole('button', { name: 'Lock out', exact: true }).click();
  const unlock = approver.getByRole('button', { name: 'Unlock with a passkey' });
  await expect(unlock).toBeVisible();
  expect(await axeFindings(approver)).toEqual([]);
  await authenticator.verified(false);
  await unlock.click();
  await expect(approver.getByRole('alert')).toContainText('cancelled');
  await expect(approver).toHaveTitle('Locked out · Interlock');
  await authenticator.verified(true);
  await unlock.click();
  await expect(approver).toHaveTitle('Armed · Interlock');

  const context = await browser.newContext();
  const again = await context.newPage();
  await authenticator.copyTo(again);
  await again.goto(new URL(approver.url()).origin);
  await again.getByRole('button', { name: 'Open with a passkey' }).click();
  await expect(again).toHaveTitle('Armed · Interlock');

  // Who holds a copy that has fallen behind holds nothing.
  await authenticator.countTo(1);
  await section(approver).getByRole('button', { name: 'Remove: laptop' }).click();
  await approver.getByRole('button', { name: 'Use a passkey I have' }).click();
  await expect(approver.getByRole('dialog').getByRole('alert')).toContainText('does not fit');
  await authenticator.countTo(100);
  await approver.getByRole('button', { name: 'Use a passkey I have' }).click();
  await expect(section(approver).getByText('laptop', { exact: true })).toHaveCount(0);
  await again.close();

  const outside = await context.newPage();
  await outside.goto(new URL(approver.url()).origin);
  await expect(outside.getByRole('alert')).toContainText('not connected');
  await expect(outside.getByRole('button', { name: 'Open with a passkey' })).toHaveCount(0);
  await context.close();

  const log = (await interlock.call('audit', 'search', 'passkey', '--json').done).stdout;
  const codes = (JSON.parse(log) as { rows: { code: string }[] }).rows.map(({ code }) => code);
  expect(codes).toEqual(expect.arrayContaining(['passkey-added', 'passkey-removed']));
  expect((await interlock.call('audit', 'verify').done).status).toBe(0);
});

test('a passkey is not added without the passphrase, and not at an address', async ({
  interlock,
  approver,
}) => {
  await virtualAuthenticator(approver);
  await approver.getByRole('button', { name: 'Settings' }).click();
  const add = section(approver).getByRole('button', { name: 'Add a passkey' });
  await expect(add).toBeDisabled();
  await choosePassphrase(interlock.home);
  await approver.reload();
  await add.click();
  await approver.getByLabel('Name').fill('laptop');
  await approver.getByLabel('Passphrase').fill('wrong horse');
  await approver.getByRole('button', { name: 'Go on' }).click();
  await expect(approver.getByRole('dialog').getByRole('alert')).toContainText('not the passphrase');
  const byAddress = await approver.request.get(
    new URL(approver.url()).origin.replace('localhost', '127.0.0.1'),
  );
  expect(byAddress.status()).toBe(421);
});

test('what wants a passkey is allowed by one alone, and the record proves it', async ({
  interlock,
  approver,
}) => {
  await choosePassphrase(interlock.home);
  const path = homePaths({ INTERLOCK_HOME: interlock.home }).policy;
  const policy = await interlock.policy();
  const rule = { id: 'r', effect: 'ask', pattern: '/**/ls', presence: 'passkey' } as const;
  const agents = { ...policy.agents, '*': { ...policy.agents?.['*'], allowlist: [rule] } };
  await writeFile(path, JSON.stringify({ ...policy, agents }), { mode: 0o600 });
  await approver.reload();
  const authenticator = await virtualAuthenticator(approver);

  const waiting = interlock.call('run', '--', 'ls', '/');
  await expect(commandOn(approver)).toContainText('ls /');
  await expect(approver.getByText('Only a passkey can allow this')).toBeVisible();
  await expect(approver.getByRole('button', { name: /^(Allow|Hold)/ })).toHaveCount(0);
  expect(await axeFindings(approver)).toEqual([]);
  await register(approver, 'laptop');
  await approver.getByRole('link', { name: 'Asks' }).click();
  const allowed = approver.getByRole('button', { name: 'Allow with a passkey' });
  await expect(allowed).toHaveAttribute('aria-disabled', 'false');
  expect(await axeFindings(approver)).toEqual([]);
  await authenticator.verified(false);
  await allowed.click();
  await expect(approver.getByRole('alert')).toContainText('cancelled');
  await authenticator.verified(true);
  await allowed.click();
  expect(await waiting.done).toMatchObject({ status: 0 });

  await approver.getByRole('link', { name: 'History' }).click();
  await approver.locator('.history-command').first().click();
  await expect(approver.locator('.decision-fact', { hasText: 'Passkey' })).toContainText('laptop');
  const verified = await interlock.call('audit', 'verify').done;
  expect(verified).toMatchObject({ status: 0 });
});

/** For three days, and back. */
async function handOverToBen(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Settings' }).click();
  const open = section(page).getByRole('button', { name: 'Hand over: Ben' });
  const until = section(page).getByText('Answers in your place until');
  for (const days of ['91', '3', '0']) {
    await open.click();
    await page.getByLabel('Days').fill(days);
    await page.getByLabel('Passphrase').fill(passphrase);
    const go = page.getByRole('button', { name: 'Go on' });
    if (days === '91') {
      await expect(go).toBeDisabled();
      await page.keyboard.press('Escape');
      continue;
    }
    await go.click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(until).toHaveCount(days === '3' ? 1 : 0);
    if (days === '3') expect(await axeFindings(page)).toEqual([]);
  }
}

test('what wants two people is allowed by both of them, and one alone is not enough', async ({
  interlock,
  approver,
}) => {
  await choosePassphrase(interlock.home);
  const path = homePaths({ INTERLOCK_HOME: interlock.home }).policy;
  const policy = await interlock.policy();
  const rule = { id: 'r', effect: 'ask', pattern: '/**/ls', approvers: 2 } as const;
  const agents = { ...policy.agents, '*': { ...policy.agents?.['*'], allowlist: [rule] } };
  await writeFile(path, JSON.stringify({ ...policy, agents }), { mode: 0o600 });
  await approver.reload();
  const laptop = await virtualAuthenticator(approver);
  await register(approver, 'laptop');
  // Of two that can make one the browser takes whichever is quicker.
  await laptop.present(false);
  await approver.getByRole('link', { name: 'Asks' }).click();
  await virtualAuthenticator(approver, 'usb');
  await register(approver, 'blue key', 'Ben');
  await laptop.present(true);
  await expect(section(approver).getByText('of Ben')).toBeVisible();
  expect(await axeFindings(approver)).toEqual([]);

  await approver.getByRole('link', { name: 'Asks' }).click();
  const waiting = interlock.call('run', '--', 'ls', '/');
  await expect(commandOn(approver)).toContainText('ls /');
  await expect(approver.getByText('Two different people have to allow this')).toBeVisible();
  await expect(approver.getByRole('button', { name: /^Hold/ })).toHaveCount(0);
  const allowed = approver.getByRole('button', { name: 'Allow with a passkey' });
  await expect(allowed).toHaveAttribute('aria-disabled', 'false');
  await allowed.click();
  await expect(approver.getByText(/said yes with “(laptop|blue key)”/u)).toBeVisible();
  expect(await axeFindings(approver)).toEqual([]);
  await expect(allowed).toHaveAttribute('aria-disabled', 'false');
  await allowed.click();
  expect(await waiting.done).toMatchObject({ status: 0 });

  await approver.getByRole('link', { name: 'History' }).click();
  await approver.locator('.history-command').first().click();
  const said = approver.locator('.decision-fact', { hasText: 'Said yes' });
  await expect(said).toHaveCount(2);
  await expect(approver.locator('.decision-facts')).toContainText(
    'Ben, with the passkey “blue key”',
  );
  await expect(approver.locator('.decision-facts')).toContainText(
    'the owner, with the passkey “laptop”',
  );
  expect(await interlock.call('audit', 'verify').done).toMatchObject({ status: 0 });
  await approver.getByRole('button', { name: 'Close' }).click();
  await handOverToBen(approver);
  const exported = await interlock.call('audit', 'export', '--format', 'csv').done;
  expect(exported.stdout).toContain('yes by Ben with the passkey');
  expect(exported.stdout).toContain('Ben may answer in the owner');
});
