import { lstatSync, mkdirSync } from 'node:fs';
import { refuse } from '../../refusal/refusal.ts';

/**
 * Makes a 0700 directory (and the parents it lacks), or checks the one that is there. Throws a
 * `config-invalid` refusal for a symlink, a foreign owner, a loose mode or another kind of file; it
 * never changes the mode of something that it did not make.
 */
export function ensurePrivateDirectory(path: string, options: { readonly uid: number }): void {
  mkdirQuietly(path);
  const stats = lstatSync(path);
  const why = stats.isSymbolicLink()
    ? 'is a symbolic link'
    : stats.isDirectory()
      ? directoryObjection(stats, options.uid)
      : 'is not a directory';
  if (why === null) return;
  throw refuse(
    'config-invalid',
    `${path} ${why}.`,
    `Run: chmod 700 ${path} — or move it away and start again.`,
  );
}

function directoryObjection(
  stats: { readonly uid: number; readonly mode: number },
  uid: number,
): string | null {
  if (process.platform === 'win32') return null;
  if (stats.uid !== uid) return `belongs to another user (uid ${stats.uid})`;
  if ((stats.mode & 0o077) === 0) return null;
  return `can be used by others (mode ${(stats.mode & 0o777).toString(8)})`;
}

function mkdirQuietly(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'EEXIST') throw error;
  }
}
