import {
  doubt,
  flag,
  has,
  inert,
  into,
  merge,
  parsed,
  path,
  pinned,
  projectFile,
  reads,
  writes,
  executing,
  executes,
} from '../../forms.ts';
import { clap, getoptCommand, singleDash } from '../../syntax.ts';
import type {
  Argument,
  Command,
  Options,
  ProgramRecord,
  Reading,
  Use,
  Yield,
} from '../../types.ts';
import {
  anything,
  command,
  fixed,
  handedOn,
  namesIn,
  plainly,
  readLoosely,
  withRoles,
} from '../shapes.ts';
import { chooses, packages } from '../findings.ts';
import { cargo } from './cargo.ts';

const compilerWhy = 'the compiler starts the linker and loads the code in its options';
const rustc: ProgramRecord = {
  names: ['rustc', 'clippy-driver'],
  does: 'Compiles Rust.',
  project: { caches: [] },
  grammar: {
    syntax: clap,
    options: withRoles(
      `-h|--help --cfg= --check-cfg= --crate-type= --crate-name= --edition= -g -O --explain= --test --target= -A|--allow= -W|--warn= -D|--deny= -F|--forbid= --force-warn=
      --cap-lints= -V|--version -v|--verbose --error-format= --json= --color= --remap-path-prefix= -l=`,
      {
        '-o': { ...writes, runs: true },
        '--out-dir': { ...into, runs: true },
        '--emit': parsed((value, word) => ({
          effects: value
            .split(',')
            .filter((one) => one.includes('='))
            .map((one) => path('writes', one.slice(one.indexOf('=') + 1), word, { runs: true })),
        })),
        // `--print sysroot=FILE` writes what it says there.
        '--print': parsed((value, word) =>
          /^[a-z-]+$/.test(value)
            ? {}
            : {
                effects: [
                  path('writes', value.slice(value.indexOf('=') + 1), word, { runs: true }),
                ],
              },
        ),
        '-L': pinned(inert, compilerWhy),
        '-C --codegen --extern --sysroot -Z --env-set --diagnostic-width': pinned(
          inert,
          compilerWhy,
        ),
      },
    ),
    operands: { rest: inert },
    finish: ({ operands }) =>
      merge(
        operands.map((one) =>
          /^[@+]/.test(one.text)
            ? { doubts: [doubt(compilerWhy, one.word)] }
            : anything(one, 'reads', true),
        ),
      ),
    offers: 'exact',
  },
};

const building = `-a -n -p= -race -msan -asan -cover -covermode= -coverpkg= -v -work -x -buildmode= -buildvcs[] -installsuffix= -linkshared -mod= -modcacherw -tags= -trimpath -i -json -pgo=
  -h -help`;
/** Flags of the linker and the compiler that only label, strip or print. */
const tame = (pattern: RegExp): Use =>
  parsed((value, word) =>
    pattern.test(value) ? {} : { doubts: [executing(chooses('go'), word)] },
  );
const goRisky: Options = {
  '-exec -toolexec -vettool -overlay -modfile -gccgoflags -asmflags -compiler -fuzzcachedir -pkgdir':
    executes(chooses('go'), inert),
  '-ldflags': tame(/^(?:(?:-s|-w|-X[ =][\w./-]+=[\w.:+/-]*)(?: |$))*$/),
  '-gcflags': tame(/^(?:all=)?(?:-(?:N|l|m)(?: |$))*$/),
};
const testing = `-bench= -benchtime= -count= -cpu= -failfast -fuzz= -fuzztime= -fuzzminimizetime= -list= -parallel= -run= -short -shuffle= -skip= -timeout= -vet= -benchmem -blockprofilerate= -memprofilerate=
  -mutexprofilefraction= -c -fullpath -artifacts -test.run= -test.v -test.timeout= -args`;
const profiles: Options = {
  '-o -blockprofile -coverprofile -cpuprofile -memprofile -mutexprofile -trace': {
    ...writes,
    runs: true,
  },
  '-outputdir': { ...into, runs: true },
};
const goSyntax = { ...singleDash, name: 'go', inherits: true as const, permutes: true };
const goCommand = (
  does: string,
  options: string,
  roles: Options = {},
  more: Partial<Command> = {},
): Command =>
  command(goSyntax, does, withRoles(options, { ...goRisky, '-C': projectFile, ...roles }), {
    operands: { rest: inert },
    finish: ({ operands }) =>
      handedOn(operands.map((one) => ({ ...one, text: one.text.replace(/@.*$/s, '') }))),
    ...more,
  });
const goInstalls = (does: string, more: (reading: Reading) => Yield = () => ({})): Command => {
  const base = goCommand(does, `${building} -u -t -d -insecure`);
  return {
    ...base,
    finish: (one) =>
      merge([
        base.finish?.(one) ?? {},
        more(one),
        {
          risks: packages([]),
        },
      ]),
  };
};
const goRuns = (name: string): Command => {
  const base = goCommand('Runs code of the project.', building);
  return {
    ...base,
    finish: () => ({ doubts: [doubt(`go ${name} runs what its arguments name`)] }),
  };
};

/**
 * A package of the project by its folder is its own code, as a script of it; what stands behind is the
 * program's own and must lie in the project. A file, a module elsewhere and a version pin.
 */
const goRun: Command = {
  ...goCommand('Runs a program of the project.', building),
  named: 'run starts a program of the project',
  syntax: { ...goSyntax, permutes: false },
  finish: ({ operands: [first, ...rest] }) =>
    first?.live === null &&
    /^\.(?:\/(?!.*(?:^|\/)\.\.(?:\/|$))[\w./-]*)?$/.test(first.text) &&
    !first.text.endsWith('.go')
      ? merge([
          { effects: [path('reads', first.text, first.word, { tree: true, runs: true })] },
          handedOn(rest),
        ])
      : { doubts: [doubt('go run runs what its arguments name')] },
};

const goNames = 'GOOS GOARCH GOARM GOAMD64 GOMAXPROCS GOGC GOTRACEBACK GO111MODULE CGO_ENABLED';
const go: ProgramRecord = {
  names: ['go'],
  does: 'Builds and tests Go.',
  project: {
    caches: ['~/go/pkg', '~/.cache/go-build', '~/Library/Caches/go-build'],
    network: true,
  },
  harmless: goNames.split(' '),
  environment: {
    'GO*': 'holds settings of go, which can name programs and where code comes from',
    'CGO_*': 'holds options of compilers, which can load plug-ins',
    GOFLAGS: 'holds options of go, which can name programs',
    GOROOT: 'decides which programs go starts',
    GOENV: 'names settings of go, which can name programs',
    GOTOOLDIR: 'decides which programs go starts',
    GOPATH: 'decides from where go takes code',
    GOPROXY: 'decides from where go downloads code',
    GONOSUMDB: 'makes go trust code without a check',
    GOINSECURE: 'makes go trust code without a check',
    CGO_CFLAGS: 'holds options of compilers, which can load plug-ins',
  },
  grammar: {
    syntax: goSyntax,
    options: { '-h -help': flag },
    commands: {
      build: goCommand('Builds a project.', building, { '-o': { ...writes, runs: true } }),
      test: goCommand('Runs the tests of a project.', `${building} ${testing}`, profiles),
      vet: goCommand(
        'Checks a project.',
        `${building} -c= -asmdecl -assign -atomic -bools -composites -copylocks -printf -shadow -structtag -unusedresult`,
      ),
      install: goInstalls('Installs programs.', ({ operands }) => ({
        doubts: operands
          .filter(({ text }) => /[@$*?]|^[^./][^/]*\.[^/]*\//.test(text))
          .map(({ text, word }) => doubt(`go installs the program ${text} from elsewhere`, word)),
      })),
      get: goInstalls('Adds packages.'),
      'clean fix fmt': goCommand(
        'Cleans or lays out a project.',
        `${building} -cache -modcache -testcache -r -i -fuzzcache -fix=`,
      ),
      list: goCommand(
        'Lists packages.',
        `${building} -f= -m -u -e -deps -test -compiled -export -find -versions -retracted -reuse=`,
        {},
        { offers: 'reads' },
      ),
      doc: goCommand(
        'Shows documentation.',
        '-all -c -cmd -short -src -u',
        {},
        { offers: 'reads' },
      ),
      version: goCommand('Shows the version.', '-m -v', {}, { offers: 'reads' }),
      help: goCommand('Shows help.', '', {}, { offers: 'reads' }),
      mod: {
        does: 'Works on dependencies.',
        syntax: goSyntax,
        options: {},
        commands: {
          'download tidy vendor verify init': goCommand(
            'Works on dependencies.',
            '-json -x -v -e -go= -compat= -diff -o=',
          ),
          'graph why': goCommand(
            'Shows dependencies.',
            '-m -vendor -go= -x',
            {},
            { offers: 'reads' },
          ),
          edit: goCommand(
            'Changes dependencies.',
            '-json -print -fmt -go= -toolchain= -module= -require= -droprequire= -exclude= -dropexclude= -retract= -dropretract=',
            { '-replace -dropreplace -tool -droptool': executes(chooses('go'), inert) },
          ),
        },
      },
      work: goCommand('Works on a workspace.', '-json -print -fmt -go= -r -use= -dropuse='),
      run: goRun,
      generate: goRuns('generate'),
      tool: {
        ...goRuns('tool'),
        commands: {
          cover: {
            ...goCommand('Shows what tests cover.', '-V', {
              '-func -html': reads,
              '-mode -var -pkgcfg': executes(chooses('go'), inert),
              '-o': { ...writes, runs: true },
            }),
            finish: (one) =>
              merge([
                handedOn(one.operands),
                // Without a file for it a browser is started.
                has(one, '-html') && !has(one, '-o') ? { doubts: [executing(chooses('go'))] } : {},
              ]),
          },
          nm: goCommand(
            'Shows the names in a program.',
            '-n -size -type -sort=',
            {},
            { offers: 'reads' },
          ),
          objdump: goCommand(
            'Shows the code in a program.',
            '-S -gnu -s=',
            {},
            { offers: 'reads' },
          ),
          'addr2line buildid': goCommand(
            'Shows what is in a program.',
            '',
            {},
            { offers: 'reads' },
          ),
          pprof: {
            ...goCommand(
              'Shows what was measured.',
              '-top -text -flat -cum -nodecount= -sample_index= -unit= -peek= -list= -focus= -ignore=',
            ),
            finish: ({ options, operands }) =>
              merge([
                { effects: operands.map(({ text, word }) => path('reads', text, word)) },
                options.some(({ name }) => /^-(?:top|text|peek|list)$/.test(name))
                  ? {}
                  : { doubts: [doubt('go tool pprof asks on its input what to do')] },
                ...operands.map(({ text, word }) =>
                  text.includes(':')
                    ? { doubts: [doubt('go tool pprof fetches what it shows', word)] }
                    : {},
                ),
              ]),
          },
        },
      },
      env: goCommand('Shows settings.', '-json -changed', {
        '-w -u': executes('go env changes settings that name programs'),
      }),
    },
  },
};
/** Compilers take so many options that only those that reach further are told apart. */
const compilerRisk =
  /^(?:-B|-fplugin|-fpass-plugin|-fuse-ld=|--prefix|-Xlinker|-Xassembler|-Xclang|-Xpreprocessor|-wrapper|--?spec|-Wp,|@|-fmodule-mapper|-foffload=|-fdiagnostics-(?:add|set)-output|-fxray|-load|-mllvm|-ccc-|--?gcc-toolchain|--gcc-install-dir|-iplugindir|-resource-dir|--ld-path|--config|-dumpdir|-save-temps=|-fdump|-ftime-trace=|-T$|-plugin)/;
const compilers = 'gcc g++ cc c++ c99 c89 cpp gfortran clang clang++';
const linkers =
  'ld ld.gold ld.bfd ld.lld gold as nm ar ranlib strip size objcopy objdump readelf addr2line c++filt dsymutil lipo otool install_name_tool gcov';
const readersOnly = new Set(['nm', 'size', 'objdump', 'readelf', 'addr2line', 'c++filt', 'otool']);

/** What compilers hand on to the linker and the assembler, and is known to name nothing. */
const handed =
  /^-W(?:l(?:,(?:-+(?:as-needed|no-as-needed|gc-sections|no-undefined|s|S|strip-all|strip-debug|export-dynamic|E|Bstatic|Bdynamic|start-group|end-group|whole-archive|no-whole-archive|build-id|O\d|z|fatal-warnings|warn-common|dead_strip|no-pie|pie|soname|hash-style=\w+|stack_size|undefined=\w+|u)|now|relro|noexecstack|defs|lazy|lib[\w.+-]+\.so[\w.]*|0x[\da-f]+|[a-z-]+=\d+))+|a(?:,(?:-+(?:noexecstack|W|g|fatal-warnings|march=[\w.+-]+|mcpu=[\w.+-]+)))+)$/i;
const dependencies = /^-M[FJ](.+)$/s;
const asScript = 'ar reads and writes the files that its input names';

/** Values that stand right behind letters, and options for other programs with commas between. */
function glued(args: readonly Argument[], why: string): Yield {
  return merge(
    args.map(({ text }, word) => {
      const file = dependencies.exec(text)?.[1];
      if (file !== undefined) return { effects: [path('writes', file, word)] };
      return /^-W[la],/.test(text) && !handed.test(text) ? { doubts: [executing(why, word)] } : {};
    }),
  );
}

function joined(
  names: string,
  does: string,
  pinsWhen: RegExp,
  why: string,
): readonly ProgramRecord[] {
  return namesIn(names).map((name) => ({
    names: [name],
    versions: true,
    does,
    environment: {
      COMPILER_PATH: 'decides which programs gcc starts',
      'COLLECT_*': 'decides which programs gcc starts',
      SUNPRO_DEPENDENCIES: 'names a file that gcc writes',
      GCC_EXEC_PREFIX: 'decides which programs gcc starts',
      DEPENDENCIES_OUTPUT: 'names a file that gcc writes',
      CCC_OVERRIDE_OPTIONS: 'holds options of clang, which can load plug-ins',
    },
    grammar: {
      syntax: getoptCommand,
      read: (args) => {
        const use = readersOnly.has(name) ? 'reads' : 'edits';
        const read = readLoosely(args, { use, pins: pinsWhen, why, executes: true }, name);
        const loose = { ...read, ...merge([read, glued(args, why)]) };
        const letters = args[0]?.text ?? '';
        if (name === 'ar' && /^-?[A-Za-z]*M/.test(letters))
          return { ...loose, ...merge([loose, { doubts: [doubt(asScript, 0)] }]) };
        if (name !== 'ar' || !/^-?[A-Za-z]*x/.test(letters)) return loose;
        const at = args.findIndex(({ text }) => text.startsWith('--output'));
        const named = args[at]?.text.split('=')[1] ?? args[at + 1]?.text ?? '.';
        const unpacked = { effects: [path('into', at === -1 ? '.' : named, at)] };
        return { ...loose, ...merge([loose, unpacked]) };
      },
      offers: readersOnly.has(name) ? ('files' as const) : ('exact' as const),
    },
  }));
}

export const compiledPrograms: readonly ProgramRecord[] = [
  cargo,
  rustc,
  go,
  ...fixed('pinned', 'runs programs', 'rust-analyzer gopls'),
  ...joined(
    compilers,
    'Compiles C and its like.',
    compilerRisk,
    'the compiler starts the programs and loads the plug-ins in its options',
  ),
  ...joined(
    linkers,
    'Links or looks at object files.',
    /^(?:-plugin|--p[\w-]*|@|-T|--dynamic-linker|--?rpath|-rpath|-c(?!all|heck|ref)|--?mri)/,
    'the tools for object files load the plug-in in --plugin',
  ),
  ...plainly(
    'Checks or lays out Go.',
    'gofmt goimports gofumpt golint',
    { use: 'edits', pins: /^-(?:cpuprofile|r$)/ },
    'files',
  ),
  ...fixed('pinned', 'starts the programs in its options, and runs tests', 'rustdoc'),
];
