import { doubt, flag, has, holds, inert, plainOptions } from '../../forms.ts';
import { getoptCommand } from '../../syntax.ts';
import type { Options, ProgramRecord, Reading, Yield } from '../../types.ts';
import { script } from '../node/node.ts';

const modules =
  /^(?:pytest|mypy|ruff|black|flake8|pylint|isort|pip|unittest|coverage|json\.tool|py_compile|compileall)$/;
const inline = {
  ...inert,
  kind: 'code' as const,
  language: 'python',
  why: 'python runs code that stands in its arguments',
};

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
  if (has(reading, '-c')) return {};
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
const ipython: ProgramRecord = {
  ...pythonRecord,
  names: ['ipython'],
};

export const pythonPrograms: readonly ProgramRecord[] = [pythonRecord, ipython];
