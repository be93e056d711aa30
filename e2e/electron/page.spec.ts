import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { serveFiles } from '../../app/electron/app-scheme.ts';
import { readPageFiles } from '../../app/host/page-files.ts';
import { pushBetween } from '../../app/bridge/state-push.ts';
import type { AppState } from '../../app/bridge/types.ts';
import { projectRoot } from './binary.ts';

// The page and the preload as they are packed, in Chromium instead of Electron: the files come from
// the app's own scheme handler, with its headers, and a stand-in takes the place of Electron's ipc.
const origin = 'https://interlock.test';

const state: AppState = {
  revision: 1,
  now: Date.now(),
  runner: { mode: 'armed', reason: null, running: 0, pending: 0, policyProblem: null },
  queue: [],
  missed: [],
  policy: { hash: '', problem: null },
};

test.beforeEach(async ({ page }) => {
  const serve = serveFiles(await readPageFiles(join(projectRoot, 'dist', 'renderer')));
  await page.route(`${origin}/**`, async (route) => {
    const request = new Request(route.request().url().replace(origin, 'app://interlock'));
    const response = await serve(request);
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
  const preload = readFileSync(join(projectRoot, 'dist/app/electron/preload.cjs'), 'utf8');
  await page.addInitScript({
    content: `(() => {
      const calls = (window.calls = []);
      const electron = {
        contextBridge: { exposeInMainWorld: (name, api) => { window[name] = api; } },
        ipcRenderer: {
          on: (channel, listener) => { window.push = (change) => listener({}, change); },
          invoke: async (channel, ...args) => {
            if (channel === 'interlock:ready') return { ok: true, value: ${JSON.stringify(state)} };
            calls.push(args);
            const refusal = { code: 'invalid-request', message: 'Not in this stand-in.', hint: '' };
            return { ok: true, value: { ok: false, refusal } };
          },
        },
      };
      const require = () => electron;
      const exports = {};
      ${preload}
    })()`,
  });
});

test('the page runs behind the preload and the headers of the app scheme', async ({ page }) => {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await page.goto(`${origin}/#/asks`);
  await expect(page.getByText('Armed').first()).toBeVisible();
  expect(errors).toEqual([]);
});

test('a state that the shell pushes is shown at once', async ({ page }) => {
  await page.goto(`${origin}/#/asks`);
  await expect(page.getByText('Armed').first()).toBeVisible();
  const push = pushBetween(state, { ...state, revision: 2, runner: null });
  await page.evaluate((next) => {
    (globalThis as unknown as { push(change: object): void }).push(next);
  }, push);
  await expect(page.getByText('Runner not connected').first()).toBeVisible();
});
