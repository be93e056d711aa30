import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page, TestInfo } from '@playwright/test';
import { startUiHost } from '../../app/host/start.ts';
import type { StatePush } from '../../app/bridge/state-push.ts';
import { homePaths, openHome, ownUid } from '../../shared/home/index.ts';
import { setPassphrase } from '../../shared/operations/index.ts';
import { startFake } from '../../test/app/electron/support/start.ts';
import type { FakeShell } from '../../test/app/electron/support/start.ts';
import { virtualAuthenticator } from '../support/authenticator.ts';
import { axeFindings } from '../support/axe.ts';
import { wholeBrowser } from '../support/browsers.ts';
import { commandOn, expect, test } from '../support/console.ts';
import { startInterlock } from '../support/interlock.ts';
import { behindPreload, origin } from './app-window.ts';
import { projectRoot } from './binary.ts';

test.use({ launchOptions: wholeBrowser });

const passphrase = 'correct horse';

/** The menu-bar app over a stand-in for Electron, with the real host, runner and command line. */
async function startApp() {
  const interlock = await startInterlock(undefined, { approver: false });
  const env = { ...process.env, INTERLOCK_HOME: interlock.home };
  const paths = homePaths(env);
  await setPassphrase(passphrase, { path: paths.passphrase, uid: ownUid(), random: randomBytes });
  const app = await startFake({
    home: interlock.home,
    renderer: join(projectRoot, 'dist', 'renderer'),
    settings: { version: 1, attention: 'window' },
    start: async (onFocus, facts) =>
      startUiHost({
        home: openHome(env),
        env,
        packageRoot: projectRoot,
        shell: 'electron',
        onFocus,
        facts,
      }),
  });
  const close = async (): Promise<void> => {
    await app.end();
    await interlock.close();
  };
  return { interlock, app, paths, close };
}

/** Shows in Chromium what a window of the app shows, the newest of them. */
async function showWindow(page: Page, app: FakeShell): Promise<void> {
  const window = app.windows.at(-1);
  if (window === undefined) throw new Error('The app has no window.');
  const { webContents } = window;
  const frame = { routingId: 1, processId: 7, parent: null, detached: false };
  const event = {
    sender: webContents,
    senderFrame: { ...frame, origin: 'app://interlock', url: webContents.url },
  };
  const { push } = await behindPreload(page, async (channel, ...args) =>
    app.handlers.get(channel)?.(event, ...args),
  );
  webContents.send = (_channel, change) => void push(change as StatePush).catch(() => undefined);
  await page.goto(webContents.url.replace('app://interlock', origin));
}

/** What the system does with the file that it is given. */
async function followHandOver(browser: Page, app: FakeShell): Promise<void> {
  await expect.poll(() => app.opened.length).toBeGreaterThan(0);
  const file = app.opened.splice(0).at(-1) ?? '';
  await browser.goto(pathToFileURL(file).href);
  await browser.waitForURL(/^http:\/\/localhost:/u);
  await expect.poll(() => existsSync(file)).toBe(false);
  expect(browser.url()).not.toContain('token');
}

function appWindow(browser: Browser, colorScheme: 'dark' | 'light'): Promise<BrowserContext> {
  const viewport = { width: 480, height: 720 };
  return browser.newContext({ viewport, colorScheme, locale: 'en-GB' });
}

const shotOf = (page: Page, info: TestInfo, name: string): Promise<unknown> =>
  page.screenshot({ path: info.outputPath(`${name}.png`) });

test('a window of the menu-bar app leads to the browser for a passkey, and is led back to', async ({
  browser,
  page: person,
}, info) => {
  const { interlock, app, paths, close } = await startApp();
  const contexts = [await appWindow(browser, 'dark'), await appWindow(browser, 'light')] as const;
  try {
    await virtualAuthenticator(person);
    const main = await contexts[0].newPage();
    await showWindow(main, app);

    // Register.
    await main.getByRole('button', { name: 'Settings' }).click();
    const add = main.getByRole('button', { name: 'Add a passkey in the browser' });
    await add.scrollIntoViewIfNeeded();
    await add.click();
    await expect(main.getByText('It goes on in your browser.')).toBeVisible();
    await shotOf(main, info, 'settings-dark');
    await followHandOver(person, app);
    await expect(
      person.getByRole('button', { name: 'Add a passkey', exact: true }),
    ).toBeInViewport();
    await person.getByRole('button', { name: 'Add a passkey', exact: true }).click();
    const dialog = person.getByRole('dialog');
    await dialog.getByLabel('Name', { exact: true }).fill('laptop');
    await dialog.getByLabel('Passphrase').fill(passphrase);
    const before = app.windows[0]?.calls.length ?? 0;
    await dialog.getByRole('button', { name: 'Go on' }).click();
    await expect(person.getByText('this tab can be closed')).toBeVisible();
    await shotOf(person, info, 'browser-added');
    await expect(main.getByText('laptop')).toBeVisible();
    expect(app.windows[0]?.calls.slice(before)).toContain('focus');

    // A command that wants a passkey: from its prompt, in one click.
    const policy = await interlock.policy();
    const rule = { id: 'r', effect: 'ask', pattern: '/**/ls', presence: 'passkey' };
    const agents = { ...policy.agents, '*': { ...policy.agents?.['*'], allowlist: [rule] } };
    await writeFile(paths.policy, JSON.stringify({ ...policy, agents }), { mode: 0o600 });
    // The person works in another window.
    app.windows[0]?.hide();
    const run = interlock.call('run', '--', 'ls', '/');
    await expect.poll(() => app.windows.length).toBe(2);
    const prompt = await contexts[1].newPage();
    await showWindow(prompt, app);
    await expect(commandOn(prompt)).toContainText('ls /');
    await shotOf(prompt, info, 'prompt-light');
    expect(await axeFindings(prompt)).toEqual([]);
    await prompt.getByRole('button', { name: 'Allow in the browser' }).click();
    await expect(prompt.getByText('It goes on in your browser.')).toBeVisible();
    await shotOf(prompt, info, 'prompt-sent-light');
    expect(await axeFindings(prompt)).toEqual([]);
    await followHandOver(person, app);
    await expect(commandOn(person)).toContainText('ls /');
    const allow = person.getByRole('button', { name: 'Allow with a passkey' });
    await expect(allow).toHaveAttribute('aria-disabled', 'false');
    await allow.click();
    expect(await run.done).toMatchObject({ status: 0 });
    await expect(commandOn(prompt)).toHaveCount(0);
    await expect(person.getByText('this tab can be closed')).toBeVisible();

    // A lockout ends the same way.
    expect(await interlock.call('lockout').done).toMatchObject({ status: 0 });
    await main.getByRole('button', { name: 'Unlock in the browser' }).click();
    await shotOf(main, info, 'locked-dark');
    await followHandOver(person, app);
    await person.getByRole('button', { name: 'Unlock with a passkey' }).click();
    await expect(main.getByRole('button', { name: 'Unlock in the browser' })).toHaveCount(0);
    await expect(person.getByText('this tab can be closed')).toBeVisible();

    // Without a link, where the address alone is known: by the passkey.
    const { origin: address } = new URL(person.url());
    await person.evaluate(() => sessionStorage.clear());
    await person.goto('about:blank');
    await person.goto(address);
    await person.getByRole('button', { name: 'Open with a passkey' }).click();
    await expect(person).toHaveTitle('Armed · Interlock');
    expect(await interlock.call('audit', 'verify').done).toMatchObject({ status: 0 });
  } finally {
    for (const context of contexts) await context.close();
    await close();
  }
});
