import { doubt, merge, pinned, projectFile, reads, writes } from '../../forms.ts';
import { argparse } from '../../syntax.ts';
import type {
  Argument,
  CustomReading,
  Options,
  ProgramRecord,
  Reading,
  Yield,
} from '../../types.ts';
import { anything, command, readLoosely, withRoles } from '../shapes.ts';

/** Modules that come with Python or are run as such (`python -m unittest`), by their names. */

const inProject = ({ operands }: Reading): Yield =>
  merge(operands.map((one) => anything(one, 'reads', true)));

const testOptions: Options = withRoles(
  '-v|--verbose -q|--quiet --locals --durations= -f|--failfast -c|--catch -b|--buffer -k= -h|--help',
  {},
);
const unittest: ProgramRecord = {
  names: ['unittest'],
  does: 'Runs the tests of a project.',
  project: { caches: [], network: true },
  grammar: {
    syntax: argparse,
    options: testOptions,
    operands: { rest: { ...reads, kind: 'inert' } },
    commands: {
      discover: command(
        argparse,
        'Runs the tests of a project.',
        withRoles(
          '-v|--verbose -q|--quiet --locals --durations= -f|--failfast -c|--catch -b|--buffer -k= -p|--pattern= -h|--help',
          { '-s --start-directory -t --top-level-directory': projectFile },
        ),
        { finish: inProject },
      ),
    },
    finish: inProject,
    offers: 'exact',
  },
};

const jsonTool: ProgramRecord = {
  names: ['json.tool'],
  does: 'Checks and lays out JSON.',
  grammar: {
    syntax: argparse,
    options: withRoles(
      '-h|--help --sort-keys --no-ensure-ascii --json-lines --indent= --tab --no-indent --compact',
      {},
    ),
    operands: { first: [reads, pinned(writes, 'json.tool writes a file')] },
    offers: 'exact',
  },
};

const compiling = (name: string, options: string): ProgramRecord => ({
  names: [name],
  does: 'Checks code of Python by compiling it.',
  project: { caches: [] },
  grammar: {
    syntax: argparse,
    options: withRoles(options, {}),
    // What is compiled lies beside it from then on.
    operands: { rest: projectFile },
    offers: 'exact',
  },
});

const why = 'coverage runs a script or module with run';

/** `run -m pytest` runs pytest, whose own options follow. */
function readCoverage(args: readonly Argument[]): CustomReading {
  const [run, mark, module] = args.map(({ text }) => text);
  if (run !== 'run')
    return readLoosely(args, { use: 'edits', runs: true, pins: /^run$/, why }, 'coverage');
  const known = mark === '-m' && /^(?:pytest|unittest)$/.test(module ?? '');
  const operands = args.map(({ text, live }, word) => ({ text, live, word }));
  return known && args[2]?.live === null
    ? {
        options: [],
        operands,
        effects: [{ kind: 'command', words: args.slice(2), why, word: 2, leading: 3 }],
      }
    : { options: [], operands, doubts: [doubt(why, 0)] };
}

const coverage: ProgramRecord = {
  names: ['coverage'],
  does: 'Shows which code tests have run.',
  project: { caches: [], network: true },
  grammar: { syntax: argparse, read: readCoverage, offers: 'exact' },
};

export const pythonModulePrograms: readonly ProgramRecord[] = [
  unittest,
  jsonTool,
  compiling('py_compile', '-h|--help -q|--quiet'),
  compiling('compileall', '-h|--help -q -qq -f -l -r= -j|--workers= -x= -b --invalidation-mode='),
  coverage,
];
