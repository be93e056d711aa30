import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { displayPlain, refuse } from '../base/index.ts';

/**
 * The real path of a folder that rules are to be bound to. `written` is taken from `cwd`; `home` is the
 * person's own folder. Throws `invalid-request` for one that is not there, and for one that would be no
 * bound: `/`, the home, what holds it.
 */
export function projectFolder(
  written: string,
  { cwd, home }: { readonly cwd: string; readonly home: string },
): string {
  const path = resolve(cwd, written);
  const folder = realOf(path);
  if (folder === null)
    throw refuse(
      'invalid-request',
      `${displayPlain(path)} is not there.`,
      'Name the folder of a project.',
    );
  const above = realOf(home) ?? home;
  if (folder === sep || above === folder || above.startsWith(`${folder}${sep}`))
    throw refuse(
      'invalid-request',
      `${displayPlain(folder)} is too wide for a starter: it holds more than one project.`,
      'Name the folder of one project, as in ~/src/app.',
    );
  return folder;
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
