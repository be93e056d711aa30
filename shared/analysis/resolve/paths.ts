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
