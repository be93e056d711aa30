import type { FileFacts, FileView } from '../../../../shared/engine/plan/types.ts';

/** What lies at a path: `text` makes a file, `to` a symbolic link, neither a directory. */
export interface FakeEntry {
  readonly text?: string;
  readonly to?: string;
  readonly mode?: number;
  readonly uid?: number;
}

/** A file system in memory; parents of every path exist as directories. */
export function fakeFiles(entries: Readonly<Record<string, FakeEntry>>): FileView {
  const all = new Map<string, FakeEntry>([['/', {}]]);
  for (const [path, entry] of Object.entries(entries)) {
    const parts = path.split('/').slice(1);
    parts.slice(0, -1).forEach((_, index) => {
      const parent = `/${parts.slice(0, index + 1).join('/')}`;
      if (!all.has(parent)) all.set(parent, {});
    });
    all.set(path, entry);
  }

  function resolve(path: string, depth = 0): string | null {
    if (depth > 20) return null;
    let real = '';
    for (const part of path.split('/').slice(1)) {
      if (part === '' || part === '.') continue;
      if (part === '..') {
        real = real.slice(0, Math.max(0, real.lastIndexOf('/')));
        continue;
      }
      const next = `${real}/${part}`;
      const entry = all.get(next);
      if (entry === undefined) return null;
      if (entry.to === undefined) real = next;
      else {
        const target = entry.to.startsWith('/') ? entry.to : `${real}/${entry.to}`;
        const found = resolve(target, depth + 1);
        if (found === null) return null;
        real = found === '/' ? '' : found;
      }
    }
    return real === '' ? '/' : real;
  }

  function facts(path: string): FileFacts | null {
    const real = resolve(path);
    const entry = real === null ? undefined : all.get(real);
    if (entry === undefined) return null;
    const isFile = entry.text !== undefined;
    const mode = entry.mode ?? 0o755;
    return {
      kind: isFile ? 'file' : 'directory',
      executable: (mode & 0o111) !== 0,
      mode,
      uid: entry.uid ?? 0,
      inode: 1,
    };
  }

  return {
    realPath: (path) => resolve(path),
    facts,
    head: (path, bytes) => {
      const real = resolve(path);
      const text = real === null ? undefined : all.get(real)?.text;
      return text === undefined ? null : new TextEncoder().encode(text).subarray(0, bytes);
    },
    isLink: (path) => all.get(path)?.to !== undefined,
    readLink: (path) => all.get(path)?.to ?? null,
    entries: (folder) => {
      const real = resolve(folder);
      if (real === null || facts(real)?.kind !== 'directory') return null;
      const at = real === '/' ? '' : real;
      return [...all].flatMap(([path, entry]) => {
        const name = path.slice(at.length + 1);
        if (!path.startsWith(`${at}/`) || name === '' || name.includes('/')) return [];
        const kind = entry.text === undefined ? 'folder' : 'file';
        return [[name, entry.to === undefined ? kind : 'link'] as const];
      });
    },
  };
}
