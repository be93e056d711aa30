import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { arm, expect, test } from '../support/gallery.ts';

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));

interface Shot {
  readonly name: string;
  readonly scenario: string;
  readonly view: string;
  readonly theme: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  readonly before?: (page: Page) => Promise<void>;
}

/** What docs/app.md shows. Taken anew with SCREENSHOTS=1, and looked at by a person before a commit. */
const shots: readonly Shot[] = [
  { name: 'prompt', scenario: 'risky', view: 'asks', theme: 'light', before: arm },
  { name: 'prompt-dark', scenario: 'low', view: 'asks', theme: 'dark', before: arm },
  {
    name: 'prompt-phone',
    scenario: 'risky',
    view: 'asks',
    theme: 'light',
    width: 360,
    before: arm,
  },
  { name: 'queue', scenario: 'queue', view: 'asks', theme: 'light', before: arm },
  {
    name: 'allowlist',
    scenario: 'records',
    view: 'allowlist',
    theme: 'light',
    before: async (page) => {
      await page.getByRole('combobox', { name: 'Agent' }).selectOption('claude');
      await page.getByRole('textbox', { name: 'Command' }).fill('git status -s');
      await page.clock.runFor(500);
      await expect(page.getByText('Would run')).toBeVisible();
    },
  },
  { name: 'calm', scenario: 'records', view: 'asks', theme: 'light' },
  { name: 'history-dark', scenario: 'records', view: 'history', theme: 'dark' },
  { name: 'nodes', scenario: 'nodes', view: 'nodes', theme: 'light', height: 480 },
  { name: 'gateways', scenario: 'severalGateways', view: 'nodes', theme: 'light', height: 790 },
  {
    name: 'node-policy',
    scenario: 'nodePolicy',
    view: 'nodes',
    theme: 'light',
    before: async (page) => {
      await page.getByRole('button', { name: 'Policy…: mac mini' }).click();
      await expect(page.getByText('/usr/bin/rsync')).toBeVisible();
    },
  },
  { name: 'node-ask', scenario: 'ofNode', view: 'asks', theme: 'light', height: 640, before: arm },
  { name: 'boxes', scenario: 'boxes', view: 'boxes', theme: 'light', height: 560 },
  { name: 'health', scenario: 'records', view: 'health', theme: 'light' },
  {
    name: 'lockout',
    scenario: 'plain',
    view: 'asks',
    theme: 'light',
    before: async (page) => {
      await page.getByRole('button', { name: 'Lock out', exact: true }).click();
      await expect(page.getByText('What the lockout did')).toBeVisible();
    },
  },
  { name: 'lockout-dark', scenario: 'locked', view: 'asks', theme: 'dark' },
];

const isTaking = process.env['SCREENSHOTS'] === '1';
/** Other specs look at the same states; only the way to some of them is the pictures' own. */
const tried = isTaking
  ? shots
  : shots.filter(({ before }) => before !== undefined && before !== arm);

for (const { name, scenario, view, theme, width = 1180, height = 780, before } of tried) {
  test(`the picture "${name}" shows what it says`, async ({ page, gallery }) => {
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await gallery.open(scenario, view);
    await gallery.pass(1000);
    await before?.(page);
    await expect(page.getByRole('button', { name: /^Lock(ed)? out$/ })).toBeInViewport();
    if (isTaking) await page.screenshot({ path: `${folder}${name}.png`, animations: 'disabled' });
  });
}
