import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** What a person gets who types `interlock`. */
export type OnPath =
  { readonly kind: 'ours' | 'strange'; readonly file: string } | { readonly kind: 'missing' };

/** Where the command line of a package lies. */
export function commandLineOf(packageRoot: string): string {
  return join(packageRoot, 'dist', 'runner', 'cli', 'main.js');
}

/**
 * Looks a program up in PATH, as a shell does: the first file that can be executed counts; null for
 * none. Parts of PATH that are not absolute are left out: they lead into whatever folder one is in.
 */
export function programOnPath(name: string, path: string): string | null {
  for (const folder of path.split(delimiter).filter(isAbsolute)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      if (statSync(file).isFile()) return file;
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

/** What stands behind our own name in PATH. */
export function commandOnPath(
  env: Readonly<Record<string, string | undefined>>,
  packageRoot: string,
): OnPath {
  const file = programOnPath('interlock', env['PATH'] ?? '');
  if (file === null) return { kind: 'missing' };
  return { kind: isSame(file, commandLineOf(packageRoot)) ? 'ours' : 'strange', file };
}

function isSame(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

/** What to type to reach this very Interlock: its name where PATH leads to it, else its path. */
export function commandToType(
  env: Readonly<Record<string, string | undefined>>,
  packageRoot: string,
): string {
  return commandOnPath(env, packageRoot).kind === 'ours'
    ? 'interlock'
    : `node ${commandLineOf(packageRoot)}`;
}
