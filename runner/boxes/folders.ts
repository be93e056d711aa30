import { realpathSync, statSync } from 'node:fs';
import { displayPlain } from '../../shared/base/index.ts';
import { BoxError, boxExit } from './errors.ts';

/** The real folder of a workspace. */
export function folderAt(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // Said below.
  }
  throw new BoxError(
    boxExit.failed,
    `There is no folder ${displayPlain(path)}.`,
    'Name a folder with --workspace.',
  );
}

/** Whether no link leads from this path to another folder. */
export function isSameFolder(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}

/** Throws where a link has come into the path since: whoever put it there would choose what the box writes. */
export function requireSameFolder(path: string): void {
  if (isSameFolder(path)) return;
  throw new BoxError(
    boxExit.failed,
    `${displayPlain(path)} leads to another folder than when the box was made.`,
    'Put the folder back, or end the box with "interlock box down" and make it anew.',
  );
}

/** Whether any of these is there. */
export function existsAny(paths: readonly string[]): boolean {
  return paths.some((path) => statSync(path, { throwIfNoEntry: false }) !== undefined);
}
