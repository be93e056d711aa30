// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { requireSuccess, run } from './run.mjs';

/**
 * @typedef {{ readonly version?: string, readonly optional?: boolean, readonly devOptional?: boolean, readonly peer?: boolean, readonly os?: readonly string[], readonly cpu?: readonly string[], readonly libc?: readonly string[] }} LockedPackage
 * @typedef {{ readonly packages: Readonly<Record<string, LockedPackage>> }} Lock
 */

const folder = 'node_modules/';

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

/**
 * What to have npm install so that no package made for this machine is missing, as `name@version`;
 * nothing where none is. To npm they are optional, because no machine needs those of another, so
 * `npm ci --omit=optional` leaves out the very compilers. What is really optional names no system and
 * no processor. Optional ones that are installed are named, too: npm would take them away.
 *
 * @param {Lock} wanted content of package-lock.json
 * @param {(path: string) => boolean} isThere whether a folder of the lockfile is installed
 * @param {{ readonly os: string, readonly cpu: string, readonly libc: string }} machine
 * @returns {readonly string[]}
 */
export function neededForMachine(wanted, isThere, machine) {
  const missing = new Set();
  const kept = new Set();
  for (const [path, { version, optional, devOptional, os, cpu, libc }] of Object.entries(
    wanted.packages,
  )) {
    if (version === undefined) continue;
    const name = path.slice(path.lastIndexOf(folder) + folder.length);
    const isMade =
      os?.includes(machine.os) === true &&
      cpu?.includes(machine.cpu) === true &&
      libc?.includes(machine.libc) !== false;
    if (!isThere(path)) {
      if (isMade) missing.add(`${name}@${version}`);
    } else if ((optional === true || devOptional === true) && path === folder + name)
      kept.add(`${name}@${version}`);
  }
  return missing.size === 0 ? [] : [...missing, ...kept];
}

const quietly = ['--no-audit', '--no-fund', '--loglevel=error'];
const failed = 'The installation failed; npm says why above. Then try again.';

/**
 * Installs with `npm ci` when node_modules is missing or does not fit the lockfile, and what was
 * made for this machine when that was left out.
 */
export async function installIfNeeded() {
  const marker = join(root, 'node_modules', '.package-lock.json');
  const wanted = readLock(join(root, 'package-lock.json'));
  if (!existsSync(marker) || !fitsLock(wanted, readLock(marker))) {
    console.log('Installing what package-lock.json lists …');
    requireSuccess(await run('npm', ['ci', ...quietly]), failed);
  }
  const needed = neededForMachine(wanted, (path) => existsSync(join(root, path)), thisMachine());
  if (needed.length === 0) return;
  console.log('Installing what the build needs on this machine …');
  const only = ['--no-save', '--omit=optional', '--ignore-scripts', '--prefer-offline'];
  requireSuccess(await run('npm', ['install', ...only, ...quietly, ...needed]), failed);
}

function thisMachine() {
  const { header } = /** @type {{ header: Record<string, unknown> }} */ (
    process.report.getReport()
  );
  const libc = header['glibcVersionRuntime'] === undefined ? 'musl' : 'glibc';
  return { os: process.platform, cpu: process.arch, libc };
}

/**
 * @param {string} path
 * @returns {Lock}
 */
function readLock(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
