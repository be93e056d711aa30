import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { chromium, expect } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { homePaths, ownUid } from '../../shared/home/index.ts';
import { runnerClient } from '../../shared/ipc/index.ts';
import { inviteDevice, setPassphrase } from '../../shared/operations/index.ts';
import { certificateFor } from './certificates.ts';
import { startInterlock } from './interlock.ts';

export const name = 'desk.home.example';
export const passphrase = 'correct horse';

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

/** What phones reach the machine through; `away`: it takes what is sent, and hands nothing over. */
export interface Network {
  away(isAway: boolean): void;
  close(): void;
}

const [machine, throughNetwork] = ['127.0.0.1', '127.0.0.2'];

/** Stands between the phones and the machine, at the same port of another address. */
async function networkBefore(port: number): Promise<Network> {
  const sockets = new Set<Socket>();
  let isAway = false;
  const server = createServer((near) => {
    const far = connect(port, machine);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => sockets.delete(one) && other.destroy());
      if (isAway) one.pause();
    }
  });
  await new Promise((resolve) => {
    server.listen(port, throughNetwork, () => resolve(null));
  });
  return {
    away: (now) => {
      isAway = now;
      for (const socket of sockets)
        if (now) socket.pause();
        else socket.resume();
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Has `ls` want two people. */
export async function wantTwoPeople({
  home,
  policy,
}: Pick<Awaited<ReturnType<typeof startInterlock>>, 'home' | 'policy'>): Promise<void> {
  const { agents, ...rest } = await policy();
  const rule = { id: 'r', effect: 'ask', pattern: '/**/ls', approvers: 2 } as const;
  const all = { ...agents, '*': { ...agents?.['*'], allowlist: [rule] } };
  const path = homePaths({ INTERLOCK_HOME: home }).policy;
  await writeFile(path, JSON.stringify({ ...rest, agents: all }), { mode: 0o600 });
}

/** A machine that serves devices, and a browser of a phone that reaches it by its name. */
export async function machineAndPhone(executablePath: string | undefined) {
  const port = await freePort();
  const made = await certificateFor(name);
  const interlock = await startInterlock(undefined, {
    consoleArguments: async (home) => {
      const [certificate, key] = [join(home, 'phone.pem'), join(home, 'phone.key')];
      await writeFile(certificate, made.certificate);
      await writeFile(key, made.key, { mode: 0o600 });
      const { config, passphrase: path } = homePaths({ INTERLOCK_HOME: home });
      const before = JSON.parse(await readFile(config, 'utf8')) as { readonly ui?: object };
      const tls = { phoneCertificate: certificate, phoneKey: key };
      const ui = { ...before.ui, phoneHost: name, phonePort: port, ...tls };
      await writeFile(config, JSON.stringify({ ...before, ui }), { mode: 0o600 });
      await setPassphrase(passphrase, { path, uid: ownUid(), random: randomBytes });
      return ['--listen', name, '--address', '127.0.0.1'];
    },
  });
  const network = await networkBefore(port);
  const browser = await chromium.launch({
    ...(executablePath !== undefined && { executablePath }),
    args: [
      `--host-resolver-rules=MAP ${name} ${throughNetwork}, MAP other.example 127.0.0.1`,
      `--ignore-certificate-errors-spki-list=${made.authorityPin}`,
    ],
  });
  const where = { paths: homePaths({ INTERLOCK_HOME: interlock.home }), now: Date.now };
  const invite = (rights: 'lockout' | 'answer' | 'everything', device = 'phone'): string => {
    const code = inviteDevice({ name: device, rights }, { ...where, random: randomBytes });
    return `https://${name}:${port}/#pair=${code}`;
  };
  /** As `interlock device pair NAME --person PERSON` does once the passphrase was typed. */
  const invitePerson = async (person: string, device: string): Promise<string> => {
    const runner = runnerClient({ socketPath: where.paths.runnerSocket, timeoutMs: 15_000 });
    const invited = { nonce: await runner.passkeyNonce(), name: device, person };
    const given = await runner.invitePasskey({ ...invited, proof: { passphrase } });
    const about = { name: device, rights: 'everything', person } as const;
    const code = inviteDevice(about, { ...where, random: randomBytes }, given);
    return `https://${name}:${port}/#pair=${code}`;
  };
  const phone = async (colorScheme: 'dark' | 'light' = 'dark', locale = 'en-GB'): Promise<Page> => {
    const viewport = { width: 390, height: 844 };
    const how = { viewport, colorScheme, locale, isMobile: true, hasTouch: true };
    const context = await browser.newContext(how);
    return context.newPage();
  };
  /** The page on the machine itself. */
  const desk = async (): Promise<Page> => {
    const page = await (await browser.newContext({ locale: 'en-GB' })).newPage();
    await page.goto(await interlock.openConsole());
    await expect(page).toHaveTitle('Armed · Interlock');
    return page;
  };
  const close = async (): Promise<void> => {
    await browser.close();
    network.close();
    await interlock.close();
  };
  return { interlock, network, port, invite, invitePerson, desk, phone, close };
}

export async function pair(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel('Passphrase').fill(passphrase);
  await page.getByRole('button', { name: 'Pair this device' }).click();
  await expect(page.getByRole('button', { name: 'Open with the passkey' })).toBeEnabled();
}

const buttons = {
  en: { allow: 'Allow with a passkey', open: 'Open with the passkey' },
  de: { allow: 'Mit einem Passkey erlauben', open: 'Mit dem Passkey öffnen' },
} as const;

/**
 * Says yes with the passkey, until that was taken, or until the page says what it has against it: on a
 * busy machine a page gives its connection up and is behind its lock screen, from where it is opened anew.
 */
export async function sayYes(
  page: Page,
  { said, language = 'en' }: { readonly said?: string; readonly language?: 'en' | 'de' } = {},
): Promise<void> {
  const [allow, open] = [buttons[language].allow, buttons[language].open].map((label) =>
    page.getByRole('button', { name: label }),
  ) as [Locator, Locator];
  await expect(async () => {
    if ((await open.count()) > 0) await open.click({ timeout: 2_000 });
    if ((await allow.count()) > 0) {
      await expect(allow).toHaveAttribute('aria-disabled', 'false', { timeout: 4_000 });
      await allow.click({ timeout: 2_000 });
    }
    const against = page.getByRole('alert').filter({ hasText: said ?? '' });
    if (said !== undefined) await expect(against).toBeVisible({ timeout: 8_000 });
    else await expect(allow.or(open)).toHaveCount(0, { timeout: 8_000 });
  }).toPass();
}

/** Clicks until that was taken. */
export async function press(page: Page, what: string): Promise<void> {
  const button = page.getByRole('button', { name: what });
  await expect(async () => {
    if ((await button.count()) > 0) await button.click({ timeout: 2_000 });
    await expect(button).toHaveCount(0, { timeout: 2_000 });
  }).toPass();
}
