// @ts-check
import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../lib/root.mjs';

/** What packages of the command line are made of: what `npm pack` packs, and what it needs to run. */

/** Packages that only the app needs, and what builds a package that is there as a binary. */
const without = new Set(['electron-updater', 'keytar', 'node-addon-api', 'node-gyp-build']);

/** Parts of packages that are sources of what lies beside them, or that Node never loads. */
const unused = {
  // For another C library than the one beside it.
  '@koromix/koffi-linux-x64': ['musl_x64'],
  '@koromix/koffi-linux-arm64': ['musl_arm64'],
  koffi: ['vendor', 'lib', 'doc', 'cnoke.cjs', 'CMakeLists.txt', 'binding.gyp'],
  'tree-sitter-bash': ['src', 'bindings', 'queries', 'prebuilds', 'grammar.js', 'binding.gyp'],
  'web-tree-sitter': ['debug', 'lib', 'src'],
};

/** @returns {{ version: string, dependencies: Record<string, string> }} */
export function manifest() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
}

/**
 * When this was made, in seconds since 1970: SOURCE_DATE_EPOCH where it is set, else the time of the
 * last commit, so that the same sources make the same package.
 */
export function sourceDate() {
  const { SOURCE_DATE_EPOCH: set = '' } = process.env;
  if (/^\d+$/u.test(set)) return Number(set);
  const args = ['log', '-1', '--format=%ct'];
  return Number(execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim());
}

/**
 * Lays the files of the npm package into a folder, with what it depends on in `node_modules`.
 *
 * @param {string} target
 */
export function layTree(target) {
  const place = mkdtempSync(join(tmpdir(), 'interlock-pack-'));
  try {
    const args = ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', place];
    execFileSync('npm', args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    const archive = readdirSync(place).find((name) => name.endsWith('.tgz')) ?? 'none';
    execFileSync('tar', ['-xzf', join(place, archive), '-C', place]);
    cpSync(join(place, 'package'), target, { recursive: true });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  for (const name of neededPackages()) layPackage(name, target);
}

/**
 * @param {string} name
 * @param {string} target
 */
function layPackage(name, target) {
  const from = join(root, 'node_modules', name);
  const left = Object.entries(unused).find(([one]) => one === name)?.[1] ?? [];
  cpSync(from, join(target, 'node_modules', name), {
    recursive: true,
    filter: (path) => {
      const inside = path.slice(from.length + 1);
      if (/(?:^|\/)(?:node_modules|test|tests|example|examples|\.[^/]+)(?:\/|$)/u.test(inside))
        return false;
      if (/\.(?:md|markdown|ts|mts|cts|map|c|cc|h)$/iu.test(inside))
        return /licen[cs]e/iu.test(inside);
      return !left.includes(inside.split('/')[0] ?? '');
    },
  });
}

/** The packages that the command line loads, with all that those need, by the lockfile. */
export function neededPackages() {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  /** @type {Set<string>} */
  const found = new Set();
  const waiting = Object.keys(manifest().dependencies).filter((name) => !without.has(name));
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name) || without.has(name)) continue;
    const entry = lock.packages[`node_modules/${name}`];
    // A package for another machine is not here.
    if (
      entry === undefined ||
      lstatSync(join(root, 'node_modules', name), { throwIfNoEntry: false }) === undefined
    )
      continue;
    found.add(name);
    waiting.push(...Object.keys({ ...entry.dependencies, ...entry.optionalDependencies }));
  }
  return [...found].toSorted();
}
