import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ElectronSearch {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly packageRoot: string;
}

/**
 * Absolute path of the Electron binary, or null. `ELECTRON_PATH` wins; else the `electron` package
 * says in `path.txt` where its own lies. The package itself is never imported: it would start a
 * download.
 */
export function findElectron({ env, packageRoot }: ElectronSearch): string | null {
  const wanted = env['ELECTRON_PATH'];
  if (wanted !== undefined && wanted !== '') return existsSync(wanted) ? wanted : null;
  const folder = join(packageRoot, 'node_modules', 'electron');
  try {
    const binary = join(folder, 'dist', readFileSync(join(folder, 'path.txt'), 'utf8').trim());
    return existsSync(binary) ? binary : null;
  } catch {
    return null;
  }
}

/** Whether a window could be shown: on Linux a display server must be named. */
export function hasDisplay(
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): boolean {
  if (platform !== 'linux') return true;
  return Boolean(env['DISPLAY'] ?? '') || Boolean(env['WAYLAND_DISPLAY'] ?? '');
}
