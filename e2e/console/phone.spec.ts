import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import type { Page } from '@playwright/test';
import { homePaths, ownUid } from '../../shared/home/index.ts';
import { inviteDevice, setPassphrase } from '../../shared/operations/index.ts';
import { certificateFor } from '../support/certificates.ts';
import { virtualAuthenticator } from '../support/authenticator.ts';
import { axeFindings } from '../support/axe.ts';
import { allow, commandOn, expect, test } from '../support/console.ts';
import { startInterlock } from '../support/interlock.ts';

const name = 'desk.home.example';
const passphrase = 'correct horse';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

/** A machine that serves devices, and a browser of a phone that reaches it by its name. */
async function machineAndPhone(executablePath: string | undefined) {
  const port = await freePort();
  const made = await certificateFor(name);
  const interlock = await startInterlock(undefined, {
    consoleArguments: async (home) => {
      const [certificate, key] = [join(home, 'phone.pem'), join(home, 'phone.key')];
      await writeFile(certificate, made.certificate);
      await writeFile(key, made.key, { mode: 0o600 });
      const { config, passphrase: path } = homePaths({ INTERLOCK_HOME: home });
      const before = JSON.parse(await readFile(config, 'utf8')) as { readonly ui?: object };
      const ui = { ...before.ui, phoneHost: name, phonePort: port };
      await writeFile(config, JSON.stringify({ ...before, ui }), { mode: 0o600 });
      await setPassphrase(passphrase, { path, uid: ownUid(), random: randomBytes });
      return ['--listen', name, '--address', '127.0.0.1', '--cert', certificate, '--key', key];
    },
  });
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [
      `--host-resolver-rules=MAP ${name} 127.0.0.1, MAP other.example 127.0.0.1`,
      `--ignore-certificate-errors-spki-list=${made.authorityPin}`,
    ],
  });
  const invite = (rights: 'lockout' | 'answer' | 'everything', device = 'phone'): string => {
    const how = { paths: homePaths({ INTERLOCK_HOME: interlock.home }), now: Date.now };
    const code = inviteDevice({ name: device, rights }, { ...how, random: randomBytes });
    return `https://${name}:${port}/#pair=${code}`;
  };
  const phone = async (colorScheme: 'dark' | 'light' = 'dark'): Promise<Page> => {
    const viewport = { width: 390, height: 844 };
    const context = await browser.newContext({ viewport, colorScheme, isMobile: true });
    return context.newPage();
  };
  const close = async (): Promise<void> => {
    await browser.close();
    await interlock.close();
  };
  return { interlock, port, invite, phone, close };
}

async function pair(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel('Passphrase').fill(passphrase);
  await page.getByRole('button', { name: 'Pair this device' }).click();
  await expect(page.getByRole('button', { name: 'Open with the passkey' })).toBeEnabled();
}

test('a phone is paired, answers what its rights say, and is revoked in the middle of an ask', async ({
  page,
  launchOptions,
}) => {
  const { interlock, port, invite, phone, close } = await machineAndPhone(
    launchOptions.executablePath,
  );
  try {
    await page.goto(await interlock.openConsole());
    await expect(page).toHaveTitle('Armed · Interlock');
    const mobile = await phone();
    const complaints: string[] = [];
    mobile.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text());
    });
    const authenticator = await virtualAuthenticator(mobile);
    const link = invite('answer');
    await pair(mobile, link);
    expect(mobile.url()).not.toContain('pair');
    expect(await axeFindings(mobile)).toEqual([]);
    await mobile.screenshot({ path: test.info().outputPath('locked-dark.png') });

    // Behind its lock screen it is told nothing of what waits.
    const waiting = interlock.call('run', '--', 'ls', '/');
    await expect(commandOn(page)).toContainText('ls /');
    await expect(commandOn(mobile)).toHaveCount(0);
    await authenticator.verified(false);
    await mobile.getByRole('button', { name: 'Open with the passkey' }).click();
    await expect(mobile.getByRole('alert')).toContainText('cancelled');
    await authenticator.verified(true);
    await mobile.getByRole('button', { name: 'Open with the passkey' }).click();
    await expect(commandOn(mobile)).toContainText('ls /');
    expect(await axeFindings(mobile)).toEqual([]);
    await mobile.screenshot({ path: test.info().outputPath('ask-dark.png') });
    await allow(mobile, 'Allow with a passkey');
    expect(await waiting.done).toMatchObject({ status: 0 });
    await expect(commandOn(page)).toHaveCount(0);

    // The code was good once, and the copied address opens nothing for another phone.
    const thief = await phone('light');
    await virtualAuthenticator(thief);
    await thief.goto(link);
    await thief.getByLabel('Passphrase').fill(passphrase);
    await thief.getByRole('button', { name: 'Pair this device' }).click();
    await expect(thief.getByRole('alert')).toContainText('used already');
    await thief.screenshot({ path: test.info().outputPath('refused-light.png') });
    const rebound = await thief.goto(`https://other.example:${port}/`).catch(() => null);
    expect(rebound?.status() ?? 421).toBe(421);

    const second = interlock.call('run', '--', 'ls', '/usr');
    await expect(commandOn(mobile)).toContainText('ls /usr');
    const gone = await interlock.call('device', 'revoke', 'phone').done;
    expect(gone).toMatchObject({ status: 0 });
    await expect(mobile.getByText('not paired any more')).toBeVisible();
    await expect(commandOn(mobile)).toHaveCount(0);
    await allow(page, 'Allow once');
    expect(await second.done).toMatchObject({ status: 0 });

    const locker = await phone('light');
    await virtualAuthenticator(locker);
    await locker.goto(invite('lockout', 'tablet'));
    await locker.getByLabel('Passphrase').fill(passphrase);
    await locker.getByRole('button', { name: 'Pair this device' }).click();
    const lockout = locker.getByRole('button', { name: 'Lock out' });
    await expect(lockout).toBeEnabled();
    await expect(locker.getByRole('button', { name: 'Open with the passkey' })).toHaveCount(0);
    await locker.screenshot({ path: test.info().outputPath('lockout-light.png') });
    await lockout.click();
    await locker.getByRole('button', { name: 'Tap again' }).click();
    await expect(page).toHaveTitle('Locked out · Interlock');
    expect(complaints).toEqual([]);
    const log = (await interlock.call('audit', 'search', 'device', '--json').done).stdout;
    expect(log).toContain('device-paired-elsewhere');
    expect(log).toContain('device-revoked-elsewhere');
  } finally {
    await close();
  }
});
