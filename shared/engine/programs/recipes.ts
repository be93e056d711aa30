import { compile, readJson, s, sha256 } from '../../base/index.ts';
import type { FileView, Recipe } from '../plan/types.ts';
import type { Argument, Reading } from './types.ts';

const checkPackage = compile(s.open({ scripts: s.record(s.string(), { maxProperties: 1_000 }) }));

/** The longest `package.json` that is looked into, in bytes. */
const longest = 262_144;

/** Words that stand for a script of that name in each of the managers. */
const inShort = new Map([
  ['test', 'test'],
  ['start', 'start'],
]);

/**
 * Which script of the `package.json` of a folder a package manager runs, and what it says. Undefined
 * where that is not certain: with options in front or of another folder, or where none is named.
 */
export function recipeOf(
  { program, command, options, ownOptions, operands, doubts }: Reading,
  [written]: readonly Argument[],
  { cwd, files }: { readonly cwd: string | null; readonly files: FileView },
): Recipe | undefined {
  if (cwd === null || doubts.length > 0 || !/^(?:npm|pnpm|yarn)$/.test(program)) return undefined;
  if (ownOptions > 0 || options.some(({ name }) => !isQuiet.test(name))) return undefined;
  const word = written?.live === null ? written.text : '';
  const isRun = word === 'run' || word === 'run-script';
  const [first] = operands;
  const name = isRun ? (first?.live === null ? first.text : undefined) : inShort.get(word);
  if (name === undefined || command.length !== 1) return undefined;
  const file = `${cwd === '/' ? '' : cwd}/package.json`;
  const scripts = scriptsOf(file, files);
  if (scripts === null || !scripts.has(name)) return undefined;
  const all = [...scripts.keys()].map((each) => ({
    name: each,
    digest: recipeDigest(each, scripts),
  }));
  return { file, name, digest: recipeDigest(name, scripts), all };
}

const isQuiet = /^(?:-s|--silent)$/;

/** Of a script with its name, and of those that a manager runs before and after it. */
function recipeDigest(name: string, scripts: ReadonlyMap<string, string>): string {
  const texts = [name, `pre${name}`, `post${name}`].map((one) => scripts.get(one) ?? null);
  return sha256(JSON.stringify([name, ...texts]));
}

/** Null where it cannot be read whole, or is not what a manager would understand the same way. */
function scriptsOf(file: string, files: FileView): ReadonlyMap<string, string> | null {
  const head = files.realPath(file) === file ? files.head(file, longest + 1) : null;
  if (head === null || head.length > longest) return null;
  const read = readJson(checkPackage, head);
  return read.ok ? new Map(Object.entries(read.value.scripts)) : null;
}
