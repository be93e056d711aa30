// @ts-check
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildIfNeeded } from './build.mjs';
import { installIfNeeded } from './install.mjs';
import { root } from './root.mjs';

/**
 * Installs and builds where needed, then becomes a program of dist: no process of our own stands
 * between it and the terminal's signals.
 *
 * @param {string} script path below dist
 * @param {readonly string[]} args
 */
export async function become(script, args) {
  await installIfNeeded();
  await buildIfNeeded();
  const path = join(root, 'dist', script);
  process.argv = [process.execPath, path, ...args];
  await import(pathToFileURL(path).href);
}
