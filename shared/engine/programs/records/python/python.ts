import { doubt, flag, has, holds, inert, plainOptions } from '../../forms.ts';
import { getoptCommand } from '../../syntax.ts';
import { readPythonCode } from '../../languages/python.ts';
import { standsForModule } from '../../languages/python-words.ts';
import type { Argument, Options, ProgramRecord, Reading, Taken, Use, Yield } from '../../types.ts';
import { script } from '../node/node.ts';

const modules =
  /^(?:pytest|mypy|ruff|black|flake8|pylint|isort|pip|unittest|coverage|json\.tool|py_compile|compileall)$/;
const inWords = 'python runs code that stands in its arguments';
const unread: Use = { ...inert, kind: 'code', language: 'python', why: inWords };
const inline: Use = {
  ...inert,
  kind: 'parsed',
  parse: (text, word) => {
    const effects = readPythonCode(text, word);
    return {
      effects: effects ?? [{ kind: 'code', language: 'python', text, why: inWords, word }],
    };
  },
};

/** Options that change nothing of what code that was read does. */
const plain: ReadonlySet<string> = new Set('-c -b -B -E -I -O -P -q -s -S -u -v'.split(' '));
const isPlain = ({ name, value }: Taken): boolean =>
  plain.has(name) ||
  (name === '-X' && /^(?:importtime|utf8|dev|faulthandler)$/.test(value ?? '')) ||
  // With a category it would be imported.
  (name === '-W' && /^(?:ignore|default|error|always|module|once)$/.test(value ?? ''));

/** Whether the code in the words is all that it runs, and was read to its end. */
function isRead({ options, effects, doubts }: Reading): boolean {
  return (
    options.some(({ name }) => name === '-c') &&
    options.every(isPlain) &&
    doubts.length === 0 &&
    effects.every(({ kind }) => kind === 'path')
  );
}

/** With the code that it is given as input in the place of the dash that stands for it. */
function withInput(args: readonly Argument[], text: string): readonly Argument[] | null {
  const at = args.findIndex(({ text: word }) => !/^-[bBEIOPqsSuv]+$/.test(word));
  const before = at === -1 ? args : args.slice(0, at);
  if (at !== -1 && args[at]?.text !== '-') return null;
  const code: readonly Argument[] = ['-c', text].map((word) => ({ text: word, live: null }));
  return [...before, ...code, ...(at === -1 ? [] : args.slice(at + 1))];
}

/** Python's own options end at the module, so what follows it is the module's. */
function python(reading: Reading): Yield {
  const { options, operands, program } = reading;
  if (
    holds(
      reading,
      '-V',
      '--version',
      '-h',
      '--help',
      '-?',
      '--help-all',
      '--help-env',
      '--help-xoptions',
    )
  )
    return {};
  if (options.some(({ name }) => name === '-i'))
    return { doubts: [doubt(`${program} runs whatever it is given as input`, -1, 'never')] };
  if (has(reading, '-c')) {
    const other = options.find((one) => !isPlain(one));
    return other === undefined
      ? {}
      : { doubts: [doubt(`${other.name} of ${program} can load code`, other.word)] };
  }
  const module = options.find(({ name }) => name === '-m');
  if (module === undefined) return script(reading, 'python');
  const why = `${program} runs a module that its arguments name`;
  const known =
    module.value !== null && module.word === 0 && !module.live && modules.test(module.value);
  const words = [
    { text: module.value ?? '', live: null },
    ...operands.map(({ text, live }) => ({ text, live })),
  ];
  return {
    effects: [
      {
        kind: 'command',
        words: known ? words : [],
        why,
        word: module.valueWord,
        ...(known ? { leading: 2 } : {}),
      },
    ],
  };
}

/** `-c` and `-m` end the options: all that follows belongs to them. */
const pythonSyntax = {
  ...getoptCommand,
  name: 'python',
  endsAt: ['-c', '-m'] as readonly string[],
};
const pythonOptions: Options = {
  ...plainOptions(
    '-b -B -d -E -h -I -O -P -q -s -S -u -v -V -x -? -t -3 -R --version --help --help-env --help-xoptions --help-all -W= -X= -Q= --check-hash-based-pycs=',
  ),
  '-i': flag,
  '-c': inline,
  '-m': inert,
};

const pythonRecord: ProgramRecord = {
  names: ['python', 'pypy'],
  versions: true,
  does: 'Runs code.',
  runs: 'code',
  code: { isRead, withInput, shadows: standsForModule },
  // Only where its code was read.
  held: { where: () => false },
  harmless: `PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8
    PYTHONHASHSEED`.split(/\s+/),
  environment: {
    'PYTHON*': 'decides which code python loads',
    REQUESTS_CA_BUNDLE: 'makes python trust other certificates',
    PYTHONPATH: 'decides which code python loads',
    PYTHONHOME: 'decides which code python loads',
    PYTHONSTARTUP: 'names code that python runs',
    PYTHONBREAKPOINT: 'names code that python runs',
    PYTHONPYCACHEPREFIX: 'names a folder that python writes to',
    VIRTUAL_ENV: 'decides which python is started',
    COVERAGE_PROCESS_START: 'names settings with which python starts',
  },
  grammar: {
    syntax: pythonSyntax,
    options: pythonOptions,
    operands: { rest: inert },
    finish: python,
    offers: 'exact',
  },
};
/** It runs start files of the user, and reads code in ways of its own. */
const { code: _code, held: _held, ...likePython } = pythonRecord;
const ipython: ProgramRecord = {
  ...likePython,
  names: ['ipython'],
  grammar: { ...pythonRecord.grammar, options: { ...pythonOptions, '-c': unread } },
};

export const pythonPrograms: readonly ProgramRecord[] = [pythonRecord, ipython];
