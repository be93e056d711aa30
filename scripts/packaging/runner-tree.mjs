import { chmodSync, cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asar from '@electron/asar';

/** What the runner and the command line need, the console and the terminal included. */
const wanted = [
  'package.json',
  'LICENSE',
  'node_modules',
  'dist/chunks',
  'dist/runner',
  'dist/app/console',
  'dist/app/terminal',
  'dist/renderer',
  'dist/rpc',
  'dist/schemas',
  'assets/advisors',
  'assets/agents',
  'assets/rpc',
  'assets/service',
  'assets/tools',
];

const launcher = fileURLToPath(new URL('../../assets/bin/interlock', import.meta.url));

/**
 * Runs after the app is packed, and before it is signed: copies the runner out of the archive into
 * `resources/runner`, as plain files that Node can run where there is no display. It is the code
 * that was packed, and a part that is missing fails the build.
 */
export function afterPack(context) {
  const resources = context.packager.getResourcesDir(context.appOutDir);
  const target = join(resources, 'runner');
  const unpacked = join(resources, '.runner-tree');
  asar.extractAll(join(resources, 'app.asar'), unpacked);
  // Made for Linux alone.
  const native = context.electronPlatformName === 'linux' ? ['dist/native'] : [];
  for (const path of [...wanted, ...native])
    cpSync(join(unpacked, path), join(target, path), { recursive: true });
  rmSync(unpacked, { recursive: true });
  mkdirSync(join(target, 'bin'));
  cpSync(launcher, join(target, 'bin', 'interlock'));
  chmodSync(join(target, 'bin', 'interlock'), 0o755);
}
