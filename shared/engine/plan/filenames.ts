import type { FileView } from './types.ts';

/** At most this many names of one folder are gone through, and this many folders for one pattern. */
const mostFolders = 64;

/** A set of characters that is one to every locale. */
const plainSet = /^\[!?(?:[A-Za-z0-9_.]|0-9)+\]$/;

/**
 * The words that a shell makes of a file name pattern now, in the order of their characters; none
 * where nothing fits. Null where that cannot be told for sure: a folder that cannot be listed, a
 * name that is not plain text, a set of characters that locales read in different ways.
 */
export function fileNames(
  pattern: string,
  at: { readonly files: FileView; readonly cwd: string },
): readonly string[] | null {
  const { files, cwd } = at;
  const absolute = pattern.startsWith('/');
  const segments = (absolute ? pattern.slice(1) : pattern).split('/');
  if (files.entries === undefined || segments.slice(0, -1).includes('')) return null;
  let found: readonly string[] = [absolute ? '/' : ''];
  let folders = 0;
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1;
    // What a slash ends is a folder.
    if (segment === '') {
      found = found.filter((path) => isFolder(files, whole(cwd, path)));
      continue;
    }
    const fits = nameFits(segment);
    if (fits === null) return null;
    const next: string[] = [];
    for (const path of found) {
      const folder = whole(cwd, path);
      if (typeof fits === 'string') {
        next.push(`${path}${fits}`);
        continue;
      }
      if (!isFolder(files, folder)) continue;
      const names = ++folders > mostFolders ? null : files.entries(folder);
      if (names === null) return null;
      for (const [name] of names) {
        const fitting = fits(name);
        if (fitting === null) return null;
        if (fitting) next.push(`${path}${name}`);
      }
    }
    found = last ? next : next.map((path) => `${path}/`);
  }
  const there = found.filter((path) => exists(files, whole(cwd, path)));
  return there.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
}

function whole(cwd: string, path: string): string {
  return path.startsWith('/') ? path : `${cwd === '/' ? '' : cwd}/${path}`;
}

function isFolder(files: FileView, path: string): boolean {
  return files.facts(path === '/' ? path : path.replace(/\/$/, ''))?.kind === 'directory';
}

function exists(files: FileView, path: string): boolean {
  return files.facts(path) !== null || files.isLink(path);
}

/** A name as it stands, or whether a name fits; null where that depends on the locale. */
function nameFits(segment: string): string | ((name: string) => boolean | null) | null {
  const steps = segment.match(/\[!?[^\]]+\]|./gsu) ?? [];
  if (!steps.some((step) => step === '*' || step === '?' || step.startsWith('['))) return segment;
  if (steps.some((step) => step.startsWith('[') && !plainSet.test(step))) return null;
  if (steps.filter((step) => step === '*').length > 4) return null;
  const single = steps.some((step) => step === '?' || step.startsWith('['));
  const source = steps.map(expressionOf).join('');
  const fits = new RegExp(`^${source}$`, 'su');
  const hidden = segment.startsWith('.');
  return (name) => {
    if (!hidden && name.startsWith('.')) return false;
    // One character to one locale is several to another, and a replaced one is not the name.
    const odd = /[^ -~]/.test(name);
    if (odd && (single || /[\p{Cc}\p{Surrogate}\ufffd]/u.test(name))) return null;
    return fits.test(name);
  };
}

function expressionOf(step: string): string {
  if (step === '*') return '.*';
  if (step === '?') return '.';
  if (step.startsWith('[')) return step.replace('[!', '[^').replaceAll('.', '\\.');
  return step.replaceAll(/[\\^$.|+()[\]{}*?/-]/g, '\\$&');
}
