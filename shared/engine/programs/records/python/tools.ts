import {
  doubt,
  listedWords,
  has,
  inert,
  into,
  merge,
  parsed,
  path,
  pinned,
  pins,
  projectFile,
  writes,
  executes,
} from '../../forms.ts';
import { argparse, clap } from '../../syntax.ts';
import type { Command, ProgramRecord, Reading, Use, Yield } from '../../types.ts';
import { isMade } from '../project-tools.ts';
import { anything, command, withRoles } from '../shapes.ts';

/** pytest empties the folder first. */
const emptied: Use = {
  ...into,
  runs: true,
  parse: (value, word) =>
    isMade(value)
      ? {}
      : { doubts: [doubt('pytest deletes what lies in the folder of --basetemp', word)] },
};
const pytestOptions = withRoles(
  `-k= -m= --markers -x|--exitfirst --fixtures|--funcargs --fixtures-per-test --pdb --trace --capture= -s --runxfail --lf|--last-failed --ff|--failed-first
  --nf|--new-first --cache-show[] --cache-clear --lfnf|--last-failed-no-failures= --sw|--stepwise --sw-skip|--stepwise-skip --stepwise-reset --durations=
  --durations-min= -v|--verbose --no-header --no-summary --no-fold-skipped --force-short-summary -q|--quiet --verbosity= -r= --disable-warnings|--disable-pytest-warnings
  -l|--showlocals --no-showlocals --tb= --xfail-tb --show-capture= --full-trace --color= --code-highlight= --pastebin= --junit-prefix|--junitprefix= -W|--pythonwarnings=
  --maxfail= --strict-config --strict-markers --strict --continue-on-collection-errors --co|--collect-only --ignore-glob=
  --deselect= --noconftest --keep-duplicates --collect-in-virtualenv --import-mode= --doctest-modules --doctest-report= --doctest-glob= --doctest-ignore-import-errors
  --doctest-continue-on-failure -V|--version -h|--help --trace-config --setup-only --setup-show --setup-plan --log-level= --log-format= --log-date-format=
  --log-cli-level= --log-cli-format= --log-cli-date-format= --log-file-level= --log-file-format= --log-file-date-format= --log-file-mode= --log-auto-indent= --log-disable=
  -n|--numprocesses= --dist= --maxprocesses= --looponfail --no-cov --no-cov-on-fail --cov-append --cov-branch --cov-fail-under= --cov-reset --timeout= --timeout-method=
  --reruns= --reruns-delay= --asyncio-mode= --benchmark-only --benchmark-skip --benchmark-disable --snapshot-update --snapshot-warn-unused --create-db --reuse-db --nomigrations --no-migrations
  --forked --count= --randomly-seed= -p= --assert= --instafail --sugar --picked --testmon --ds= --html-self-contained --self-contained-html --use-xdist`,
  {
    '--rootdir --confcutdir --ignore --cov-config': projectFile,
    '-c --config-file --inifile': projectFile,
    '--junitxml --junit-xml --report-log --html --resultlog --json-report-file --log-file': {
      ...writes,
      runs: true,
    },
    '--debug': { ...writes, arity: 'maybe', runs: true },
    '--basetemp': emptied,
    '--cov': { ...projectFile, arity: 'optional' },
    '--cov-report': {
      ...inert,
      kind: 'parsed',
      parse: (value, word) => {
        const file = /^[\w-]+:(.*)$/s.exec(value)?.[1];
        return file === undefined
          ? {}
          : {
              effects: [
                path('into', file, word, { runs: true }),
                path('writes', file, word, { runs: true }),
              ],
            };
      },
    },
    '--pyargs': executes('pytest runs tests of any package'),
    '-p': {
      ...inert,
      kind: 'parsed',
      parse: (value, word) =>
        value.startsWith('no:') ? {} : { doubts: [doubt('pytest loads the plug-in in -p', word)] },
    },
    '-o --override-ini --pdbcls --pastebin': pinned(
      inert,
      'an option of pytest loads code or changes settings',
    ),
    '--tx --rsyncdir --px': executes('pytest starts other programs', inert),
  },
);
const pytest: ProgramRecord = {
  names: ['pytest', 'py.test'],
  does: 'Runs the tests of a project.',
  project: { caches: [], network: true },
  environment: {
    PYTEST_ADDOPTS: 'holds options of pytest',
    PYTEST_PLUGINS: 'names code that pytest loads',
  },
  grammar: {
    syntax: { ...argparse, name: 'pytest', abbreviates: false },
    options: pytestOptions,
    operands: { rest: inert },
    finish: ({ operands }) =>
      merge(
        operands.map((one) =>
          one.text.startsWith('@')
            ? { doubts: [doubt('pytest takes its options from a file', one.word)] }
            : anything({ ...one, text: one.text.split('::', 1)[0] ?? '' }, 'reads', true),
        ),
      ),
    offers: 'exact',
  },
};

const reports =
  '--any-exprs-report --cobertura-xml-report --html-report --linecount-report --linecoverage-report --lineprecision-report --txt-report --xml-report --xslt-html-report --xslt-txt-report';
const mypyFlags = `disallow-any-unimported disallow-any-expr disallow-any-decorated disallow-any-explicit disallow-any-generics
  disallow-subclassing-any disallow-untyped-calls disallow-untyped-defs disallow-incomplete-defs check-untyped-defs
  disallow-untyped-decorators implicit-optional strict-optional warn-redundant-casts warn-unused-ignores warn-no-return
  warn-return-any warn-unreachable allow-untyped-globals allow-redefinition implicit-reexport strict-equality extra-checks
  strict-bytes show-error-context show-column-numbers show-error-end show-error-codes show-error-code-links pretty color-output error-summary show-absolute-path
  incremental sqlite-cache cache-fine-grained namespace-packages warn-unused-configs silence-site-packages site-packages
  warn-incomplete-stub fast-module-lookup local-partial-types allow-empty-bodies strict-concatenate force-uppercase-builtins force-union-syntax`;
const mypy: ProgramRecord = {
  names: ['mypy'],
  does: 'Checks types of Python.',
  project: { caches: [] },
  environment: {
    MYPYPATH: 'decides which code mypy reads',
    MYPY_CACHE_DIR: 'names a folder that mypy writes to',
  },
  grammar: {
    syntax: argparse,
    options: withRoles(
      `--enable-incomplete-feature= -h|--help -v|--verbose -V|--version --ignore-missing-imports --follow-imports= --follow-untyped-imports
      --python-version= -2|--py2 --platform= --always-true= --always-false= --strict --disable-error-code= --enable-error-code= --hide-error-codes --hide-error-context
      --skip-version-check --skip-cache-mtime-checks --show-traceback|--tb --raise-exceptions --disable-recursive-aliases
      --scripts-are-modules --non-interactive --explicit-package-bases --exclude= --exclude-gitignore -m|--module= -p|--package= --allow-redefinition-new
      --untyped-calls-exclude= --output|-O= --find-occurrences= --new-type-inference --no-new-type-inference --soft-error-limit= --num-workers= --bazel
      ${mypyFlags
        .split(/\s+/)
        .map((name) => `--${name} --no-${name}`)
        .join(' ')}`.replaceAll(
        '--allow-redefinition --no-allow-redefinition',
        '--allow-redefinition|--allow-redefinition-old --disallow-redefinition',
      ),
      {
        '--config-file --custom-typeshed-dir': projectFile,
        '--shadow-file --python-executable --custom-typing-module': executes(
          'an option of mypy starts a program or loads code',
          inert,
        ),
        '--install-types': pins('mypy installs packages'),
        '--pdb': pins('mypy starts a debugger'),
        '--cache-dir': { ...into, runs: true },
        [reports]: { ...into, runs: true },
        '--junit-xml --timing-stats --line-checking-stats': { ...writes, runs: true },
        '-c --command': inert,
      },
    ),
    operands: { rest: inert },
    finish: ({ operands }) =>
      merge(
        operands.map((one) =>
          one.text.startsWith('@')
            ? { doubts: [doubt('mypy takes its options from a file', one.word)] }
            : anything(one, 'reads', true),
        ),
      ),
    offers: 'files',
  },
};

const black: ProgramRecord = {
  names: ['black'],
  does: 'Lays out source text of Python.',
  project: { caches: ['~/.cache/black'] },
  grammar: {
    syntax: { ...clap, name: 'click' },
    options: withRoles(
      `-c|--code= -l|--line-length= -t|--target-version= --pyi --ipynb --python-cell-magics= -x|--skip-source-first-line -S|--skip-string-normalization
      -C|--skip-magic-trailing-comma --preview --unstable --enable-unstable-feature= --check --diff --color --no-color --fast --safe --required-version= --include= --exclude=
      --extend-exclude= --force-exclude= -W|--workers= -q|--quiet -v|--verbose --version -h|--help --line-ranges= --no-cache`,
      { '--config --stdin-filename': projectFile },
    ),
    operands: { rest: inert },
    finish: (one) =>
      merge(
        one.operands.map((word) =>
          anything(word, has(one, '--check', '--diff') ? 'reads' : 'edits', true),
        ),
      ),
    offers: (one) => (has(one, '--check', '--diff') ? 'files' : 'exact'),
  },
};

/** A file of the project, or a setting written out, which may name files and folders. */
function ruffConfig(value: string, word: number): Yield {
  if (!value.includes('=')) return { effects: [path('reads', value, word, { runs: true })] };
  return /^[\w.-]+\s*=\s*[\w"', [\]-]*$/.test(value) && !/^(?:extend|cache-dir)\b/.test(value)
    ? {}
    : { doubts: [doubt('a setting of ruff may name a file', word)] };
}

const ruffOptions = withRoles(
  `--fix --no-fix --unsafe-fixes --no-unsafe-fixes --show-fixes --no-show-fixes --diff -w|--watch --fix-only --no-fix-only --ignore-noqa --output-format= --target-version=
  --preview --no-preview --select= --ignore= --extend-select= --extend-ignore= --per-file-ignores= --extend-per-file-ignores= --fixable= --unfixable= --extend-fixable=
  --exclude= --extend-exclude= --respect-gitignore --no-respect-gitignore --force-exclude --no-force-exclude -n|--no-cache -e|--exit-zero --exit-non-zero-on-fix
  --exit-non-zero-on-format --statistics --add-noqa --show-files --show-settings -h|--help -v|--verbose -q|--quiet -s|--silent --isolated --check --line-length=
  --range= --color= -V|--version --all --explain --extension= --dummy-variable-rgx= --no-diff`,
  {
    '--stdin-filename --cache-dir': projectFile,
    '--config': parsed(ruffConfig),
    '-o --output-file': { ...writes, runs: true },
  },
);
const ruffCommand = (does: string, edits: (reading: Reading) => boolean): Command =>
  command(clap, does, ruffOptions, {
    operands: { rest: inert },
    finish: (one) =>
      merge([
        ...one.operands.map((word) => anything(word, edits(one) ? 'edits' : 'reads', true)),
        listedWords(one),
      ]),
    offers: (one) => (edits(one) ? 'exact' : 'files'),
  });
const ruff: ProgramRecord = {
  names: ['ruff'],
  does: 'Checks and lays out source text of Python.',
  project: { caches: [] },
  grammar: {
    syntax: { ...clap, inherits: true },
    options: withRoles(
      '-v|--verbose -q|--quiet -s|--silent --isolated -h|--help -V|--version --color=',
      { '--config': parsed(ruffConfig) },
    ),
    commands: {
      check: ruffCommand('Checks source text.', (one) =>
        has(one, '--fix', '--fix-only', '--add-noqa', '--unsafe-fixes'),
      ),
      format: ruffCommand('Lays out source text.', (one) => !has(one, '--check', '--diff')),
      'rule linter config version help clean analyze': ruffCommand(
        'Shows what ruff knows.',
        () => false,
      ),
    },
  },
};

export const pythonToolPrograms: readonly ProgramRecord[] = [pytest, mypy, black, ruff];
