import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * The pages of the approver. `--mode gallery` builds the gallery of canned states beside the app,
 * for design work and for the visual specs; it is never part of a release.
 */
export default defineConfig(({ mode }) => {
  const gallery = mode === 'gallery';
  return {
    root: here(gallery ? 'e2e/gallery-page' : 'app/renderer'),
    base: './',
    publicDir: here('app/renderer/icons'),
    plugins: [react()],
    build: {
      outDir: here(gallery ? 'dist/gallery' : 'dist/renderer'),
      emptyOutDir: true,
      target: ['chrome125', 'firefox125', 'safari17.5'],
      cssTarget: ['chrome125', 'firefox125', 'safari17.5'],
      // The content security policy knows neither data: URLs nor inline scripts.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // It comes from this machine, where no network waits for it: no word about it at each build.
      chunkSizeWarningLimit: 2_000,
      license: { fileName: 'licenses.txt' },
      rolldownOptions: {
        input: gallery
          ? { index: here('e2e/gallery-page/index.html') }
          : {
              index: here('app/renderer/index.html'),
              'notify-worker': here('app/renderer/notify/worker.ts'),
              'device-worker': here('app/renderer/device/worker.ts'),
            },
        // A worker is known by its address, which has to stay.
        output: {
          entryFileNames: ({ name }) =>
            name.endsWith('-worker') ? '[name].js' : 'assets/[name]-[hash].js',
        },
      },
    },
  };
});
