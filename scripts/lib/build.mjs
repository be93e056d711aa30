// @ts-check
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { requireSuccess, run, runTool } from './run.mjs';

/** What the bundles are made of, and of what they are made with. */
const sources = [
  'shared',
  'runner',
  'app',
  'demo',
  'test/bench',
  'test/vm',
  'test/fixtures',
  'test/support',
  'scripts/bundle.mjs',
  'package.json',
  'vite.config.ts',
];
const stamp = join(root, 'dist', '.built');

/** Bundles programs and page, and leaves a stamp. Types are not checked: `npm run typecheck`. */
export async function build() {
  // Whoever builds may have another one set, as test runners do; React would then bring its
  // development build, with paths of this machine in it.
  const env = { NODE_ENV: 'production' };
  const [programs, page] = await Promise.all([
    run(process.execPath, ['scripts/bundle.mjs'], env),
    runTool('vite/bin/vite.js', ['build', '--logLevel', 'warn'], env),
  ]);
  requireSuccess(programs, 'The build of the programs failed; Vite says why above.');
  requireSuccess(page, 'The build of the page failed; Vite says why above.');
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
