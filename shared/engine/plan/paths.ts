import type { FileView } from './types.ts';

/** Pure work on absolute POSIX paths. */

/** `path` seen from `base`, with `.`, `..` and doubled slashes taken out textually. */
export function joinPath(base: string, path: string): string {
  const parts: string[] = [];
  const whole = path.startsWith('/') ? path : `${base}/${path}`;
  for (const part of whole.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

export function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash <= 0 ? '/' : path.slice(0, slash);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Whether `path` is `directory` or lies below it. */
export function isBelow(path: string, directory: string): boolean {
  if (directory === '/') return path.startsWith('/');
  return path === directory || path.startsWith(`${directory}/`);
}

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
