import { defineConfig } from '@playwright/test';
import { quickBrowser } from './e2e/support/browsers.ts';

export default defineConfig({
  testDir: 'e2e',
  globalSetup: './e2e/support/global-setup.ts',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 2,
  // A machine that runs everything at once is slow; nothing here measures time.
  timeout: 90_000,
  expect: { timeout: 15_000 },
  // A second try is told by the summary; a test that fails twice has failed.
  retries: process.env['CI'] === undefined ? 0 : 1,
  forbidOnly: process.env['CI'] !== undefined,
  reporter: 'list',
  use: {
    browserName: 'chromium',
    headless: true,
    locale: 'en-GB',
    trace: 'off',
    actionTimeout: 15_000,
    launchOptions: quickBrowser,
  },
});
