// @ts-check
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { requireSuccess, runTool } from './run.mjs';

/** What is compiled; tests and the page's types are checked elsewhere. */
const projects = ['runner', 'app/console', 'app/terminal', 'app/electron', 'demo'];
const sources = [
  'shared',
  'runner',
  'app',
  'demo',
  'package.json',
  'tsconfig.base.json',
  'vite.config.ts',
  'vite.hook.config.ts',
];
const hookProgram = ['--config', 'vite.hook.config.ts'];
const stamp = join(root, 'dist', '.built');

/** Compiles programs, page and hook program, and leaves a stamp. */
export async function build() {
  requireSuccess(
    await runTool('typescript/bin/tsc', ['-b', ...projects]),
    'The build failed: the compiler says why above.',
  );
  requireSuccess(
    await runTool('vite/bin/vite.js', ['build', '--logLevel', 'warn']),
    'The build of the page failed; Vite says why above.',
  );
  requireSuccess(
    await runTool('vite/bin/vite.js', ['build', ...hookProgram, '--logLevel', 'warn']),
    'The build of the hook program failed; Vite says why above.',
  );
  writeFileSync(stamp, '');
}

/** Builds when nothing was built yet, or a source is newer than the last build. */
export async function buildIfNeeded() {
  const builtAt = existsSync(stamp) ? statSync(stamp).mtimeMs : 0;
  if (sources.every((source) => newest(join(root, source)) <= builtAt)) return;
  console.log('Building …');
  await build();
}

/**
 * Time of the last change at or below a path, in milliseconds since the epoch.
 *
 * @param {string} path
 * @returns {number}
 */
function newest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}
