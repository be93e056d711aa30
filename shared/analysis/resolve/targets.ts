import type { FileView } from '../types.ts';
import { nameOf, parentOf } from './paths.ts';

/**
 * The file that a written path really leads to: symbolic links followed, also for a file that does
 * not exist yet in a directory that does. Null when it cannot be told: a missing directory, or a
 * link that leads nowhere, since writing to it would create what it names. `..` is taken by the
 * file system, not by the text.
 */
export function realTarget(files: FileView, cwd: string | null, path: string): string | null {
  if (path === '' || path.includes('\0')) return null;
  if (!path.startsWith('/') && cwd === null) return null;
  const whole = path.startsWith('/') ? path : `${cwd === '/' ? '' : cwd}/${path}`;
  const real = files.realPath(whole);
  if (real !== null) return real;
  const trimmed = whole.replace(/\/+$/, '');
  const name = nameOf(trimmed);
  if (name === '' || name === '.' || name === '..' || trimmed !== whole) return null;
  const parent = files.realPath(parentOf(trimmed));
  if (parent === null) return null;
  const target = `${parent === '/' ? '' : parent}/${name}`;
  return files.isLink(target) ? null : target;
}
