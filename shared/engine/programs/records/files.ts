import {
  flag,
  gnuCommon,
  has,
  inert,
  merge,
  ofValue,
  optional,
  path,
  pins,
  reads,
  risk,
  valuesOf,
  writes,
} from '../forms.ts';
import { gnu, keyValue } from '../syntax.ts';
import type { Effect, Operand, Options, ProgramRecord, Reading, Yield } from '../types.ts';

const word = optional(inert);

const ls: ProgramRecord = {
  names: ['ls', 'gls', 'dir', 'vdir'],
  onlyNames: true,
  does: 'Lists the files of folders.',
  held: {},
  grammar: {
    syntax: gnu,
    dashIsFile: true,
    options: {
      '-a --all': flag,
      '-A --almost-all': flag,
      '--author': flag,
      '-b --escape': flag,
      '--block-size': inert,
      '-B --ignore-backups': flag,
      '-c -C -f -g -l -m -o -S -t -u -U -v -x -X -1': flag,
      '--color': word,
      '-d --directory': flag,
      '-D --dired': flag,
      '-F': flag,
      '--classify': word,
      '--file-type': flag,
      '-p': flag,
      '--format': inert,
      '--full-time': flag,
      '--group-directories-first': flag,
      '-G --no-group': flag,
      '-h --human-readable': flag,
      '--si': flag,
      '-H --dereference-command-line': flag,
      '--dereference-command-line-symlink-to-dir': flag,
      '--hide': inert,
      '--hyperlink': word,
      '--indicator-style': inert,
      '-i --inode': flag,
      '-I --ignore': inert,
      '-k --kibibytes': flag,
      '-L --dereference': flag,
      '-n --numeric-uid-gid': flag,
      '-N --literal': flag,
      '-q --hide-control-chars': flag,
      '--show-control-chars': flag,
      '-Q --quote-name': flag,
      '--quoting-style': inert,
      '-r --reverse': flag,
      '-R --recursive': flag,
      '-s --size': flag,
      '--sort': inert,
      '--time': inert,
      '--time-style': inert,
      '-T --tabsize': inert,
      '-w --width': inert,
      '-Z --context': flag,
      '--zero': flag,
      ...gnuCommon,
    },
    operands: { rest: reads },
    offers: 'reads',
  },
};

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
  return merge([{ effects }, landing(sources, target, { brings: tree, whole })]);
}

/** What comes to be at the target: the name itself, names of sources in it, or what trees hold. */
function landing(
  sources: readonly Operand[],
  target: ReturnType<typeof targetsOf>['target'],
  { brings, whole }: { readonly brings: boolean; readonly whole: boolean },
): Yield {
  if (target === null) return {};
  const { text, word: at, live } = target;
  const effects: Effect[] = [path('writes', text, at, { live })];
  const open =
    brings && (whole || sources.some((one) => one.live !== null || contents.test(one.text)));
  if (open) effects.push(path('into', text, at, { live }));
  for (const one of whole ? [] : sources) {
    const name = one.text.replace(/\/+$/, '').replace(/^.*\//, '');
    if (name === '' || name === '.' || name === '..') continue;
    effects.push(
      path('writes', name, one.word, { base: text, tree: brings, live: one.live !== null || live }),
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
  links: 'can',
  does: 'Copies files and folders.',
  held: {},
  environment: {
    SIMPLE_BACKUP_SUFFIX: 'decides the names of backup files',
    VERSION_CONTROL: 'decides the names of backup files',
  },
  grammar: {
    syntax: gnu,
    dashIsFile: true,
    options: {
      '-a --archive': flag,
      '--attributes-only': flag,
      '-b': flag,
      '--backup': word,
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
      '--preserve': word,
      '--no-preserve': inert,
      '--parents': flag,
      '-R -r --recursive': flag,
      '--reflink': word,
      '--remove-destination': flag,
      '--sparse': inert,
      '--strip-trailing-slashes': flag,
      '-s --symbolic-link': flag,
      '-S --suffix': inert,
      '-t --target-directory': inert,
      '-T --no-target-directory': flag,
      '-u': flag,
      '--update': word,
      '-v --verbose': flag,
      '-x --one-file-system': flag,
      '-Z': flag,
      '--context': word,
      ...gnuCommon,
    },
    operands: { rest: inert },
    finish: copied,
    offers: 'exact',
  },
};

const mv: ProgramRecord = {
  names: ['mv', 'gmv'],
  links: 'can',
  replaces: true,
  does: 'Moves and renames files and folders.',
  held: {},
  environment: {
    SIMPLE_BACKUP_SUFFIX: 'decides the names of backup files',
    VERSION_CONTROL: 'decides the names of backup files',
  },
  grammar: {
    syntax: gnu,
    dashIsFile: true,
    options: {
      '-b': flag,
      '--backup': word,
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
      '--update': word,
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

/** Suffixes of backups become part of names: one with a slash leads elsewhere. */
function suffixes(reading: Reading): Yield {
  const given = valuesOf(reading, '-S', '--suffix');
  const away = given
    .filter((value) => value.includes('/'))
    .map((value) =>
      ofValue({ ...writes, level: 'pinned', why: 'the suffix holds a path' }, value, -1),
    );
  if (given.length === 0 && !has(reading, '-b', '--backup')) return merge(away);
  // What lies where it writes stays under another name beside it.
  const effects = reading.effects.flatMap((one) =>
    one.kind === 'path' && one.use === 'writes'
      ? ['~', '.~1~', ...given].map((end) => ({ ...one, path: `${one.path}${end}` }))
      : [],
  );
  return merge([...away, { effects }]);
}

const rm: ProgramRecord = {
  names: ['rm', 'grm'],
  does: 'Deletes files and folders.',
  held: {},
  grammar: {
    syntax: gnu,
    dashIsFile: true,
    options: {
      '-f --force': flag,
      '-i -I': flag,
      '--interactive': word,
      '--one-file-system': flag,
      '--no-preserve-root': flag,
      '--preserve-root': word,
      '--presume-input-tty': flag,
      '-r -R --recursive': flag,
      '-d --dir': flag,
      '-v --verbose': flag,
      ...gnuCommon,
    },
    operands: { rest: inert },
    finish: (reading) => {
      const tree = has(reading, '-r', '-R', '--recursive');
      const effects = reading.operands.map(({ text, live, word: at }) =>
        path('deletes', text, at, { tree, live: live !== null }),
      );
      const text = has(reading, '--no-preserve-root')
        ? 'Deletes also the root of the file system.'
        : tree && effects.length === 0
          ? 'Deletes every folder that it is handed.'
          : null;
      return text === null
        ? { effects }
        : { effects, risks: [risk('recursive-delete', 'high', text)] };
    },
    offers: 'exact',
  },
};

const mkdir: ProgramRecord = {
  names: ['mkdir', 'gmkdir'],
  onlyNames: true,
  does: 'Makes folders.',
  held: {},
  grammar: {
    syntax: gnu,
    dashIsFile: true,
    options: {
      '-m --mode': inert,
      '-p --parents': flag,
      '-v --verbose': flag,
      '-Z': flag,
      '--context': word,
      ...gnuCommon,
    },
    operands: { rest: writes },
    offers: 'files',
  },
};

const blockWhere: Options = {
  'if=': reads,
  'of=': writes,
  'bs= ibs= obs= cbs= count= skip= iseek= seek= oseek= conv= iflag= oflag= status= files= speed=':
    inert,
};
const dd: ProgramRecord = {
  names: ['dd', 'gdd'],
  does: 'Copies bytes.',
  grammar: {
    syntax: keyValue,
    options: blockWhere,
    operands: { rest: inert },
    offers: 'exact',
  },
};

const withSuffixes = (record: ProgramRecord): ProgramRecord => ({
  ...record,
  grammar: {
    ...record.grammar,
    finish: (reading) => {
      const done = record.grammar.finish?.(reading) ?? {};
      const effects = [...reading.effects, ...(done.effects ?? [])];
      return merge([done, suffixes({ ...reading, effects })]);
    },
  },
});

export const filePrograms: readonly ProgramRecord[] = [
  ls,
  withSuffixes(cp),
  withSuffixes(mv),
  rm,
  mkdir,
  dd,
];
