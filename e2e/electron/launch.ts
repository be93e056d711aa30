import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { test as base } from '@playwright/test';
import type { ElectronApplication, Page } from '@playwright/test';
import { electronBinary, projectRoot } from './binary.ts';

export interface Launched {
  readonly app: ElectronApplication;
  readonly window: Page;
  readonly home: string;
  /** Runs the command line in the same home. */
  readonly interlock: (...args: readonly string[]) => ReturnType<typeof spawnSync>;
}

const cli = join(projectRoot, 'dist', 'runner', 'cli', 'main.js');

/** A test with the real app, in a home of its own. Skipped where the binary is missing. */
export const test = base.extend<{ readonly launched: Launched }>({
  launched: async ({ playwright }, use, testInfo) => {
    const binary = electronBinary();
    if ('missing' in binary) {
      testInfo.skip(true, `the Electron window, because ${binary.missing}`);
      return;
    }
    const home = mkdtempSync(join(tmpdir(), 'interlock-electron-'));
    const env = { ...process.env, INTERLOCK_HOME: home } as Record<string, string>;
    const interlock = (...args: readonly string[]) =>
      spawnSync(process.execPath, [cli, ...args], { env, encoding: 'utf8' });
    interlock('init', '--host', 'gateway');
    const root = process.geteuid?.() === 0;
    const { _electron: electron } = playwright;
    const app = await electron.launch({
      executablePath: binary.path,
      args: [...(root ? ['--no-sandbox'] : []), projectRoot],
      env,
    });
    try {
      await use({ app, window: await app.firstWindow(), home, interlock });
    } finally {
      await app.close();
      rmSync(home, { recursive: true, force: true });
    }
  },
});

export { expect } from '@playwright/test';
