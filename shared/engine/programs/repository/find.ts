import { joinPath, parentOf } from '../../plan/paths.ts';
import type { FileView } from '../../plan/types.ts';

/** Where a repository keeps what it goes by. All paths are absolute. */
export interface Repository {
  /** What belongs to this working tree alone: the index. */
  readonly own: string;
  /** What all working trees share: settings and hooks. */
  readonly common: string;
  /** Null for a bare repository. */
  readonly tree: string | null;
}

/** The repository that git would use in a directory, or null. `unclear` where that cannot be told. */
export function findRepository(files: FileView, cwd: string): Repository | 'unclear' | null {
  for (let directory = cwd; ; directory = parentOf(directory)) {
    const base = directory === '/' ? '' : directory;
    const found = repositoryAt(files, base);
    if (found !== null) return found;
    // Any directory that looks like a repository is one, whatever it is called.
    if (isRepository(files, base)) return { own: base, common: commonOf(files, base), tree: null };
    if (directory === '/') return null;
  }
}

/** The repository whose working tree begins in this directory. */
export function repositoryAt(files: FileView, tree: string): Repository | 'unclear' | null {
  const path = `${tree}/.git`;
  const facts = files.facts(path);
  if (facts === null) return null;
  if (facts.kind === 'directory')
    return isRepository(files, path) ? { own: path, common: commonOf(files, path), tree } : null;
  const target = /^gitdir: (.+?)\r?\n*$/s.exec(readText(files, path) ?? '')?.[1];
  if (target === undefined) return 'unclear';
  const own = joinPath(tree, target);
  return { own, common: commonOf(files, own), tree };
}

/** Git passes over a folder without these. Its HEAD may be a link that leads nowhere. */
function isRepository(files: FileView, path: string): boolean {
  const has = (name: string): boolean => files.facts(`${path}/${name}`) !== null;
  if (!has('HEAD') && !files.isLink(`${path}/HEAD`)) return false;
  return has('commondir') || (has('objects') && has('refs'));
}

function commonOf(files: FileView, own: string): string {
  const target = readText(files, `${own}/commondir`)?.trim();
  return target === undefined || target === '' ? own : joinPath(own, target);
}

const mostText = 64 * 1024;

/** The whole of a small file, or null for one that is not there or is too long. */
export function readText(files: FileView, path: string): string | null {
  const bytes = files.head(path, mostText + 1);
  if (bytes === null || bytes.length > mostText) return null;
  return textOf(bytes);
}

const mostIndex = 64 * 1024 * 1024;

/** The whole of an index: asked for in growing pieces, since its size is not known before. */
export function readIndex(files: FileView, path: string): Uint8Array | null {
  for (let bytes = 1024 * 1024; bytes <= mostIndex; bytes *= 4) {
    const found = files.head(path, bytes);
    if (found === null || found.length < bytes) return found;
  }
  return null;
}

/** Bytes as text: UTF-8, or one character a byte where they are none. */
export function textOf(bytes: Uint8Array): string {
  let escaped = '';
  let plain = '';
  for (const byte of bytes) {
    escaped += `%${byte.toString(16).padStart(2, '0')}`;
    plain += String.fromCharCode(byte);
  }
  try {
    return decodeURIComponent(escaped);
  } catch {
    return plain;
  }
}
