import { fileURLToPath } from 'node:url';
import { findElectron, hasDisplay } from '../../shared/operations/index.ts';

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** The Electron binary that the specs can run, or a sentence's end that says why there is none. */
export type ElectronBinary = { readonly path: string } | { readonly missing: string };

/**
 * Looks for the binary by `ELECTRON_PATH`, else by the `path.txt` of the `electron` package. The
 * package is never imported: that would start a download.
 */
export function electronBinary(
  env: Readonly<Record<string, string | undefined>> = process.env,
): ElectronBinary {
  const path = findElectron({ env, packageRoot: projectRoot });
  if (path === null) {
    const named = env['ELECTRON_PATH'];
    return {
      missing:
        named === undefined || named === ''
          ? 'its binary is not installed'
          : `ELECTRON_PATH names no file: ${named}`,
    };
  }
  return hasDisplay(env, process.platform) ? { path } : { missing: 'there is no display' };
}
