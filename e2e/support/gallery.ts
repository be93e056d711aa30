import { fileURLToPath } from 'node:url';
import { test as base, expect } from '@playwright/test';
import type { Page } from '@playwright/test';
import type { PolicyDocument } from '../../shared/engine/index.ts';
import type { GalleryWindow } from '../gallery-page/fake-bridge.ts';
import { serveFolder } from './gallery-server.ts';

const folder = fileURLToPath(new URL('../../dist/gallery', import.meta.url));

interface Gallery {
  /** Opens a scenario with a clock that stands still until the spec moves it. */
  readonly open: (scenario: string, view?: string) => Promise<void>;
  /** Lets time pass in the page. */
  readonly pass: (milliseconds: number) => Promise<void>;
}

const epoch = Date.UTC(2026, 9, 14, 9, 30);

/** Specs over canned states: a built page, the real headers, no host. */
export const test = base.extend<{ readonly gallery: Gallery }, { readonly address: string }>({
  address: [
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const server = await serveFolder(folder);
      await use(server.address);
      await server.close();
    },
    { scope: 'worker' },
  ],
  gallery: async ({ page, address }, use) => {
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await use({
      open: async (scenario, view = 'asks') => {
        await page.clock.install({ time: epoch });
        await page.clock.pauseAt(epoch + 1000);
        await page.goto(`${address}/?scenario=${scenario}#/${view}`);
        await expect(page.locator('main')).toBeVisible();
      },
      pass: (milliseconds) => page.clock.runFor(milliseconds),
    });
    // A violation of the content security policy is a console error.
    expect(complaints).toEqual([]);
  },
});

/** Lets so much time pass that the ask on screen may be answered. */
export async function arm(page: Page): Promise<void> {
  await page.clock.runFor(700);
  const allow = page.locator('.answers-allow .button').first();
  await expect(allow).toHaveAttribute('aria-disabled', 'false');
}

/** The calls that the page made to its host, without what it reads by itself. */
export async function callsOf(page: Page): Promise<GalleryWindow['calls']> {
  return page.evaluate(() =>
    (window as unknown as GalleryWindow).calls.filter(
      ({ name, args }) =>
        ![
          'guide',
          'policy',
          'grants',
          'connectable',
          'historyStats',
          'reach',
          'modeBounds',
          'secrets',
          'nodes',
          'boxes',
          'attachBox',
          'readTerminal',
          'resizeTerminal',
        ].includes(name) &&
        // The last answers, where nothing waits.
        !(name === 'history' && (args as { readonly limit: number }).limit === 5),
    ),
  );
}

/** Takes every ask back, as the runner does when time runs out. */
export async function withdrawAll(page: Page): Promise<void> {
  await page.evaluate(() =>
    (window as unknown as GalleryWindow).pushState((state) => ({
      ...state,
      queue: [],
      missed: state.queue.map(({ ask }) => ({ ask, reason: 'expired', at: state.now })),
    })),
  );
}

export { expect };

/** The policy as the page has saved it. */
export async function savedPolicy(page: Page): Promise<PolicyDocument | null> {
  return page.evaluate(() => (window as unknown as GalleryWindow).savedPolicy());
}
