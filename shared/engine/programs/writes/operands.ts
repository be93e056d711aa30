import type { Argument } from '../types.ts';

/** They put what they are given under its own name into a folder that is named last or by an option. */
const copiers: ReadonlySet<string> = new Set(
  `cp mv install ln rsync scp gcp gmv gln ginstall ditto link`.split(/\s+/),
);

/** They give what they fetch the name at the end of its address. */
const fetchers: ReadonlySet<string> = new Set(`curl wget aria2c axel`.split(/\s+/));

/** Copiers that leave more than a copy: the source itself can later be written through another name. */
const hardLinks = /^-[A-Za-z]*l|^--li/;

/** Where files may be written, as words. */
export interface Written {
  /** Words that may be the name of a file, or of a folder for files. */
  readonly words: readonly string[];
  /** Names that files get in a folder, where that is one. */
  readonly inFolders: readonly (readonly [folder: string, name: string])[];
}

/**
 * Every word that may be the name of a file that a program writes: for a program that copies its
 * targets, for any other each of its arguments and what stands in its options.
 */
export function placesNamed(program: string, args: readonly Argument[]): Written {
  const words = withoutExclusions(
    program,
    args.map(({ text }) => text),
  );
  if (program === 'git') return { words: gitWrites(words), inFolders: [] };
  if (copiers.has(program)) return copied(program, words);
  const named = words.flatMap(inWord);
  if (!fetchers.has(program)) return { words: named, inFolders: [] };
  const names = words.flatMap(nameOfAddress);
  return { words: [...named, ...names], inFolders: pairs(named, names) };
}

const excluding: ReadonlySet<string> = new Set(
  `tar gtar bsdtar rsync openrsync grep egrep fgrep rgrep ggrep diff du`.split(/\s+/),
);

/** What is left out is not touched. */
function withoutExclusions(program: string, words: readonly string[]): readonly string[] {
  if (!excluding.has(program)) return words;
  const excludes = /^--exclude(?:-dir)?$/;
  return words.filter(
    (word, at) =>
      !/^--exclude(?:-dir)?=/.test(word) &&
      !excludes.test(word) &&
      !excludes.test(words[at - 1] ?? ''),
  );
}

/** The word, what stands behind its `=`, and what may be glued to a short option. */
export function inWord(word: string): readonly string[] {
  const found = [word];
  const equals = word.indexOf('=');
  if (equals > 0) found.push(word.slice(equals + 1));
  if (/^-[^-]/.test(word))
    for (let at = 2; at < Math.min(word.length, 8); at++)
      if (/[./~\w]/.test(word[at] ?? '')) found.push(word.slice(at));
  // `curl -w '%output{.envrc}'`
  for (const [, name = ''] of word.matchAll(/%output\{(?:>>)?([^}]+)\}/g)) found.push(name);
  return found;
}

function nameOfAddress(word: string): readonly string[] {
  if (word.startsWith('-') || !/[./]/.test(word)) return [];
  const path = word.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/[?#].*$/s, '');
  const name = decoded(path.slice(path.lastIndexOf('/') + 1));
  return name === '' || name === '.' || name === '..' ? [] : [name];
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function copied(program: string, words: readonly string[]): Written {
  const operands: string[] = [];
  const folders: string[] = [];
  let only = false;
  let links = program === 'ln' || program === 'link';
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (only || !word.startsWith('-') || word === '-') operands.push(word);
    else if (word === '--') only = true;
    else if (/^-[A-Za-z]*t$/.test(word) && program !== 'rsync' && program !== 'scp')
      folders.push(words[++at] ?? '');
    else {
      links ||= hardLinks.test(word) && program !== 'rsync' && program !== 'scp';
      // Also directories for backups, logs and partial files.
      folders.push(...inWord(word).slice(1));
      if (/^--[a-z-]+$/.test(word) && words[at + 1]?.startsWith('-') === false)
        folders.push(words[at + 1] ?? '');
    }
  }
  const last = operands.at(-1);
  const targets = last === undefined ? folders : [...folders, last];
  const sources = operands.map((word) => word.replace(/\/+\.?$/, ''));
  const names = sources.map((word) => word.slice(word.lastIndexOf('/') + 1).replace(/^.*:/, ''));
  return { words: links ? [...targets, ...operands] : targets, inFolders: pairs(targets, names) };
}

/** Commands of git that write where their arguments say. In the others git keeps to its own rules. */
const gitWriters =
  /^(?:clone|init|init-db|worktree|mv|format-patch|bundle|archive|mailsplit|mailinfo|submodule|checkout-index|diff|fast-export|pack-objects|index-pack|get-tar-commit-id|bugreport|diagnose|merge-file)$/;

function gitWrites(words: readonly string[]): readonly string[] {
  // It writes where an option says, and looks at the rest.
  if (words.includes('diff'))
    return words.flatMap((word) => (word.startsWith('-') ? inWord(word) : []));
  return words.some((word) => gitWriters.test(word)) ? words.flatMap(inWord) : [];
}

/** At most this many names in folders: beyond it a plan would be work without end. */
const mostPairs = 4096;

function pairs(folders: readonly string[], names: readonly string[]): Written['inFolders'] {
  const found: (readonly [string, string])[] = [];
  for (const folder of folders)
    for (const name of names) {
      if (found.length >= mostPairs) return found;
      if (/^\.|\.pth$|pip\.conf$|approvals\.json$|^[\w-]+$/.test(name)) found.push([folder, name]);
    }
  return found;
}
