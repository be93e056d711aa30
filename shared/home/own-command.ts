import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** What a person gets who types `interlock`. */
export type OnPath =
  { readonly kind: 'ours' | 'strange'; readonly file: string } | { readonly kind: 'missing' };

/** Where the command line of a package lies. */
export function commandLineOf(packageRoot: string): string {
  return join(packageRoot, 'dist', 'runner', 'cli', 'main.js');
}

/** Looks the command up in PATH, as a shell does: the first that can be executed counts. */
export function commandOnPath(
  env: Readonly<Record<string, string | undefined>>,
  packageRoot: string,
): OnPath {
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(isAbsolute)) {
    const file = join(folder, 'interlock');
    try {
      accessSync(file, constants.X_OK);
    } catch {
      continue;
    }
    return { kind: isSame(file, commandLineOf(packageRoot)) ? 'ours' : 'strange', file };
  }
  return { kind: 'missing' };
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
