import type {
  PlaceContext,
  PlaceFiles,
  PlaceMachine,
} from '../../../shared/engine/places/types.ts';

export const home = '/home/u';
export const project = '/home/u/src/app';

/** A machine whose files are not looked at, unless a test brings some. */
export function contextWith(
  machine: Partial<PlaceMachine> = {},
  context: Partial<PlaceContext> = {},
): PlaceContext {
  return {
    machine: {
      home,
      platform: 'linux',
      temporary: [],
      path: ['/usr/bin', '/home/u/tools'],
      known: [],
      files: null,
      ...machine,
    },
    cwd: project,
    projects: [],
    ...context,
  };
}

interface FakeFile {
  readonly inode: number;
  readonly device?: number;
  readonly link?: string;
  readonly text?: string;
  /** Permission bits; the owner is root where they are given. */
  readonly mode?: number;
}

/** A file system of a few absolute paths; a folder is there when something in it is. */
export function fakeFiles(files: Readonly<Record<string, FakeFile>>): PlaceFiles {
  const isFolder = (path: string): boolean =>
    path === '/' || Object.keys(files).some((one) => one.startsWith(`${path}/`));
  const realPath = (path: string, depth = 0): string | null => {
    let at = '';
    for (const name of path.split('/')) {
      if (name === '' || name === '.') continue;
      if (name === '..') {
        at = at.slice(0, Math.max(at.lastIndexOf('/'), 0));
        continue;
      }
      const next = `${at}/${name}`;
      const link = files[next]?.link;
      if (link !== undefined) {
        if (depth > 20) return null;
        const real = realPath(link.startsWith('/') ? link : `${at}/${link}`, depth + 1);
        if (real === null) return null;
        at = real;
      } else if (files[next] !== undefined || isFolder(next)) at = next;
      else return null;
    }
    return at === '' ? '/' : at;
  };
  const factsAt = (path: string) => {
    const real = realPath(path);
    if (real === null) return null;
    const { inode, device = 1, mode } = files[real] ?? { inode: 900_000 + real.length };
    const kind = isFolder(real) ? ('directory' as const) : ('file' as const);
    return { kind, inode, device, ...(mode === undefined ? {} : { mode, uid: 0 }) };
  };
  return {
    entries: (folder) => {
      const real = realPath(folder);
      if (real === null || !isFolder(real)) return null;
      const below = Object.keys(files).filter((one) =>
        one.startsWith(real === '/' ? '/' : `${real}/`),
      );
      const names = new Set(
        below.map((one) => one.slice(real === '/' ? 1 : real.length + 1).split('/')[0] ?? ''),
      );
      return [...names].map((name) => {
        const path = `${real === '/' ? '' : real}/${name}`;
        if (files[path]?.link !== undefined) return [name, 'link'] as const;
        return [name, files[path] === undefined ? 'folder' : 'file'] as const;
      });
    },
    realPath: (path) => realPath(path),
    facts: factsAt,
    isLink: (path) => files[path]?.link !== undefined,
    readLink: (path) => files[path]?.link ?? null,
    head: (path, bytes) => {
      const text = files[realPath(path) ?? '']?.text;
      return text === undefined ? null : new TextEncoder().encode(text).slice(0, bytes);
    },
  };
}
