import type { FileView } from './types.ts';

/** Pure work on absolute POSIX paths. */

/** `path` seen from `base`, with `.`, `..` and doubled slashes taken out textually. */
export function joinPath(base: string, path: string): string {
  const whole = path.startsWith('/') ? path : `${base}/${path}`;
  if (whole.startsWith('/') && !/\/(?:$|\/|\.{1,2}(?:\/|$))/.test(whole)) return whole;
  const parts: string[] = [];
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

/** As long as kernels take a path. */
export const longestPath = 4096;

/**
 * The same, also in folders that are still to be made: the part of the path that exists with its
 * links followed, and the rest as written. Null where the rest climbs, where a link leads nowhere,
 * and for a path that is longer than any.
 */
export function futureTarget(files: FileView, cwd: string | null, path: string): string | null {
  if (path === '' || path.length > longestPath || path.includes('\0')) return null;
  if (!path.startsWith('/') && cwd === null) return null;
  const real = realTarget(files, cwd, path);
  if (real !== null) return real;
  const missing: string[] = [];
  let folder = path.startsWith('/') ? path : `${cwd === '/' ? '' : cwd}/${path}`;
  for (; folder !== '/'; folder = parentOf(folder)) {
    const there = files.realPath(folder);
    if (there !== null) return joinPath(there, missing.join('/'));
    const name = nameOf(folder);
    // The file system, not the text, would say where it leads.
    if (name === '..' || files.isLink(folder)) return null;
    missing.unshift(name);
  }
  return joinPath('/', missing.join('/'));
}
