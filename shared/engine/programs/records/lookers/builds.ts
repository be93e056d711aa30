import { doubt, inert, into, projectFile, reads, writes } from '../../forms.ts';
import { wholeNames } from '../../syntax.ts';
import type { ProgramRecord } from '../../types.ts';
import { looker, type Look, type Looker } from './looker.ts';

const testsSwift = `-c|--configuration= --filter= --skip= --parallel --no-parallel --num-workers= --enable-code-coverage --skip-build -l|--list-tests -v|--verbose
  -q|--quiet --target= --product= --test-product= -j|--jobs= --build-tests --show-codecov-path --show-bin-path --static-swift-stdlib --type= --format=`;
const swiftCommand: Look = {
  options: testsSwift,
  roles: {
    '--package-path': projectFile,
    '--scratch-path --build-path': { ...into, runs: true },
    '--xunit-output': { ...writes, runs: true },
  },
  project: true,
};
const builds: readonly Looker[] = [
  {
    names: ['ctest'],
    does: 'Runs the tests of a build.',
    why: 'runs the tests and scripts that its options name',
    syntax: wholeNames,
    whole: {
      options: `-N -V|--verbose -VV|--extra-verbose --output-on-failure --stop-on-failure -j= --parallel= -R|--tests-regex= -E|--exclude-regex=
        -L|--label-regex= -LE|--label-exclude= -C|--build-config= --rerun-failed --progress --schedule-random --timeout= --repeat= --no-tests=
        -Q|--quiet -I|--tests-information= --print-labels --show-only[] --version --help -j1 -j2 -j3 -j4 -j6 -j8 -j12 -j16`,
      roles: { '--test-dir': projectFile },
      project: true,
    },
    more: { project: { caches: [] } },
  },
  {
    names: ['swift'],
    does: 'Builds and tests a package in Swift.',
    why: 'runs code of its own language that its arguments or files hold',
    syntax: wholeNames,
    fed: true,
    looks: {
      build: swiftCommand,
      test: swiftCommand,
      'package describe': swiftCommand,
      'package show-dependencies': swiftCommand,
      'package dump-package': swiftCommand,
      'package tools-version': swiftCommand,
    },
    more: {
      project: {
        caches: ['~/Library/Caches/org.swift.swiftpm', '~/.cache/org.swift.swiftpm'],
        network: true,
      },
    },
  },
  {
    names: ['clang-tidy'],
    does: 'Checks code in C and C++.',
    why: 'changes files or loads code',
    // Words behind two dashes are options of the compiler, which can load code: they stay options here.
    syntax: { ...wholeNames, endless: true },
    whole: {
      options: `-quiet --quiet --list-checks -list-checks --dump-config --use-color --version --help`,
      roles: {
        '-p': projectFile,
        '-checks --checks -header-filter --header-filter -warnings-as-errors --warnings-as-errors':
          inert,
      },
      operands: projectFile,
      project: true,
    },
  },
  {
    names: ['pkg-config', 'pkgconf'],
    does: 'Says how to build with a library.',
    why: 'does more than it is known for',
    syntax: wholeNames,
    whole: {
      options: `--cflags --libs --cflags-only-I --cflags-only-other --libs-only-l --libs-only-L --libs-only-other --modversion --exists --print-errors
        --static --short-errors --silence-errors --list-all --version --help --variable= --print-variables --print-requires --atleast-version= --exact-version=
        --max-version=`,
      operands: reads,
    },
    more: { environment: { 'PKG_CONFIG*': 'decides where pkg-config looks' } },
  },
  {
    names: ['protoc'],
    does: 'Makes code of descriptions of messages.',
    why: 'starts plug-ins and writes files',
    syntax: wholeNames,
    whole: {
      options: '--version -h --help',
      operands: { ...inert, level: 'pinned', why: 'protoc starts plug-ins and writes files' },
      finish: ({ options }) =>
        options.length === 0 ? { doubts: [doubt('protoc writes files')] } : {},
    },
  },
];

/** Programs that build, test and look at what was built. */
export const buildPrograms: readonly ProgramRecord[] = builds.map(looker);
