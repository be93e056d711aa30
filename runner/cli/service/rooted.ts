import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import type { Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../failure.ts';

/** Who may change a file: the part of `Stats` that says so. */
type Owned = Pick<Stats, 'uid' | 'mode'>;

/**
 * Throws unless only root can change what the service would run: the program's file, all of the
 * package, and every folder on the way there. An agent that can write there would be the runner.
 */
export function requireRootedCode(code: {
  readonly node: string;
  readonly packageRoot: string;
}): void {
  const root = realpathSync(code.packageRoot);
  const wrong =
    wayTo(realpathSync(code.node)).find(isOthers) ??
    wayTo(root).find(isOthers) ??
    below(root, root);
  if (wrong === undefined || wrong === null) return;
  throw new CliError(
    `${wrong} can be changed by others than root, and the service would run it.`,
    'Install Node and Interlock where only root writes, and call that one: /usr/local/bin/interlock service install --system',
  );
}

/** The path and every folder above it. */
function wayTo(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...wayTo(above)];
}

function isOthers(path: string): boolean {
  return isWritableByOthers(lstatSync(path));
}

/** Whether anybody but root owns it or may write to it. Exported for its test. */
export function isWritableByOthers({ uid, mode }: Owned): boolean {
  return uid !== 0 || (mode & 0o022) !== 0;
}

/** The first thing below a folder that others can change, or that leads out of the package. */
function below(folder: string, root: string): string | null {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) {
      if (leadsOut(path, root)) return path;
    } else if (isOthers(path)) return path;
    else if (entry.isDirectory()) {
      const found = below(path, root);
      if (found !== null) return found;
    }
  }
  return null;
}

function leadsOut(link: string, root: string): boolean {
  try {
    return !realpathSync(link).startsWith(`${root}/`);
  } catch {
    return false;
  }
}
