import { test as base, expect } from '@playwright/test';
import type { Locator, Page } from '@playwright/test';
import { startInterlock } from './interlock.ts';
import type { Interlock } from './interlock.ts';

interface ConsoleFixtures {
  readonly interlock: Interlock;
  /** A page of the console, signed in, with the runner connected. */
  readonly approver: Page;
}

/** Specs over the real thing: runner, sockets, console and command line as they are shipped. */
export const test = base.extend<ConsoleFixtures>({
  // oxlint-disable-next-line no-empty-pattern
  interlock: async ({}, use) => {
    const interlock = await startInterlock();
    await use(interlock);
    await interlock.close();
  },
  approver: async ({ interlock, page }, use) => {
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text());
    });
    await page.goto(await interlock.openConsole());
    await expect(page).toHaveTitle('Armed · Interlock');
    await use(page);
    expect(complaints).toEqual([]);
  },
});

/** The command on screen. */
export function commandOn(page: Page): Locator {
  return page.locator('.command-text');
}

/** Waits until the prompt takes an allow, and clicks the button with this name. */
export async function allow(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  await expect(button).toHaveAttribute('aria-disabled', 'false');
  await button.click();
}

/** Waits until the prompt has settled, and denies. */
export async function deny(page: Page): Promise<void> {
  await expect(page.locator('.answers-allow .button').first()).toHaveAttribute(
    'aria-disabled',
    'false',
  );
  await page.getByRole('button', { name: /^Deny/ }).click();
}

export async function expectNothingWaiting(page: Page): Promise<void> {
  // A new home shows the first steps where otherwise nothing would be.
  const calm = page.getByRole('heading', { name: /^(Nothing waits for you|First steps)$/ });
  await expect(calm).toBeVisible();
}

export { expect };
