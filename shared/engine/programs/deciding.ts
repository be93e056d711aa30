import { sha256 } from '../../base/index.ts';
import { joinPath, realTarget } from '../plan/paths.ts';
import type { DecidingFiles, FileView, Stage, Trust } from '../plan/types.ts';
import { recordOf } from './list.ts';
import { readText } from './repository/find.ts';
import type { Argument, Reading } from './types.ts';

/** More than these are not held: their digest is not known. */
const mostFiles = 128;
const mostDepth = 6;
const mostWords = 64;
const mostLetters = 512 * 1024;

interface About {
  readonly readings: readonly Reading[];
  readonly args: readonly Argument[];
  readonly trust: Trust;
  readonly script: string | null;
  readonly carries: readonly Stage[];
  /** What was read already to judge it; null where not all of it is known. */
  readonly read: readonly (readonly string[] | null)[];
}

interface At {
  readonly cwd: string | null;
  readonly files: FileView;
}

/**
 * The files that say what a stage does, where its words do not say all of it: code, settings,
 * lists and manifests that they name, and what a compose file takes in. An answer is held to them.
 *
 * Not what a tool of the project goes by without being told (a Makefile, tests, a `package.json`):
 * an agent writes all of it, so holding one file would only look like safety. Not data, which a
 * program only reads, writes or sends. A script of an interpreter has a field of its own.
 */
export function decidingFiles(about: About, at: At): DecidingFiles | undefined {
  const { trust, script, readings, carries } = about;
  if (trust.level !== 'pinned' && trust.level !== 'spelled') return undefined;
  const [reading] = readings;
  if (script !== null || reading === undefined) return undefined;
  const record = recordOf(reading.program);
  if (record?.runs === 'code') return undefined;
  const found = new Set<string>();
  let isWhole = about.read.every((one) => one !== null);
  const add = (path: string | null): void => {
    if (path !== null && !isSystemPath(path)) found.add(path);
  };
  for (const one of about.read) one?.forEach(add);
  if (trust.level === 'pinned') {
    for (const path of namedFiles(about, at)) add(path);
    for (const name of record?.heeds?.(reading) ?? []) add(fileAt(name, at));
    for (const { executable, script: code, files } of carries) {
      if (executable.kind === 'file' && executable.agentWritable) add(executable.realPath);
      add(code);
      files?.paths.forEach(add);
      if (files?.digest === null) isWhole = false;
    }
  }
  if (record?.project === undefined)
    for (const { effects } of readings)
      for (const one of effects)
        if (one.kind === 'path' && one.runs === true && one.use === 'reads')
          isWhole = filesBelow(joined(one), at, add) && isWhole;
  if (found.size === 0 && isWhole) return undefined;
  const paths = [...found].toSorted();
  return { paths, digest: isWhole ? digestOf(paths, at.files) : null };
}

function joined({ path, base }: { readonly path: string; readonly base?: string }): string {
  return base === undefined ? path : joinPath(base, path);
}

/** Files that words of a pinned command name, other than data. */
function namedFiles({ readings, args, carries }: About, at: At): readonly string[] {
  const isPlain = carries.every(({ trust }) => trust.level === 'open' || trust.level === 'named');
  // Behind its name stand the words of another program, of which its own record knows the files.
  const begun = readings.flatMap(({ effects }) =>
    effects.flatMap((one) => (one.kind === 'command' ? [one.word] : [])),
  );
  const inner = isPlain && begun.length > 0 ? Math.max(...begun) : Infinity;
  return args.slice(0, mostWords).flatMap(({ text, live }, word) => {
    if (live !== null || word > inner || readings.every((one) => isData(one, word, args)))
      return [];
    return partsOf(text).flatMap((part) => fileAt(part, at) ?? []);
  });
}

/** Whether all that is known of a word is that it is read, written or sent as it is. */
function isData({ effects, doubts, options }: Reading, at: number, args: readonly Argument[]) {
  const own = effects.filter(({ word }) => word === at);
  const option = options.find(({ valueWord, value }) => valueWord === at && value !== null);
  const before = args[at - 1]?.text.startsWith('-') === true ? at - 1 : at;
  const words = new Set([at, option?.word ?? before]);
  // A doubt about all of the command is one about what it takes in.
  const isDoubted = doubts.some(({ word }) => word === -1 || words.has(word));
  const isWritten = own.every((one) => one.kind === 'path' && one.use === 'writes');
  return (
    own.length > 0 &&
    (!isDoubted || isWritten) &&
    own.every((one) => one.kind === 'path' && one.runs !== true)
  );
}

/** A word, and what of it may be a path: behind `=`, `:`, `,` or `@`, or glued to a letter. */
function partsOf(word: string): readonly string[] {
  const parts = new Set([word, ...(/^-[A-Za-z]./.test(word) ? [word.slice(2)] : [])]);
  for (const [at] of word.matchAll(/(?<=[=:,;@])[^=:,;@]+(?:[^,;]*)/g)) parts.add(at);
  for (const part of word.split(/[=:,;@\s]/)) parts.add(part);
  return [...parts].filter((part) => part !== '' && !part.startsWith('-')).slice(0, mostWords);
}

/** The regular file that a path leads to, or null. */
function fileAt(path: string, { cwd, files }: At): string | null {
  if (path.length > 4_096) return null;
  const real = realTarget(files, cwd, path);
  return real !== null && files.facts(real)?.kind === 'file' ? real : null;
}

/** Adds a file, or all files of a folder; false where there is more than can be held. */
function filesBelow(path: string, at: At, add: (path: string) => void, depth = 0): boolean {
  const real = realTarget(at.files, at.cwd, path);
  const kind = real === null ? undefined : at.files.facts(real)?.kind;
  if (real === null || kind === undefined) return true;
  if (kind === 'file') {
    add(real);
    return true;
  }
  const entries = depth < mostDepth ? at.files.entries?.(real) : undefined;
  if (entries === undefined || entries === null || entries.length > mostFiles) return false;
  return entries.every(([name]) => filesBelow(`${real}/${name}`, at, add, depth + 1));
}

function digestOf(paths: readonly string[], files: FileView): string | null {
  if (paths.length > mostFiles) return null;
  let letters = 0;
  const texts: string[] = [];
  for (const path of paths) {
    const text = readText(files, path);
    if (text === null || (letters += text.length) > mostLetters) return null;
    texts.push(text);
  }
  return sha256(JSON.stringify([paths, texts]));
}

/** Where only the owner of the system writes. */
export function isSystemPath(path: string): boolean {
  return (
    /^\/(?:usr|bin|sbin|lib|lib64|opt|nix\/store|System)\//.test(path) &&
    !path.startsWith('/usr/local/')
  );
}
