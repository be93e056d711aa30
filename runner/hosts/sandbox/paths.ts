/** Words about absolute paths without `.`, `..` and a slash at the end. */

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Whether a path is a folder or lies in it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

export function overlaps(a: string, b: string): boolean {
  return isBelow(a, b) || isBelow(b, a);
}
