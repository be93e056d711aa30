import {
  doubt,
  flag,
  holds,
  inert,
  merge,
  offersOf,
  path,
  plainOptions,
  projectFile,
  executes,
} from '../forms.ts';
import { getoptCommand } from '../syntax.ts';
import type { CustomReading, Options, ProgramRecord, Reading, Yield } from '../types.ts';
import { commandTool, knownCommand } from './command-tool.ts';
import { dotnet, west } from './dotnet.ts';
import { both, dropsDatabase, packager } from './findings.ts';
import { script } from './node/node.ts';
import { fixed, namesIn, readLoosely } from './shapes.ts';

const inline = (language: string): Options[string] => ({
  ...inert,
  kind: 'code',
  language,
  why: `${language} runs code that stands in its arguments`,
});

interface Language {
  readonly names: string;
  readonly language: string;
  /** Options with code, options with another value, and options without. */
  readonly code: string;
  readonly valued?: string;
  readonly flags?: string;
  /** Values that load other code. */
  readonly loads?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Flags that only say something about the interpreter, and those that only check a file. */
  readonly says?: string;
  readonly checks?: string;
}

const version = ['--version', '--help', '-V', '-h'];

function interpreter({
  names,
  language,
  code,
  valued = '',
  flags = '',
  loads = '',
  environment,
  says = '',
  checks = '',
}: Language): readonly ProgramRecord[] {
  const spell = (letters: string): string => letters.trim().split(/\s+/).filter(Boolean).join(' ');
  const options: Options = {
    ...(code === '' ? {} : { [spell(code)]: inline(language) }),
    ...(valued === '' ? {} : { [spell(valued)]: inert }),
    ...(loads === ''
      ? {}
      : { [spell(loads)]: executes(`an option of ${language} loads code or settings`, inert) }),
    ...plainOptions(`${flags} --version --help`),
  };
  return namesIn(names).map((name) => ({
    names: [name],
    versions: true,
    does: 'Runs code.',
    runs: 'code',
    ...(environment === undefined ? {} : { environment }),
    grammar: {
      syntax: getoptCommand,
      options,
      operands: { rest: inert },
      finish: (reading: Reading): Yield => {
        const [option, more] = reading.options;
        const alone = option !== undefined && more === undefined;
        const { operands } = reading;
        if (alone && operands.length === 0)
          if (
            holds(reading, ...version, ...says.split(' ')) ||
            (flags.includes('-v') && holds(reading, '-v'))
          )
            return {};
        const [file, other] = operands;
        if (alone && checks.split(' ').includes(option.name) && file?.live === null)
          if (other === undefined && file.text !== '-')
            return { effects: [path('reads', file.text, file.word)] };
        return script(reading, language);
      },
      offers: offersOf,
    },
  }));
}

const java: ProgramRecord = {
  names: ['java'],
  takesCode: true,
  versions: true,
  does: 'Runs code.',
  runs: 'commands',
  environment: {
    'JAVA*': 'decides which java is started, and with which options',
    JAVA_OPTS: 'holds options of java, which can load an agent',
    JAVA_TOOL_OPTIONS: 'holds options of java, which can load an agent',
    _JAVA_OPTIONS: 'holds options of java, which can load an agent',
    JDK_JAVA_OPTIONS: 'holds options of java, which can load an agent',
    CLASSPATH: 'decides which classes java loads',
  },
  grammar: {
    syntax: getoptCommand,
    read: (args) => {
      if (args.length === 1 && /^--?(?:version|help|h|showversion)$/.test(args[0]?.text ?? ''))
        return { options: [], operands: [] };
      const why = 'java runs code that its arguments name';
      return merge2(readLoosely(args, { use: 'reads' }, 'java'), {
        doubts: [doubt(why, -1, args.length === 0 ? 'never' : 'pinned')],
      });
    },
    offers: 'exact',
  },
};
function merge2(reading: CustomReading, more: Yield): CustomReading {
  return { ...reading, ...merge([reading, more]) };
}
const javac: ProgramRecord = {
  names: ['javac'],
  does: 'Compiles Java.',
  project: { caches: [] },
  grammar: {
    syntax: getoptCommand,
    read: (args) =>
      readLoosely(
        args,
        {
          use: 'edits',
          runs: true,
          pins: /^(?:-J|--?processor|-Xplugin|@|--?(?:system|upgrade-module-path|bootclasspath|extdirs|endorseddirs))/,
          why: 'the compiler runs the processors and plug-ins in its options',
        },
        'javac',
      ),
    offers: 'exact',
  },
};

const tools: readonly ProgramRecord[] = [
  commandTool({
    names: ['bundle', 'bundler'],
    finds: both(packager(/^(?:install|add|update)\b/), dropsDatabase),
    does: 'Works on packages of Ruby.',
    plain: 'add clean init install lock remove update package cache binstubs',
    looks: 'check doctor info list outdated show version help platform',
    runs: 'exec open console config plugin gem',
    pins: /^--gemfile/,
    mayBeBare: true,
    environment: {
      'BUNDLE_*': 'holds settings of bundler, which can name programs',
      BUNDLE_GEMFILE: 'names a file that bundler runs',
      RUBYOPT: 'holds options of ruby, which can load code',
    },
  }),
  commandTool({
    names: ['gem'],
    finds: packager(/^install\b/, /^push\b/),
    does: 'Works on packages of Ruby.',
    plain: 'build cleanup fetch uninstall',
    looks: 'contents dependency environment help info list outdated search spec which',
    runs: 'exec open',
    commands: {
      'install i update': knownCommand('Installs programs.', {}, () => ({
        doubts: [doubt('gem installs programs for all projects')],
      })),
      'push sources': knownCommand('Works on what is published.', {}, () => ({
        doubts: [doubt('gem publishes, or changes from where it takes code')],
      })),
    },
    pins: /^--(?:config-file|install-dir)/,
    environment: {
      GEM_HOME: 'decides from where ruby loads code',
      GEM_PATH: 'decides from where ruby loads code',
    },
  }),
  commandTool({
    names: ['rails'],
    elsewhere: {
      looks: /^(?:routes|test|stats|about|notes|zeitwerk:check|db:migrate:status|db:version)$/,
    },
    finds: dropsDatabase,
    does: 'Works on a project.',
    plain:
      'test routes db:migrate db:rollback db:seed db:create db:schema:load assets:precompile zeitwerk:check stats about notes db:migrate:status db:version',
    runs: 'r runner c console db dbconsole s server g generate new destroy',
  }),
  commandTool({
    names: ['composer'],
    finds: packager(/^(?:install|require|update)\b/),
    does: 'Works on packages of PHP.',
    front: {
      '-d --working-dir': projectFile,
      '-n --no-interaction -q --quiet -v -vv -vvv --verbose --ansi --no-ansi --profile --no-plugins --no-cache':
        flag,
    },
    plain: 'archive dump-autoload dumpautoload install remove require update upgrade init',
    looks:
      'about audit check-platform-reqs diagnose licenses outdated search show status validate why why-not depends suggests fund',
    runs: 'exec run-script run global config create-project',
    scripts: true,
    pins: /^(?:--working-dir|-d)/,
  }),
  dotnet,
  west,
];

/** Languages whose options are not told apart: without a file, what they run is their input. */
function runtimes(names: string, more: Partial<ProgramRecord> = {}): readonly ProgramRecord[] {
  return fixed('pinned', 'runs code in its arguments or files', names, more).map((record) => ({
    ...record,
    grammar: {
      ...record.grammar,
      read: (args) => {
        const found = record.grammar.read?.(args) ?? { options: [], operands: [] };
        const named =
          args.some(({ text }) => !text.startsWith('-')) && !args.some(({ text }) => text === '-');
        const says = args.length === 1 && /^--(?:version|help)$/.test(args[0]?.text ?? '');
        if (named || says) return found;
        return merge2(found, {
          doubts: [
            doubt(`${record.names[0] ?? ''} runs whatever it is given as input`, -1, 'never'),
          ],
        });
      },
    },
  }));
}

export const interpreterPrograms: readonly ProgramRecord[] = [
  ...interpreter({
    names: 'perl',
    language: 'perl',
    code: '-e -E',
    valued: '-I -x',
    loads: '-M -m -d -D',
    flags: '-a -c -f -l -n -p -s -S -t -T -u -U -v -V -w -W -X -h -0 -F= -C',
    environment: {
      'PERL*': 'decides which code perl loads',
      PERL5OPT: 'holds options of perl, which can load code',
      PERL5LIB: 'decides which code perl loads',
      PERL5DB: 'holds code that perl runs',
    },
  }),
  ...interpreter({
    names: 'ruby jruby',
    language: 'ruby',
    code: '-e',
    valued: '-E -F -K -T -x --encoding --external-encoding --internal-encoding --backtrace-limit',
    loads: '-r -I -C -S',
    flags: '-a -c -d -i -l -n -p -s -v -w -W -h --jit --yjit --mjit --verbose --copyright --debug',
    checks: '-c',
    environment: {
      RUBYOPT: 'holds options of ruby, which can load code',
      'RUBY*': 'decides which code ruby loads',
      RUBYSHELL: 'names a shell that ruby starts',
      RUBYLIB: 'decides from where ruby loads code',
    },
  }),
  ...interpreter({
    names: 'php',
    language: 'php',
    code: '-r -B -R -E',
    loads: '-c -d -f -F -S -t -z',
    flags: '-a -e -H -h -i -l -m -n -q -s -v -w --ini',
    says: '-m --ini',
    checks: '-l',
    environment: {
      PHPRC: 'names settings of php, which can load code',
      PHP_INI_SCAN_DIR: 'names settings of php, which can load code',
    },
  }),
  ...interpreter({
    names: 'lua luajit',
    language: 'lua',
    code: '-e',
    loads: '-l -j -b -O',
    flags: '-i -v -E -W',
    environment: {
      'LUA_*': 'decides which code lua loads',
      LUA_CPATH: 'decides from where lua loads code',
      LUA_INIT: 'holds code that lua runs',
      LUA_PATH: 'decides from where lua loads code',
    },
  }),
  ...interpreter({
    names: 'Rscript R',
    language: 'R',
    code: '-e --expression --eval',
    loads: '-f -g --file --default-packages',
    flags: '--vanilla --slave --quiet --no-save --verbose -q --no-restore',
    environment: {
      'R_*': 'decides which code R loads',
      R_ENVIRON: 'names settings of R',
      R_ENVIRON_USER: 'names settings of R',
      R_PROFILE: 'names code that R runs',
      R_PROFILE_USER: 'names code that R runs',
    },
  }),
  ...interpreter({
    names: 'julia',
    language: 'julia',
    code: '-e -E',
    loads: '-L -J -C -H --project --sysimage',
    valued: '-p -t -O',
    flags: '-v -h -i -q',
    environment: {
      'JULIA_*': 'decides which code julia loads',
      JULIA_DEPOT_PATH: 'decides from where julia loads code',
      JULIA_LOAD_PATH: 'decides from where julia loads code',
    },
  }),
  java,
  javac,
  ...tools,
  ...runtimes('irb iex elixir guile racket sbcl ghci ghc jshell pwsh osascript', {
    versions: true,
    runs: 'code',
  }),
  ...runtimes('erl', {
    versions: true,
    runs: 'code',
    environment: {
      ERL_FLAGS: 'holds options of erl, which can hold code',
      ERL_AFLAGS: 'holds options of erl, which can hold code',
      ERL_ZFLAGS: 'holds options of erl, which can hold code',
    },
  }),
  ...runtimes('tclsh wish', {
    versions: true,
    runs: 'code',
    environment: { TCLLIBPATH: 'decides from where tcl loads code' },
  }),
  ...runtimes(`raku rakudo perl6 clj cling picoc gforth maxima gp sage matlab octave octave-cli electron lli wasmtime runhaskell erb escript
    clojure scala groovy kotlin runghc ocaml gnuplot m4 jjs crystal zig v odin dmd rdmd ldc2 kotlinc scalac nim`),
];
