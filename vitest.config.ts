import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { electron: new URL('./test/support/no-electron.ts', import.meta.url).pathname },
  },
  test: {
    // Real processes run what was built; once for all files.
    globalSetup: 'test/support/build.ts',
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    // Patience, not a measure: real processes on a busy machine. Outlasts every `expect.poll`.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
  },
});
