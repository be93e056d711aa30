// @ts-check
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run, runTool } from './run.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Whether a Chromium of the system can be found. */
export function hasSystemChromium() {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))));
}

/** Installs Chromium: the system's package where we may, else the one that Playwright brings. */
export async function installChromiumIfNeeded() {
  if (hasSystemChromium()) return;
  console.log('Installing Chromium for the browser tests …');
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    const quietly = { DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update', '-qq'], quietly);
    if (
      (await run(
        'apt-get',
        ['install', '-y', '-qq', '--no-install-recommends', 'chromium'],
        quietly,
      )) === 0
    )
      return;
  }
  await runTool('playwright/cli.js', ['install', 'chromium']);
}
