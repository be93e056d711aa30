import { expect, test } from '@playwright/test';
import { pushBetween } from '../../app/bridge/state-push.ts';
import type { AppState } from '../../app/bridge/types.ts';
import { behindPreload, origin } from './app-window.ts';

const state: AppState = {
  revision: 1,
  now: Date.now(),
  runner: { mode: 'armed', reason: null, running: 0, pending: 0, policyProblem: null },
  queue: [],
  missed: [],
  policy: { hash: '', problem: null },
};

const refusal = { code: 'invalid-request', message: 'Not in this stand-in.', hint: '' } as const;
const invoke = async (channel: string): Promise<unknown> =>
  channel === 'interlock:ready'
    ? { ok: true, value: state }
    : { ok: true, value: { ok: false, refusal } };

test('the page runs behind the preload and the headers of the app scheme', async ({ page }) => {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  await behindPreload(page, invoke);
  await page.goto(`${origin}/#/asks`);
  await expect(page.getByText('Armed').first()).toBeVisible();
  expect(errors).toEqual([]);
});

test('a state that the shell pushes is shown at once', async ({ page }) => {
  const { push } = await behindPreload(page, invoke);
  await page.goto(`${origin}/#/asks`);
  await expect(page.getByText('Armed').first()).toBeVisible();
  await push(pushBetween(state, { ...state, revision: 2, runner: null }));
  await expect(page.getByText('Runner not connected').first()).toBeVisible();
});
