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
  'scripts/lib/code-cache.mjs',
  'scripts/lib/code-of-programs.mjs',
  'scripts/packaging',
  'docs/configuration.md',
  'docs/rules.md',
  'docs/shared-folder.md',
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
  buildNative();
  writeFileSync(stamp, '');
}

const native = [
  {
    name: 'interlock-launcher',
    from: join(root, 'runner', 'hosts', 'sandbox', 'launcher'),
    without: 'the sandbox has no launcher, and runs nothing',
  },
  {
    name: 'interlock-client',
    from: join(root, 'runner', 'client'),
    without: 'agents start Node for each call',
  },
];
export const nativeFlags = ['-std=c11', '-O2', '-Wall', '-Wextra', '-Werror', '-Wshadow'];

/**
 * Compiles the launcher of the sandbox and the client that agents start, with the machine's own
 * compiler: static where the C library allows it, for they then start faster. Without a launcher there
 * is no sandbox, as `interlock sandbox status` says; without a client Node does the same. A package
 * carries those that it was built with, and is not built again.
 */
export function buildNative() {
  if (process.platform !== 'linux') return;
  const folder = join(root, 'dist', 'native');
  mkdirSync(folder, { recursive: true });
  for (const { name, from, without } of native) {
    if (!compile(join(folder, name), from))
      console.log(`No C compiler (cc) works here: ${without}.`);
  }
}

/**
 * Answers whether there is one of these sources then. An older one would speak another language.
 *
 * @param {string} target
 * @param {string} from
 */
function compile(target, from) {
  if (existsSync(target) && statSync(target).mtimeMs > newest(from)) return true;
  const files = readdirSync(from)
    .filter((name) => name.endsWith('.c'))
    .map((name) => join(from, name));
  const made = `${target}.${process.pid}`;
  for (const how of [['-static'], []]) {
    const { status } = spawnSync('cc', [...nativeFlags, ...how, '-o', made, ...files], {
      stdio: 'ignore',
    });
    if (status !== 0) continue;
    renameSync(made, target);
    return true;
  }
  rmSync(made, { force: true });
  rmSync(target, { force: true });
  return false;
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
