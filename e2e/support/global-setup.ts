import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { electronBinary, projectRoot } from '../electron/binary.ts';

/** Builds the gallery, checks that the product is built, and says what will not be tested. */
export default async function globalSetup(): Promise<void> {
  if (!existsSync(join(projectRoot, 'dist/renderer/index.html'))) {
    throw new Error('dist/ is not built. Run "npm run build" first.');
  }
  await build({
    configFile: join(projectRoot, 'vite.config.ts'),
    mode: 'gallery',
    logLevel: 'warn',
  });
  const electron = electronBinary();
  if ('path' in electron) return;
  const sentence = `NOT TESTED: the Electron window, because ${electron.missing}.`;
  if (process.env['REQUIRE_ELECTRON'] === '1') throw new Error(sentence);
  console.log(sentence);
}
