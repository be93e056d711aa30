import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { electron: new URL('./test/support/no-electron.ts', import.meta.url).pathname },
  },
  test: {
    include: ['test/**/*.test.ts', 'test/**/*.test.tsx'],
    testTimeout: 20_000,
    maxWorkers: 2,
  },
});
