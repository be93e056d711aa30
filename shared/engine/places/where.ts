import type { PlaceFiles } from './types.ts';

/** More links than this on one way are a circle. */
const mostLinks = 40;

/**
 * Where an absolute path leads when it is opened for writing: links followed, `..` as the file system
 * takes it, also for files and folders that are not there yet. A link that leads nowhere leads to what
 * it names where the view can tell, else null.
 */
export function whereItLeads(files: PlaceFiles, path: string): string | null {
  if (path.includes('\0')) return null;
  let rest = path;
  for (let links = 0; links < mostLinks; links += 1) {
    const real = files.realPath(rest);
    if (real !== null) return real;
    const { folder, missing } = nearest(files, rest);
    if (folder === null) return null;
    const [first, ...further] = missing;
    if (first === undefined) return folder;
    const next = join(folder, first);
    if (!files.isLink(next)) return missing.includes('..') ? null : join(folder, ...missing);
    const target = files.readLink?.(next) ?? null;
    if (target === null) return null;
    rest = [target.startsWith('/') ? target : join(folder, target), ...further].join('/');
  }
  return null;
}

/** The deepest folder on the way that is there, and the names behind it. */
function nearest(
  files: PlaceFiles,
  path: string,
): { readonly folder: string | null; readonly missing: readonly string[] } {
  const slash = path.lastIndexOf('/');
  const last = path.slice(slash + 1);
  if (slash > 0 && last !== '' && last !== '.') {
    const folder = files.realPath(path.slice(0, slash));
    if (folder !== null) return { folder, missing: [last] };
  }
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  for (let there = names.length - 1; there >= 0; there -= 1) {
    const folder = files.realPath(`/${names.slice(0, there).join('/')}`);
    if (folder !== null) return { folder, missing: names.slice(there) };
  }
  return { folder: null, missing: names };
}

function join(folder: string, ...names: readonly string[]): string {
  return `${folder === '/' ? '' : folder}/${names.join('/')}`;
}
