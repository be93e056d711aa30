import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Where the Electron binary is, or a sentence that says why there is none. Electron is not loaded. */
function electronBinary(): { readonly path: string } | { readonly missing: string } {
  const named = process.env['ELECTRON_PATH'];
  if (named !== undefined && named !== '') {
    return existsSync(named)
      ? { path: named }
      : { missing: `ELECTRON_PATH names no file: ${named}` };
  }
  const folder = join(root, 'node_modules/electron');
  const pathFile = join(folder, 'path.txt');
  if (!existsSync(pathFile)) return { missing: 'its binary is not installed' };
  const path = join(folder, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(path) ? { path } : { missing: `${dirname(path)} is empty` };
}

/** Builds the gallery, checks that the product is built, and says what will not be tested. */
export default async function globalSetup(): Promise<void> {
  if (!existsSync(join(root, 'dist/renderer/index.html'))) {
    throw new Error('dist/ is not built. Run "npm run build" first.');
  }
  await build({ configFile: join(root, 'vite.config.ts'), mode: 'gallery', logLevel: 'warn' });
  const electron = electronBinary();
  if ('path' in electron) return;
  const sentence = `NOT TESTED: the Electron window, because ${electron.missing}.`;
  if (process.env['REQUIRE_ELECTRON'] === '1') throw new Error(sentence);
  console.log(sentence);
}
