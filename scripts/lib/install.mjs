// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { requireSuccess, run } from './run.mjs';

/**
 * @typedef {{ readonly version?: string, readonly optional?: boolean, readonly devOptional?: boolean, readonly peer?: boolean }} LockedPackage
 * @typedef {{ readonly packages: Readonly<Record<string, LockedPackage>> }} Lock
 */

/**
 * Whether what is installed is what the lockfile says. Packages for other platforms and optional
 * ones may be missing.
 *
 * @param {Lock} wanted content of package-lock.json
 * @param {Lock} installed content of node_modules/.package-lock.json
 */
export function fitsLock(wanted, installed) {
  return Object.entries(wanted.packages).every(([path, { version, optional, devOptional }]) => {
    if (path === '') return true;
    const there = installed.packages[path];
    return there === undefined
      ? optional === true || devOptional === true
      : there.version === version;
  });
}

/** Installs with `npm ci` when node_modules is missing or does not fit the lockfile. */
export async function installIfNeeded() {
  const marker = join(root, 'node_modules', '.package-lock.json');
  if (existsSync(marker) && fitsLock(readLock(join(root, 'package-lock.json')), readLock(marker)))
    return;
  console.log('Installing what package-lock.json lists …');
  requireSuccess(
    await run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']),
    'The installation failed; npm says why above. Then try again.',
  );
}

/**
 * @param {string} path
 * @returns {Lock}
 */
function readLock(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
