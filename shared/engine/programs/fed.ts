import { nameOf as nameOfPath } from '../plan/paths.ts';
import type { GuardedUse, Stage } from '../plan/types.ts';
import { namesOnList } from './git-index.ts';
import { recordOf } from './list.ts';
import { readNamed } from './named.ts';
import { nameMatches } from './names.ts';
import type { Argument, Manner, PathUse, Reading } from './types.ts';
import { chosenBy, goThrough, grepGoes, namesOnly, on, ripgrepGoes, testsOf } from './walks.ts';
import type { Walked } from './walks.ts';
import type { GuardPlace } from './writes/guarded.ts';

/**
 * `xargs cat` opens what its input names, and no argument says what that is. Where the input comes
 * from a program that lists names (`find`, `rg -l`, `git ls-files`), they are the names of a tree,
 * which is looked through as for `find -exec`. From anywhere else they may be any.
 */

type Feeding = Pick<Stage, 'argv' | 'globs'>;

function nameOf({ argv }: Pick<Feeding, 'argv'>): string {
  return (argv[0] ?? '').replace(/^.*\//s, '');
}

function readingOf({ argv, globs }: Feeding): Reading | null {
  return readNamed(nameOf({ argv }), argv.slice(1), globs);
}

/** It hands on some of its lines, as they are. */
function passesOn(stage: Feeding): boolean {
  const reading = readingOf(stage);
  if (reading === null || reading.doubts.length > 0) return false;
  const { program, operands, options } = reading;
  const has = (...names: readonly string[]): boolean =>
    options.some(({ name }) => names.includes(name));
  if (program === 'sort' || program === 'shuf')
    return operands.length === 0 && !has('-o', '--output', '-e', '--echo', '-i', '--input-range');
  if (program === 'uniq') return operands.length === 0 && !has('-c', '--count', '--group');
  if (program === 'head' || program === 'tail' || program === 'tac' || program === 'cat')
    return (
      operands.length === 0 &&
      options.every(({ name }) => /^(?:-n|--lines|-z|--zero-terminated|-\d+)$/.test(name))
    );
  const patterns = has('-e', '--regexp') ? 0 : 1;
  return (
    (program === 'grep' || program === 'rg') &&
    operands.length === patterns &&
    options.every(({ name }) =>
      /^(?:-[vEFPiwxeaz]|--(?:invert-match|extended-regexp|fixed-strings|perl-regexp|ignore-case|word-regexp|line-regexp|regexp|null-data))$/.test(
        name,
      ),
    )
  );
}

/** The program whose names come in, through programs that only choose among them. */
function producerOf(before: readonly (readonly Stage[])[]): Stage | null {
  for (const part of before.toReversed()) {
    const [stage] = part;
    if (stage === undefined || part.length !== 1) return null;
    if (!passesOn(stage)) return stage;
  }
  return null;
}

/** Only names are printed, in the words of each program. */
const listing: Readonly<
  Record<string, (reading: Reading, name: string, args: readonly Argument[]) => Manner | null>
> = {
  find: (reading) => {
    const other = /^-(?:exec|execdir|ok|okdir|printf|ls|fls|fprint0?|fprintf|delete|files0-from)$/;
    if (reading.options.some((one) => other.test(one.name))) return null;
    const follows = on(reading, '-L', '-follow');
    const acts = reading.options.findIndex((one) => /^-print0?$/.test(one.name));
    const tests = testsOf(reading.options.slice(0, acts === -1 ? undefined : acts));
    return { follows, hidden: true, ...chosenBy(tests, reading) };
  },
  fd: (reading) => ({
    follows: on(reading, '-L', '--follow'),
    hidden: on(reading, '-H', '--hidden', '-u', '--unrestricted'),
    opensLinks: true,
  }),
  rg: (reading) => {
    if (on(reading, '--files'))
      return {
        ...(ripgrepGoes(reading) ?? { follows: false, hidden: false }),
        ...(reading.operands.length === 0 ? { roots: ['.'] } : {}),
      };
    return on(reading, '-l', '--files-with-matches', '--files-without-match')
      ? (ripgrepGoes(reading) ?? { follows: false, hidden: false })
      : null;
  },
  grep: (reading, name) =>
    on(reading, '-l', '--files-with-matches', '-L', '--files-without-match')
      ? grepGoes(reading, name)
      : null,
  git: (reading, _name, args) => {
    const end = args.findIndex(({ text }) => text === '--');
    const isPath = ({ text, word }: Reading['operands'][number]): boolean =>
      (end !== -1 && word > end) || text.includes('*');
    const paths = reading.operands.filter(isPath).map(({ text }) => text);
    const others = reading.operands.filter((one) => !isPath(one)).map(({ text }) => text);
    const isListed =
      paths.every((text) => !text.startsWith(':')) &&
      (reading.command[0] === 'ls-files'
        ? reading.options.every(isChoice)
        : printsListed(reading, others));
    if (!isListed) return null;
    const wanted = reading.command[0] === 'ls-files' ? [...paths, ...others] : paths;
    return {
      follows: false,
      hidden: true,
      opensLinks: true,
      roots: ['.'],
      opens: (_file, path) => wanted.length === 0 || wanted.some((one) => isMeant(one, path)),
    };
  },
};

/**
 * Whether `git diff --name-only` and `git grep -l` print names of this folder's own list, and nothing
 * else. What only a commit has is not there: without the letter for what was deleted, and without a
 * second commit, the names are those of the newer side. `others` are words in front of the paths.
 */
function printsListed({ command, options }: Reading, others: readonly string[]): boolean {
  const has = (...names: readonly string[]) => options.some(({ name }) => names.includes(name));
  if (command[0] === 'grep') {
    const isPlain = options.every(({ name }) =>
      /^(?:-[lEFGPwizIe]|--(?:files-with-matches|name-only|extended-regexp|basic-regexp|fixed-strings|perl-regexp|word-regexp|ignore-case|null))$/.test(
        name,
      ),
    );
    const lists = has('-l', '--files-with-matches', '--name-only');
    return isPlain && lists && others.length === (has('-e') ? 0 : 1);
  }
  if (command[0] !== 'diff' || !has('--name-only')) return false;
  const isPlain = options.every(({ name }) =>
    /^(?:-z|--(?:name-only|cached|staged|diff-filter|no-renames|no-color|no-ext-diff))$/.test(name),
  );
  const [commit, second] = others;
  if (!isPlain || second !== undefined || commit?.includes('..') === true) return false;
  const filter = options.findLast(({ name }) => name === '--diff-filter')?.value ?? '';
  const isThere = /^[ACMRTU]+$/.test(filter) || /^[acmrtu]*d[acmrtu]*$/.test(filter);
  return isThere || (commit === undefined && !has('--cached', '--staged'));
}

/** Options of `git ls-files` that print names of this folder's own list and tree, and nothing else. */
function isChoice({ name, value }: Reading['options'][number]): boolean {
  return (
    /^(?:-[zdmoik]|--(?:cached|deleted|modified|others|ignored|killed|directory|empty-directory|exclude-standard|error-unmatch|deduplicate))$/.test(
      name,
    ) ||
    (name === '-c' && value === null) ||
    /^(?:-x|-X|--exclude(?:-from|-per-directory)?)$/.test(name)
  );
}

/** Whether Git may mean a file by a path or a pattern, in which `*` stands for any text with slashes. */
function isMeant(wanted: string, path: string): boolean {
  const [pattern = '', file = ''] = [wanted, path].map((one) =>
    one.replace(/^(?:\.\/)+|\/+$/g, ''),
  );
  if (!/[*?[\\]/.test(pattern)) return below(pattern, file);
  return nameMatches(pattern, file) || (file.includes('/') && nameMatches(`${pattern}/*`, file));
}

function below(folder: string, path: string): boolean {
  const [outer, inner] = [folder, path].map((one) => one.replace(/^(?:\.\/)+|\/+$/g, ''));
  return (
    outer === '.' ||
    outer === '' ||
    inner === outer ||
    inner?.startsWith(`${outer ?? ''}/`) === true
  );
}

/** A program that prints names, and whether whoever is handed them changes the files. */
interface Lister {
  readonly name: string;
  readonly args: readonly Argument[];
  readonly at: GuardPlace;
  readonly changes: boolean;
}

/**
 * What the names that a program prints lead to, for who opens each of them; `odd` are names that it
 * would take for something else. Null where it prints other things, or names that cannot be known.
 */
function judgeListed(reading: Reading, place: Lister, odd: Manner['odd']): Walked | null {
  const list = Object.hasOwn(listing, reading.program) ? listing[reading.program] : undefined;
  const manner =
    reading.doubts.length > 0 ? null : (list?.(reading, place.name, place.args) ?? null);
  if (manner === null || odd === undefined) return null;
  if (reading.program === 'git') {
    const isQuoted = !reading.options.some(({ name }) => /^(?:-z|-Z|--null)$/.test(name));
    const isOdd = (name: string) => odd(name) || (isQuoted && quotedByGit.test(name));
    return judgeListedByGit(reading, { ...manner, odd: isOdd }, place);
  }
  return goThrough(reading, { opensLinks: true, ...manner, odd }, place);
}

/** Without `-z` Git prints such a name in quotes, with escapes that xargs reads as another name. */
const quotedByGit = /[^ -~]|["\\]/;

function judgeListedByGit(
  reading: Reading,
  manner: Manner & Required<Pick<Manner, 'odd'>>,
  place: Lister,
): Walked | null {
  const { cwd, surroundings } = place.at;
  const names = cwd === null ? null : namesOnList(cwd, surroundings.files);
  const { opens = () => true, odd } = manner;
  // What stands on Git's list, and not in the tree, can be cut into other names all the same.
  const isOdd = (name: string) => opens(nameOfPath(name), name) && odd(name);
  if (names === null || names.some(isOdd)) return null;
  // These print names from the top of the tree, or may be told to.
  const isTop = surroundings.files.facts(`${cwd ?? ''}/.git`)?.kind === 'directory';
  if (reading.command[0] !== 'ls-files' && !isTop) return null;
  return goThrough(reading, { opensLinks: true, ...manner }, place);
}

/** What xargs makes of a name: several words of one with blanks, an option of one with a dash. */
function oddFor(reading: Reading, replaces: boolean): NonNullable<Manner['odd']> {
  const whole = reading.options.some(({ name }) => /^(?:-0|--null|-d|--delimiter)$/.test(name));
  const ended = reading.operands.at(-1)?.text === '--';
  return (shown) =>
    (!whole && (replaces ? /^\s|['"\\\n]/ : /[\s'"\\]/).test(shown)) ||
    (!ended && shown.replace(/^(?:\.\/)+/, '').startsWith('-'));
}

/** An xargs that opens what its input names, as far as it can be told. */
function judgeFed(
  stage: Stage,
  before: readonly (readonly Stage[])[],
  at: (stage: Stage) => GuardPlace,
): Walked | null {
  const reading = readingOf(stage);
  if (reading === null) return null;
  const replaced = reading.options.find(({ name }) => /^(?:-I|-i|-J|-R|--replace)$/.test(name));
  const file = replaced?.value ?? '{}';
  const [program, ...words] = reading.operands;
  if (program === undefined) return null;
  // A name that becomes a part of a word may be any path.
  const apart =
    replaced === undefined || words.every(({ text }) => text === file || !text.includes(file));
  const producer = producerOf(before);
  const fromFile = reading.options.some(({ name }) => name === '-a' || name === '--arg-file');
  const listed = producer === null || fromFile || !apart ? null : readingOf(producer);
  if (listed === null || producer === null) return null;
  const args = producer.argv.slice(1).map((text) => ({ text, live: null }));
  const changes = opened([program.text, ...words.map(({ text }) => text)]).some(
    (use) => use !== 'reads',
  );
  const place = { name: nameOf(producer), args, at: at(producer), changes };
  return judgeListed(listed, place, oddFor(reading, replaced !== undefined));
}

const unknown = 'xargs opens what its input names, and that is not known';

/** Whether a stage takes words of a command from its input. */
export function takesNames(stage: Stage): boolean {
  return recordOf(nameOf(stage))?.names[0] === 'xargs';
}

const made =
  'an earlier part of the command may make names that xargs would take for something else';

/**
 * The stage with what its input leads it to. `before` are the stages of each part of the pipeline to
 * the left of it; `changed` are paths that earlier parts of the command write, null for any.
 */
export function fedBy(
  stage: Stage,
  before: readonly (readonly Stage[])[],
  at: (stage: Stage) => GuardPlace,
  changed: readonly (string | null)[] = [],
): Stage {
  const { trust } = stage;
  if (trust.level === 'never' || opensNothing(stage)) return stage;
  // What is looked through is the tree as it is now.
  const isSafe = (path: string | null) => path !== null && !/[\s'"\\]|\/-/.test(path);
  if (!changed.every(isSafe) && opensFiles(stage))
    return { ...stage, trust: { level: 'never', reason: made } };
  const walked = judgeFed(stage, before, at);
  // No word of a rule says what that would be, also where the rule has all of them.
  if (walked === null)
    return opensFiles(stage) ? { ...stage, trust: { level: 'never', reason: unknown } } : stage;
  const guarded: readonly GuardedUse[] = [...stage.guarded, ...walked.guarded];
  const { changed: edited = [] } = walked;
  const effects =
    stage.effects === null || edited.length === 0
      ? stage.effects
      : { ...stage.effects, writes: [...stage.effects.writes, ...edited] };
  const found = walked.finding.trust;
  const open = found.level === 'open' || trust.level !== 'pinned' || trust.leading === undefined;
  if (found.level === 'never') return { ...stage, guarded, effects, trust: found };
  const reason = 'reason' in found ? found.reason : unknown;
  return { ...stage, guarded, effects, trust: open ? trust : { level: 'pinned', reason } };
}

/** Whether a name behind the words of the command would be opened; in doubt it would not be read. */
function opensFiles(stage: Stage): boolean {
  return opened((readingOf(stage)?.operands ?? []).map(({ text }) => text)).length > 0;
}

/** What a program does with a file whose name comes behind its words. */
function opened([program, ...words]: readonly string[]): readonly PathUse[] {
  const inner = program === undefined ? null : readNamed(program, [...words, './x']);
  return (inner?.effects ?? []).flatMap((one) =>
    one.kind === 'path' && one.path === './x' ? [one.use] : [],
  );
}

function opensNothing(stage: Stage): boolean {
  const first = readingOf(stage)?.operands[0]?.text ?? 'echo';
  return namesOnly.has(recordOf(first)?.names[0] ?? first);
}
