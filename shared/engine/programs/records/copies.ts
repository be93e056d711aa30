import {
  besideWritten,
  flag,
  gnuCommon,
  has,
  inert,
  merge,
  ofValue,
  optional,
  path,
  pins,
  starts,
  valuesOf,
  writes,
} from '../forms.ts';
import { gnu } from '../syntax.ts';
import type { Effect, Operand, ProgramRecord, Reading, Yield } from '../types.ts';
import { lendsRights } from './findings.ts';
import { one, type Finish } from './diffs.ts';

const maybeWord = optional(inert);

const targetOptions = ['-t', '--target-directory'];
const copying = ['-R', '-r', '--recursive', '-a', '--archive'];

/** The last operand is the target, unless an option names one; a folder may be meant in any case. */
function targetsOf(reading: Reading): {
  readonly sources: readonly Operand[];
  readonly target: { readonly text: string; readonly word: number; readonly live: boolean } | null;
} {
  const { operands, options } = reading;
  const named = options.findLast(({ name }) => targetOptions.includes(name));
  if (named !== undefined && named.value !== null)
    return {
      sources: operands,
      target: { text: named.value, word: named.valueWord, live: named.live },
    };
  const last = operands.at(-1);
  if (last === undefined || operands.length < 2) return { sources: operands, target: null };
  return {
    sources: operands.slice(0, -1),
    target: { text: last.text, word: last.word, live: last.live !== null },
  };
}

/** `a/.`, `a/`, `.`: what is in the folder, under names of its own; `h:a` may be elsewhere. */
const contents = /(?:^|\/)\.{0,2}$|:/;

function copied(reading: Reading): Yield {
  const { sources, target } = targetsOf(reading);
  const tree = has(reading, ...copying);
  const whole = has(reading, '-T', '--no-target-directory');
  const effects: Effect[] = sources.map(({ text, live, word: at }) =>
    path('reads', text, at, { tree, live: live !== null }),
  );
  const links = has(reading, '-l', '--link', '-s', '--symbolic-link');
  // What is later written through the new name changes the old one.
  if (links)
    effects.push(
      ...sources.map(({ text, live, word: at }) =>
        path('edits', text, at, { live: live !== null }),
      ),
    );
  // What stands in front of the names is made there, too.
  const kept = has(reading, '--parents', '--path');
  return merge([{ effects }, landing(sources, target, { brings: tree, whole, kept })]);
}

/** What comes to be at the target: the name itself, names of sources in it, or what trees hold. */
function landing(
  sources: readonly Operand[],
  target: ReturnType<typeof targetsOf>['target'],
  {
    brings,
    whole,
    kept = false,
  }: { readonly brings: boolean; readonly whole: boolean; readonly kept?: boolean },
): Yield {
  if (target === null) return {};
  const { text, word: at, live } = target;
  const effects: Effect[] = [path('writes', text, at, { live })];
  const open =
    brings &&
    (whole ||
      sources.some(({ text: name, live: pattern }) => pattern !== null || contents.test(name)));
  if (open) effects.push(path('into', text, at, { live }));
  for (const source of whole ? [] : sources) {
    const name = kept ? source.text : source.text.replace(/\/+$/, '').replace(/^.*\//, '');
    if (name === '' || name === '.' || name === '..') continue;
    effects.push(
      path('writes', name, source.word, {
        base: text,
        tree: brings,
        live: source.live !== null || live,
      }),
    );
  }
  return live
    ? {
        effects,
        doubts: [{ level: 'pinned', why: 'a pattern decides what the target is', word: at }],
      }
    : { effects };
}

const cp: ProgramRecord = {
  names: ['cp', 'gcp'],
  links: 'carries',
  does: 'Copies files and folders.',
  held: {},
  grammar: {
    syntax: gnu,
    dashIsFile: true,
    options: {
      '-a --archive': flag,
      '--attributes-only': flag,
      '-b': flag,
      '--backup': maybeWord,
      '--copy-contents': flag,
      '-d': flag,
      '--debug': flag,
      '-f --force': flag,
      '-i --interactive': flag,
      '-H': flag,
      '--keep-directory-symlink': pins('it writes through links to folders'),
      '-l --link': flag,
      '-L --dereference': flag,
      '-n --no-clobber': flag,
      '-P --no-dereference': flag,
      '-p': flag,
      '--path': flag,
      '--preserve': maybeWord,
      '--no-preserve': inert,
      '--parents': flag,
      '-R -r --recursive': flag,
      '--reflink': maybeWord,
      '--remove-destination': flag,
      '--sparse': inert,
      '--strip-trailing-slashes': flag,
      '-s --symbolic-link': flag,
      '-S --suffix': inert,
      '-t --target-directory': inert,
      '-T --no-target-directory': flag,
      '-u': flag,
      '--update': maybeWord,
      '-v --verbose': flag,
      '-x --one-file-system': flag,
      '-Z': flag,
      '--context': maybeWord,
      ...gnuCommon,
    },
    operands: { rest: inert },
    finish: copied,
    offers: 'exact',
  },
};

const mv: ProgramRecord = {
  names: ['mv', 'gmv'],
  links: 'carries',
  replaces: true,
  does: 'Moves and renames files and folders.',
  held: {},
  grammar: {
    syntax: gnu,
    dashIsFile: true,
    options: {
      '-b': flag,
      '--backup': maybeWord,
      '--debug': flag,
      '--exchange': flag,
      '-f --force': flag,
      '-i --interactive': flag,
      '-n --no-clobber': flag,
      '--no-copy': flag,
      '--strip-trailing-slashes': flag,
      '-S --suffix': inert,
      '-t --target-directory': inert,
      '-T --no-target-directory': flag,
      '-u': flag,
      '--update': maybeWord,
      '-v --verbose': flag,
      '-Z --context': flag,
      ...gnuCommon,
    },
    operands: { rest: inert },
    finish: (reading) => {
      const { sources, target } = targetsOf(reading);
      const taken = (target === null ? [] : sources).map(({ text, live, word: at }) =>
        path('deletes', text, at, { tree: true, live: live !== null }),
      );
      const whole = has(reading, '-T', '--no-target-directory');
      return merge([{ effects: taken }, landing(sources, target, { brings: true, whole })]);
    },
    offers: 'exact',
  },
};

const linked: Finish = (reading) => {
  const { sources, target } = targetsOf(reading);
  const at = target?.word ?? sources.at(-1)?.word ?? -1;
  const where = target?.text ?? '.';
  return {
    effects: [
      // What is written through the new name changes the old one.
      ...sources.map(({ text, word, live }) =>
        path('edits', text, word, { tree: true, live: live !== null }),
      ),
      path('into', where, at),
      path('writes', where, at),
    ],
  };
};
const installedFiles: Finish = (reading) => {
  const { operands, options } = reading;
  const folder = options.findLast(({ name }) => name === '-t' || name === '--target-directory');
  if (has(reading, '-d', '--directory'))
    return { effects: operands.map(({ text, word }) => path('writes', text, word)) };
  const last = folder === undefined ? operands.at(-1) : undefined;
  const target = folder === undefined ? last?.text : (folder.value ?? '.');
  const modes = options.filter(({ name }) => name === '-m' || name === '--mode');
  return {
    risks: modes.flatMap(({ value, valueWord }) => lendsRights(value ?? '', valueWord)),
    effects: [
      ...operands
        .filter((each) => each !== last)
        .map(({ text, word, live }) => path('reads', text, word, { live: live !== null })),
      ...(target === undefined
        ? []
        : [path('into', target, last?.word ?? -1), path('writes', target, last?.word ?? -1)]),
    ],
  };
};

/** What lay where it writes stays under another name beside it; one with a slash leads elsewhere. */
function backups(reading: Reading): Yield {
  const given = valuesOf(reading, '-S', '--suffix');
  const away = given
    .filter((value) => value.includes('/'))
    .map((value) =>
      ofValue({ ...writes, level: 'pinned', why: 'the suffix holds a path' }, value, -1),
    );
  if (given.length === 0 && !has(reading, '-b', '--backup')) return merge(away);
  return merge([...away, { effects: besideWritten(reading.effects, ['~', '.~1~', ...given]) }]);
}

const withBackups = (record: ProgramRecord): ProgramRecord => ({
  ...record,
  environment: {
    ...record.environment,
    SIMPLE_BACKUP_SUFFIX: 'decides the names of backup files',
    VERSION_CONTROL: 'decides the names of backup files',
  },
  grammar: {
    ...record.grammar,
    finish: (reading) => {
      const done = record.grammar.finish?.(reading) ?? {};
      const effects = [...reading.effects, ...(done.effects ?? [])];
      return merge([done, backups({ ...reading, effects })]);
    },
  },
});

const ln: ProgramRecord = {
  links: 'makes',
  replaces: true,
  ...one(
    ['ln', 'gln', 'link', 'symlink'],
    'Makes links.',
    '--backup[] -b -d|-F|--directory -f|--force -i|--interactive -L|--logical -n|--no-dereference -P|--physical -r|--relative -s|--symbolic -S|--suffix= -t|--target-directory= -T|--no-target-directory -v|--verbose -h -w',
    {},
    { operands: { rest: inert }, finish: linked },
  ),
};

const install: ProgramRecord = one(
  ['install', 'ginstall'],
  'Copies files and sets who may use them.',
  '--backup[] -b -c -C|--compare -d|--directory -D -g|--group= -m|--mode= -o|--owner= -p|--preserve-timestamps -s|--strip -S|--suffix= -t|--target-directory= -T|--no-target-directory -v|--verbose --preserve-context -Z --context[] --debug',
  { '--strip-program': starts, '--strip': pins('install starts strip') },
  { operands: { rest: inert }, finish: installedFiles },
);

/** Programs that put files, or other names of them, where a target says. */
export const copyPrograms: readonly ProgramRecord[] = [cp, mv, ln, install].map(withBackups);
