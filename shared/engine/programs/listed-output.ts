import { namesOnList } from './git-index.ts';
import { isBelow } from '../plan/paths.ts';
import type { FileView } from '../plan/types.ts';

/**
 * Names that `find`, `ls` and `git ls-files` print of the folder where a command runs, where that can
 * be told for sure without them. What runs then holds the names themselves, so that each is judged as
 * a word that was written out; as with patterns in a loop, nobody can change them in between.
 */

/** At most so many names stand for one substitution, and so many entries are looked at for them. */
const mostNames = 256;
const mostEntries = 5_000;

interface Where {
  readonly cwd: string;
  readonly files: FileView;
  /** The top of the repository around the folder; null where there is none, or it says otherwise. */
  readonly top: () => string | null;
}

/** The names, in lines; null where they cannot be told. */
export function listedOutput(words: readonly string[], where: Where): string | null {
  const [name, ...args] = words;
  const names =
    name === 'find'
      ? found(args, where)
      : name === 'ls'
        ? listed(args, where)
        : name === 'git' && args[0] === 'ls-files'
          ? tracked(args.slice(1), where)
          : null;
  // Whoever goes through nothing expected something: that is not for us to tell.
  if (names === null || names.length === 0 || names.length > mostNames) return null;
  // Git writes these in quotes, and a shell of another locale may read the others otherwise.
  return names.some((one) => /[^ !#-[\]-~]/.test(one)) ? null : names.join('\n');
}

/** A folder as it is written by hand: below this one, without a way out. */
const written = /^(?:\.|\w[\w.+-]*(?:\/\w[\w.+-]*)*)$/;

/** The folder that is meant, if it really lies below this one. */
function folderAt(path: string, { cwd, files }: Where): string | null {
  if (!written.test(path)) return null;
  const folder = path === '.' ? cwd : `${cwd === '/' ? '' : cwd}/${path}`;
  if (files.facts(folder)?.kind !== 'directory' || files.realPath(folder) !== folder) return null;
  return isBelow(folder, cwd) ? folder : null;
}

/** `ls`, `ls -1` and `ls FOLDER`. */
function listed(args: readonly string[], where: Where): readonly string[] | null {
  const paths = args.filter((one) => one !== '-1');
  const [path = '.', more] = paths;
  const folder = more === undefined ? folderAt(path, where) : null;
  const entries = folder === null ? null : (where.files.entries?.(folder) ?? null);
  return entries === null
    ? null
    : entries
        .map(([name]) => name)
        .filter((name) => !name.startsWith('.'))
        .toSorted();
}

interface Search {
  readonly type: 'file' | 'folder' | null;
  readonly deepest: number;
  readonly tests: readonly Test[];
}

interface Test {
  readonly of: 'name' | 'path';
  readonly pattern: string;
  readonly fits: RegExp;
  readonly wanted: boolean;
}

/** `*` and `?` of a pattern, both also for a slash; null for sets, which locales read differently. */
function expression(pattern: string): RegExp | null {
  if (/[[\]\\]/.test(pattern) || pattern.split('*').length > 8) return null;
  const source = pattern
    .replaceAll(/[$()+.^{|}]/g, String.raw`\$&`)
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}

/** Folders, then tests of which all have to hold: names, paths, the type, and how deep it goes. */
function searchOf(args: readonly string[]): Search | null {
  let type: Search['type'] = null;
  let deepest = Infinity;
  let wanted = true;
  const tests: Test[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const option = args[at] ?? '';
    if (option === '-print') {
      if (at !== args.length - 1) return null;
      continue;
    }
    if (option === '!' || option === '-not') {
      if (!wanted) return null;
      wanted = false;
      continue;
    }
    at += 1;
    const value = args[at];
    if (value === undefined) return null;
    if (option === '-name' || option === '-path') {
      const fits = expression(value);
      if (fits === null) return null;
      tests.push({ of: option === '-name' ? 'name' : 'path', pattern: value, fits, wanted });
      wanted = true;
    } else if (!wanted) return null;
    else if (option === '-type' && (value === 'f' || value === 'd')) {
      if (type !== null) return null;
      type = value === 'f' ? 'file' : 'folder';
    } else if (option === '-maxdepth' && /^\d{1,3}$/.test(value)) deepest = Number(value);
    else return null;
  }
  return wanted ? { type, deepest, tests } : null;
}

/** `find` with tests that are looked up here; without folders it begins in this one. */
function found(args: readonly string[], where: Where): readonly string[] | null {
  const first = args.findIndex((one) => /^[-!(]/.test(one));
  const paths = args.slice(0, first === -1 ? args.length : first);
  const search = searchOf(first === -1 ? [] : args.slice(first));
  if (search === null) return null;
  const names: string[] = [];
  let left = mostEntries;
  /** False where it cannot be told. */
  const look = (shown: string, folder: string, depth: number): boolean => {
    if (depth >= search.deepest || isLeftOut(shown, search)) return true;
    const entries = where.files.entries?.(folder) ?? null;
    if (entries === null || (left -= entries.length) < 0) return false;
    return entries.every(([name, kind]) => {
      const path = `${shown}/${name}`;
      if (holds(path, name, kind, search)) names.push(path);
      return kind !== 'folder' || look(path, `${folder === '/' ? '' : folder}/${name}`, depth + 1);
    });
  };
  for (const path of paths.length === 0 ? ['.'] : paths) {
    const folder = folderAt(path, where);
    if (folder === null) return null;
    if (holds(path, path.slice(path.lastIndexOf('/') + 1), 'folder', search)) names.push(path);
    if (!look(path, folder, 0)) return null;
  }
  return names;
}

/** `-not -path './node_modules/*'` leaves out all that lies below. */
function isLeftOut(folder: string, { tests }: Search): boolean {
  return tests.some(
    ({ of, wanted, pattern, fits }) =>
      of === 'path' && !wanted && pattern.endsWith('/*') && fits.test(`${folder}/x`),
  );
}

function holds(path: string, name: string, kind: string, { type, tests }: Search): boolean {
  return (
    (type === null || kind === type) &&
    tests.every(({ of, fits, wanted }) => fits.test(of === 'name' ? name : path) === wanted)
  );
}

/** `git ls-files` at the top of a repository, with folders, files and patterns to choose by. */
function tracked(args: readonly string[], { cwd, files, top }: Where): readonly string[] | null {
  if (top() !== cwd) return null;
  const chosen = args[0] === '--' ? args.slice(1) : args;
  if (chosen.some((one) => /^[-:]|^$|\.\.|\\/.test(one))) return null;
  const tests = chosen.map((one) => {
    if (/[*?[]/.test(one)) return expression(one);
    const folder = one.replace(/^(?:\.\/)+|\/+$/g, '');
    return folder === '.' || folder === '' ? /^/ : expression(folder);
  });
  if (tests.includes(null)) return null;
  return (
    namesOnList(cwd, files)?.filter(
      (name) =>
        tests.length === 0 ||
        tests.some((one, at) => {
          const isFolder = !/[*?[]/.test(chosen[at] ?? '');
          return one?.test(name) === true || (isFolder && startsBelow(name, chosen[at] ?? ''));
        }),
    ) ?? null
  );
}

function startsBelow(name: string, folder: string): boolean {
  const plain = folder.replace(/^(?:\.\/)+|\/+$/g, '');
  return plain === '' || plain === '.' || name.startsWith(`${plain}/`);
}
