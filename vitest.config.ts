import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** They look at their own process as a whole, or set its engine: what is loaded, how often code ran, what is open. */
const ownProcess = [
  'test/engine/plan/growth.test.ts',
  'test/engine/redact/linear.test.ts',
  'test/ipc/transport/leak.test.ts',
  'test/runner/service/start-failure.test.ts',
];

/**
 * Files that need a process of their own: those above, and what mocks a module, which others have
 * loaded by then. All others share one a worker, so that the product is evaluated once and not for
 * each of some 250 files.
 */
const isolated = [
  ...ownProcess,
  ...readdirSync(join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((name) => /\.test\.tsx?$/.test(name) && !ownProcess.includes(name))
    .filter((name) =>
      /\bvi\.(?:do)?mock\(/i.test(readFileSync(join(import.meta.dirname, name), 'utf8')),
    ),
];

export default defineConfig({
  resolve: {
    alias: { electron: new URL('./test/support/no-electron.ts', import.meta.url).pathname },
  },
  test: {
    // Real processes run what was built; once for all files.
    globalSetup: 'test/support/build.ts',
    // Patience, not a measure: several real processes on a busy machine. Outlasts every `expect.poll`.
    testTimeout: 90_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    projects: [
      { extends: true, test: { name: 'isolated', include: isolated } },
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.{ts,tsx}'],
          exclude: isolated,
          isolate: false,
        },
      },
    ],
  },
});
