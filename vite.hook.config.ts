import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/**
 * The hook program, which hosts start on every use of a tool, as CommonJS in one file: Node finds
 * and loads that fastest (decision 13). What signs is a second file, read only where there is a key.
 */
export default defineConfig({
  publicDir: false,
  build: {
    outDir: here('dist/runner/hook'),
    // The compiler's own output lies there too.
    emptyOutDir: false,
    target: 'node20',
    ssr: here('runner/hook/main.ts'),
    minify: false,
    reportCompressedSize: false,
    rolldownOptions: {
      external: [...builtinModules, /^node:/],
      output: {
        format: 'cjs',
        entryFileNames: 'main.cjs',
        chunkFileNames: '[name].cjs',
      },
    },
  },
  ssr: { noExternal: true, target: 'node' },
});
