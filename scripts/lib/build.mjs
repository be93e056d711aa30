// @ts-check
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
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
  buildLauncher();
  writeFileSync(stamp, '');
}

const launcherSources = join(root, 'runner', 'hosts', 'sandbox', 'launcher');
export const launcherFlags = ['-std=c11', '-O2', '-Wall', '-Wextra', '-Werror', '-Wshadow'];

/**
 * Compiles the launcher of the sandbox with the machine's own compiler: static where the C library
 * allows it, for it then starts faster. Without a compiler one that came with the package stays, and
 * without that there is no sandbox: `interlock sandbox status` says so.
 */
export function buildLauncher() {
  if (process.platform !== 'linux') return;
  const folder = join(root, 'dist', 'native');
  const target = join(folder, 'interlock-launcher');
  if (existsSync(target) && statSync(target).mtimeMs > newest(launcherSources)) return;
  mkdirSync(folder, { recursive: true });
  const files = readdirSync(launcherSources)
    .filter((name) => name.endsWith('.c'))
    .map((name) => join(launcherSources, name));
  const made = `${target}.${process.pid}`;
  for (const how of [['-static'], []]) {
    const { status } = spawnSync('cc', [...launcherFlags, ...how, '-o', made, ...files], {
      stdio: 'ignore',
    });
    if (status !== 0) continue;
    renameSync(made, target);
    return;
  }
  rmSync(made, { force: true });
  if (!existsSync(target))
    console.log('No C compiler (cc) works here: the sandbox has no launcher, and runs nothing.');
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
