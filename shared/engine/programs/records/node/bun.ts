import {
  doubt,
  executes,
  flag,
  has,
  inert,
  plainOptions,
  projectFile,
  writes,
} from '../../forms.ts';
import { node as nodeSyntax, wholeNames } from '../../syntax.ts';
import type { Syntax } from '../../syntax.ts';
import type { Command, ProgramRecord } from '../../types.ts';
import { chooses } from '../findings.ts';
import { command, handedOn, withRoles } from '../shapes.ts';
import { made } from './others.ts';
import { executed, installed } from './shared.ts';

const bunSyntax: Syntax = { ...nodeSyntax, name: 'bun', inherits: true };
const bun = made(bunSyntax);
const bunInstall = bun('Installs packages.', (one) =>
  installed(one, has(one, '--ignore-scripts', '--dry-run')),
);
const bunRuns = (name: string): Command =>
  bun('Runs code.', (one) => executed(one, `bun ${name} runs what its arguments name`, 0, false));

const bunRecord: ProgramRecord = {
  names: ['bun'],
  runs: 'code',
  does: 'Installs packages, and runs code and scripts of a project.',
  project: { caches: ['~/.bun', '~/.cache'], network: true },
  environment: {
    'BUN_*': 'holds settings of bun, which can load code',
    BUN_OPTIONS: 'holds options of bun, which can load code',
    NODE_PATH: 'decides from where bun loads code',
  },
  grammar: {
    syntax: bunSyntax,
    options: withRoles(
      `--yarn -y|--yes -P|--production --no-save --save --dry-run --frozen-lockfile -f|--force --no-cache --silent --verbose
      -g|--global --backend= -D|--dev|--development --exact -E --optional -O --peer --no-progress --no-summary --no-verify
      --ignore-scripts --trust --lockfile-only --save-text-lockfile --omit= --linker= --concurrent-scripts= --network-concurrency=
      --timeout= -u|--update-snapshots --rerun-each= --only --todo --coverage --coverage-reporter= --bail[] -t|--test-name-pattern=
      --reporter= --watch --hot --smol -b|--bun --if-present --no-install --prefer-offline --prefer-latest --latest
      --recursive -r|--interactive -i -a|--all --filter= -F= --minify --minify-syntax --minify-whitespace --minify-identifiers
      --target= --format= --sourcemap[] --splitting --external= -e= --define= -d= --no-bundle --elide-lines= -v|--version --revision
      -h|--help --analyze --only-missing --dots --seed= --randomize --concurrent --max-concurrency=`.replace(
        '-r|--interactive',
        '--interactive',
      ),
      {
        '--cwd --root --outdir': projectFile,
        '--outfile --coverage-dir --reporter-outfile': writes,
        '--ca --cafile --registry --cache-dir --install --env-file': executes(
          chooses('bun'),
          inert,
        ),
        '-c --config -r --preload --require --import --loader -l --tsconfig-override --plugin':
          executes(chooses('bun'), inert),
        '-p --print --eval --inspect --inspect-brk --inspect-wait --open --console-depth': executes(
          'bun runs code that stands in its arguments',
          inert,
        ),
        '--trust': executes(chooses('bun')),
      },
    ),
    commands: {
      'install i add a remove rm update ci unlink outdated audit why info': bunInstall,
      link: bun('Links a package of this machine.', () => ({
        doubts: [doubt('bun link puts programs where all projects find them')],
      })),
      test: bun('Runs the tests of a project.', (one) => handedOn(one.operands)),
      run: bunRuns('run'),
      x: bunRuns('x'),
      'create c init': bunRuns('create'),
      exec: bunRuns('exec'),
      ...Object.fromEntries(
        Object.entries({
          pm: 'Works on packages.',
          build: 'Bundles code of a project.',
          publish: 'Publishes the package.',
          upgrade: 'Changes Bun itself.',
          repl: 'Runs code as it is typed.',
          patch: 'Changes a package that is installed.',
        }).map(([name, does]) => [
          name,
          bun(does, () => ({ doubts: [doubt('bun runs what its arguments name')] })),
        ]),
      ),
    },
    operands: { rest: inert },
    finish: (one) =>
      one.operands.length === 0
        ? has(one, '--version', '-v', '--revision', '--help', '-h')
          ? {}
          : { doubts: [doubt('bun runs whatever it is given as input', -1, 'never')] }
        : {
            effects: one.operands.slice(0, 1).map(({ text, word }) => ({
              kind: 'code' as const,
              language: 'javascript',
              text: null,
              file: text,
              why: 'bun runs the code in a file that its arguments name',
              word,
            })),
          },
  },
};

const denoSyntax: Syntax = { ...wholeNames, name: 'deno' };
const denoLooks = (does: string): Command =>
  command(
    denoSyntax,
    does,
    plainOptions(`--check --json -q|--quiet --ext= --ignore= --watch --rules --compact --fix
    --line-width= --indent-width= --use-tabs --single-quote --no-semicolons --prose-wrap= --unstable --no-lock
    --doc --all --remote --no-remote --no-npm --rules-tags= --rules-include= --rules-exclude= -h|--help --permit-no-files`),
    {
      operands: { rest: projectFile },
    },
  );

const deno: ProgramRecord = {
  names: ['deno'],
  runs: 'code',
  does: 'Runs code.',
  environment: {
    'DENO_*': 'decides which code deno loads, and whom it trusts',
    DENO_DIR: 'names code that deno loads',
  },
  grammar: {
    syntax: { ...wholeNames, permutes: false },
    options: { '-V --version -h --help -v': flag },
    commands: {
      fmt: denoLooks('Lays out source text.'),
      lint: denoLooks('Checks source text.'),
      check: denoLooks('Checks types.'),
      info: denoLooks('Shows what a file needs.'),
      types: denoLooks('Prints types.'),
    },
    operands: { rest: inert },
    finish: (one) =>
      has(one, '-V', '--version', '-h', '--help', '-v')
        ? {}
        : {
            effects: one.operands.slice(0, 1).map(({ word }) => ({
              kind: 'code' as const,
              language: 'javascript',
              text: null,
              why: 'deno runs code that its arguments name',
              word,
            })),
            doubts: [
              doubt(
                'deno runs code that its arguments name',
                -1,
                one.operands.length === 0 ? 'never' : 'pinned',
              ),
            ],
          },
  },
};

export const runtimePrograms: readonly ProgramRecord[] = [bunRecord, deno];
