import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { appOrigin, serveFiles } from '../../app/electron/app-scheme.ts';
import type { StatePush } from '../../app/bridge/state-push.ts';
import { readPageFiles } from '../../app/host/page-files.ts';
import { projectRoot } from './binary.ts';

/** Where Chromium has the page that Electron has at `app://interlock`. */
export const origin = 'https://interlock.test';

/** What the page sends, as the main process has it: a channel, and what comes with it. */
export type Invoke = (channel: string, ...args: readonly unknown[]) => Promise<unknown>;

/**
 * The page and the preload as they are packed, in Chromium instead of Electron: the files come from the
 * app's own scheme handler, with its headers, and `invoke` takes the place of Electron's ipc.
 */
export async function behindPreload(page: Page, invoke: Invoke) {
  const serve = serveFiles(await readPageFiles(join(projectRoot, 'dist', 'renderer')));
  await page.route(`${origin}/**`, async (route) => {
    const request = new Request(route.request().url().replace(origin, appOrigin));
    const response = await serve(request);
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    });
  });
  await page.exposeFunction('invokeMain', invoke);
  const preload = readFileSync(join(projectRoot, 'dist/app/electron/preload.cjs'), 'utf8');
  await page.addInitScript({
    content: `(() => {
      const electron = {
        contextBridge: { exposeInMainWorld: (name, api) => { window[name] = api; } },
        ipcRenderer: {
          on: (channel, listener) => { window.push = (change) => listener({}, change); },
          invoke: (channel, ...args) => window.invokeMain(channel, ...args),
        },
      };
      const require = () => electron;
      const exports = {};
      ${preload}
    })()`,
  });
  return {
    push: (change: StatePush): Promise<void> =>
      page.evaluate((next) => {
        (globalThis as unknown as { push(change: object): void }).push(next);
      }, change),
  };
}
