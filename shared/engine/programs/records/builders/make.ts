import {
  doubt,
  executing,
  inert,
  into,
  maybe,
  merge,
  optional,
  parsed,
  pinned,
  pins,
  projectFile,
  writes,
} from '../../forms.ts';
import { getopt, gnu } from '../../syntax.ts';
import type { ProgramRecord, Reading, Yield } from '../../types.ts';
import { anything, fixed, withRoles } from '../shapes.ts';
import { projectTools } from '../project-tools.ts';
import { chooses, dropsDatabase } from '../findings.ts';
import { commandTool } from '../command-tool.ts';

/** Targets that put files where programs of the whole machine stand. */
const installing =
  /(?:^| )(?:un)?install(?:-(?:strip|exec|data|bin|lib|man|info|pdf|html|dvi|ps)|\/strip)?(?: |$)/;
/** Tasks by which plug-ins of these tools send the work of a project elsewhere. */
const publishing = /(?:^|[ :.])(?:publish|upload)\w*(?: |$)/i;

const holds = 'make runs commands that its variables and files hold';

/** Names of targets stand in recipes, which a shell reads; an assignment is a variable. */
function targets({ operands, options }: Reading): Yield {
  const strange = operands.find(
    ({ text, live }) => live !== null || text.includes('=') || !/^[\w./@%+:,-]*$/.test(text),
  );
  // A number, and nothing that another letter could follow.
  const count = options.find(
    ({ name, value }) =>
      /^(?:-j|-l|--jobs|--load-average|--max-load)$/.test(name) && /[^0-9.]/.test(value ?? ''),
  );
  // Each is looked for in the folder of the one before.
  const folders = options.filter(({ name }) => name === '-C' || name === '--directory');
  const nested = folders[1];
  const outside = options
    .filter(({ use }) => use.kind === 'inert')
    .find(({ value }) => value !== null && !/^[\w./@%+:,-]*$/.test(value));
  return merge([
    strange === undefined
      ? {}
      : {
          doubts: [
            // A shell or a compiler of another's choice, or a command in the place of a name.
            /^(?:\.?SHELL\w*|CC|CXX|LD|AR|MAKE\w*)[:+?]*=|[`$|;&]/.test(strange.text)
              ? executing(holds, strange.word)
              : doubt(holds, strange.word),
          ],
        },
    nested === undefined ? {} : { doubts: [doubt(holds, nested.word)] },
    count === undefined ? {} : { doubts: [doubt(holds, count.word)] },
    outside === undefined ? {} : { doubts: [doubt(holds, outside.word)] },
    merge(operands.map((one) => anything(one, 'edits', true))),
  ]);
}

const make: ProgramRecord = {
  names: ['make', 'gmake'],
  takesCode: true,
  expands: {
    plain: /^[\w./@%+:, -]*$/,
    why: 'make expands what its variables hold, and recipes hand it to a shell',
  },
  does: 'Builds what the recipes of a project say.',
  project: { caches: [], network: true },
  beyond: installing,
  environment: {
    MAKEFLAGS: 'holds options of make, which can hold commands',
    MFLAGS: 'holds options of make, which can hold commands',
    GNUMAKEFLAGS: 'holds options of make, which can hold commands',
    MAKEFILES: 'names files that make runs',
    SHELL: 'names the shell that programs start',
    CC: 'names a program that builds start',
    CXX: 'names a program that builds start',
    LD: 'names a program that builds start',
    AR: 'names a program that builds start',
  },
  grammar: {
    syntax: gnu,
    options: withRoles(
      `-b -m -B|--always-make -d --debug[] -h|--help -i|--ignore-errors -j|--jobs[] -k|--keep-going -l|--load-average|--max-load[] -L|--check-symlink-times
      -n|--just-print|--dry-run|--recon -O|--output-sync[] -p|--print-data-base -q|--question -r|--no-builtin-rules -R|--no-builtin-variables
      -s|--silent|--quiet --no-silent -S|--no-keep-going|--stop -t|--touch --trace -v|--version -w|--print-directory --no-print-directory
      --warn-undefined-variables --print-targets --shuffle[]`,
      {
        '-C --directory': projectFile,
        '-f --file --makefile -I --include-dir -o --old-file --assume-old -W --what-if --new-file --assume-new':
          pinned(inert, holds),
        '--jobserver-auth --jobserver-style --sync-mutex --temp-stdin': pinned(inert, holds),
        '-E --eval': pinned(inert, holds),
        '-e --environment-overrides': pins(holds),
        '-j --jobs -l --load-average --max-load': { ...optional(inert) },
      },
    ),
    operands: { rest: inert },
    finish: targets,
    offers: 'exact',
  },
};

const taskOptions = 'a task runner runs commands that its options name';
const task = (
  names: readonly string[],
  does: string,
  plain: string,
  more: Readonly<Record<string, typeof inert>> = {},
): ProgramRecord => ({
  names,
  does,
  project: { caches: ['~/.gradle'], network: true },
  grammar: {
    syntax: getopt,
    options: withRoles(plain, more),
    operands: { rest: inert },
    finish: (one) => {
      const set = one.operands.find(({ text }) => text.includes('='));
      return merge([
        set === undefined ? {} : { doubts: [doubt(taskOptions, set.word)] },
        merge(one.operands.map((operand) => anything(operand, 'edits', true))),
      ]);
    },
    offers: 'exact',
  },
});

const just = task(
  ['just'],
  'Runs recipes of a project.',
  `-n|--dry-run -l|--list --summary --dump -q|--quiet -v|--verbose --highlight --no-highlight
  --color= --unsorted -u --evaluate --variables --groups --show= -s= --yes --one --no-deps --time --timestamp --version -V --help -h
  --check --fmt --unstable --list-heading= --list-prefix= --list-submodules --no-aliases --command-color= --no-dotenv --explain --json`,
);
const goTask = task(
  ['task', 'go-task'],
  'Runs tasks of a project.',
  `-l|--list -a|--list-all -j|--json -n|--dry -s|--silent -v|--verbose -f|--force --status
  --summary -y|--yes --version -h|--help --color[] -p|--parallel --sort= -C|--concurrency= -F|--failfast --no-status`.replace(
    '-f|--force',
    '--force',
  ),
);
const rake: ProgramRecord = {
  environment: { RAKEOPT: 'holds options of rake, which can hold code' },
  ...task(
    ['rake'],
    'Runs tasks of a project.',
    `-T|--tasks[] -n|--dry-run -q|--quiet -s|--silent -v|--verbose -t|--trace[] -W|--where[] -P|--prereqs -D|--describe[]
  -j|--jobs[] -m|--multitask -A|--all -B|--build-all -N|--no-search -V|--version -h|-H|--help --rules --job-stats[] --suppress-backtrace= --no-deprecation-warnings`,
  ),
  finds: dropsDatabase,
};
const gradle: ProgramRecord = {
  beyond: publishing,
  environment: {
    GRADLE_OPTS: 'holds options of java, which can load an agent',
    GRADLE_USER_HOME: 'names scripts that gradle runs',
    'GRADLE_*': 'holds settings of gradle, which can name programs',
  },
  ...task(
    ['gradle', 'gradlew'],
    'Builds a project.',
    `-a|--no-rebuild --build-cache --no-build-cache --configuration-cache --no-configuration-cache --configure-on-demand --no-configure-on-demand
    --console= --continue --continuous -d|--debug --daemon --no-daemon --foreground --full-stacktrace -S -h|--help -i|--info -m|--dry-run
    --max-workers= --offline --parallel --no-parallel --priority= --profile -q|--quiet --refresh-dependencies --rerun-tasks --scan --no-scan -s|--stacktrace
    --status --stop -t -u -U|--refresh-keys -v|--version -V|--show-version -w|--warn --warning-mode= --watch-fs --no-watch-fs --tests= -x|--exclude-task=
    --info --rerun --stacktrace --write-locks --update-locks= --configuration= --all --task= --dependency= --problems-report --no-problems-report --non-interactive`
      .replace('-i|--info', '-i')
      .replace(' -s|--stacktrace', ' -s'),
    {
      '-b --build-file -c --settings-file -g --gradle-user-home -I --init-script -p --project-dir --include-build --project-cache-dir':
        pinned(inert, taskOptions),
      '-D --system-prop -P --project-prop -F --dependency-verification -M --write-verification-metadata --export-keys':
        pinned(inert, taskOptions),
    },
  ),
};
const ant = task(
  ['ant'],
  'Builds a project.',
  '-version -diagnostics -quiet -q -silent -S -verbose -v -debug -d -emacs -keep-going -k -projecthelp -p -noinput',
);

const script = 'cmake runs scripts and commands';
const installs = 'cmake installs for the whole machine';
const cmake: ProgramRecord = {
  names: ['cmake'],
  does: 'Prepares and builds a project.',
  project: { caches: ['~/.cmake'], network: true },
  environment: {
    CMAKE_TOOLCHAIN_FILE: 'names a file that cmake runs',
    CMAKE_C_COMPILER_LAUNCHER: 'names a program that cmake starts',
  },
  grammar: {
    syntax: { ...getopt, name: 'cmake' },
    options: withRoles(
      `-G= -T= -A= -U= -W= --preset= --list-presets[] -L -LA -LH -LAH -N --fresh
      -j|--parallel[] --config= --clean-first -v|--verbose --use-stderr --resolve-package-references= --component= --strip --default-directory-permissions=
      --log-level= --log-context --debug-trycompile --debug-output --debug-find --debug-find-pkg= --debug-find-var= --trace --trace-expand --trace-format=
      --warn-uninitialized --no-warn-unused-cli --check-system-vars --compile-no-warning-as-error --link-no-warning-as-error --profiling-format= -h|-H|--help 

      --version --help-full --help-manual= --help-command= --help-command-list --help-module= --help-policy= --help-property= --help-variable= --help-variable-list --help-module-list`,
      {
        '--system-information': maybe({ ...writes, runs: true }),
        '-S -B --build': projectFile,
        '--install': pinned(projectFile, installs),
        '-t --target': parsed((value, word) =>
          installing.test(value) || /^(?:deploy|publish|upload)/.test(value)
            ? { doubts: [doubt('cmake installs or publishes what it makes', word)] }
            : {},
        ),
        '--prefix --install-prefix': { ...into, runs: true },
        '-D': {
          ...inert,
          kind: 'parsed',
          parse: (value, word) =>
            merge([
              /^[A-Z_a-z0-9]*(?:COMMAND|LAUNCHER|COMPILER(?!_WARNINGS)|PROGRAM|TOOLCHAIN|INCLUDE|MODULE_PATH|LINKER|EXECUTABLE|_RULE_|PRELOAD|INITIAL|FLAGS|CLANG_TIDY|CPPCHECK|CPPLINT|WHAT_YOU_USE|EMULATOR)[A-Z_a-z]*[:=]/i.test(
                value,
              )
                ? { doubts: [doubt(script, word)] }
                : {},
              anything({ text: value, live: null, word }, 'edits', true),
            ]),
        },
        '--trace-redirect --profiling-output --graphviz': { ...writes, runs: true },
        '-C -P --toolchain --trace-source --project-file --debugger-dap-log --debugger-pipe':
          pinned(inert, script),
        '-E --open --workflow --find-package --debugger': pins(script),
      },
    ),
    operands: { rest: inert },
    finish: (one) => {
      const own = one.operands.find(
        ({ text }) => /^\w+[:+?]?=/.test(text) || text.startsWith('-') || installing.test(text),
      );
      return merge([
        // What stands behind `--` is for the tool that builds.
        own === undefined ? {} : { doubts: [doubt(script, own.word)] },
        merge(one.operands.map((operand) => anything(operand, 'edits', true))),
      ]);
    },
    offers: 'exact',
  },
};

const ninja: ProgramRecord = {
  names: ['ninja', 'ninja-build', 'samu'],
  does: 'Builds a project.',
  project: { caches: [], network: true },
  environment: { NINJA_STATUS: 'changes what ninja shows' },
  beyond: installing,
  grammar: {
    syntax: getopt,
    options: withRoles('--version -v|--verbose --quiet -j= -k= -l= -n -d= -w= -h|--help', {
      '-C': { ...projectFile, tree: true },
      '-f': pinned(inert, taskOptions),
      '-t': {
        ...inert,
        kind: 'parsed',
        parse: (value, word) =>
          /^(?:list|clean|cleandead|commands|compdb|deps|graph|query|targets|rules|missingdeps|inputs)$/.test(
            value,
          )
            ? {}
            : { doubts: [doubt(taskOptions, word)] },
      },
    }),
    operands: { rest: inert },
    finish: (one) => merge(one.operands.map((operand) => anything(operand, 'edits', true))),
    offers: 'exact',
  },
};

const property =
  /^-D(?!(?:(?:skipTests|skipITs|maven\.test\.skip|failIfNoTests|surefire\.failIfNoSpecifiedTests)(?:=(?:true|false))?|(?:it\.)?test=[\w.,*#+-]+)$)/;
const phases =
  /^(?:(?:pre-|post-)?clean|(?:pre-|post-)?site|validate|initialize|(?:generate|process)-(?:test-)?(?:sources|resources|classes)|(?:test-)?compile|test|prepare-package|package|(?:pre-|post-)?integration-test|verify|install|dependency:(?:tree|list|resolve|analyze|go-offline)|help:(?:effective-pom|evaluate|describe)|versions:display-[a-z-]+)$/;
const mvn: ProgramRecord = {
  names: ['mvn', 'mvnw', 'mvnd'],
  does: 'Builds a project.',
  project: { caches: ['~/.m2'], network: true },
  environment: {
    'MAVEN_*': 'holds settings of mvn, which can name programs',
    'MVNW_*': 'holds settings of mvn, which can name programs',
    SBT_OPTS: 'holds options of java, which can load an agent',
    MAVEN_OPTS: 'holds options of java, which can load an agent',
    MAVEN_ARGS: 'holds options of mvn',
    JAVA_HOME: 'decides which java is started',
    JAVACMD: 'names the java that mvn and gradle start',
  },
  grammar: {
    syntax: { ...getopt, name: 'commons-cli', clusters: false, singleDash: true },
    options: withRoles(
      `-am|--also-make -amd|--also-make-dependents -B|--batch-mode -b|--builder= -C|--strict-checksums -c|--lax-checksums --color= -cpu|--check-plugin-updates
      -e|--errors -fae|--fail-at-end -ff|--fail-fast -fn|--fail-never -h|--help -llr|--legacy-local-repository -N|--non-recursive
      -npr|--no-plugin-registry -npu|--no-plugin-updates -nsu|--no-snapshot-updates -ntp|--no-transfer-progress -o|--offline -P|--activate-profiles=
      -pl|--projects= -q|--quiet -rf|--resume-from= -r|--resume -T|--threads= -U|--update-snapshots -up|--update-plugins -v|--version -V|--show-version -X|--debug
      -itr|--ignore-transitive-repositories -canf|--cache-artifact-not-found= -sadp|--strict-artifact-descriptor-policy= -DskipTests -DskipITs -Dmaven.test.skip=
      -Dmaven.test.skip -DfailIfNoTests= -DfailIfNoTests -Dtest= -Dit.test= -DskipTests= -DskipITs= -Dsurefire.failIfNoSpecifiedTests=`
        .replace(' -DskipTests -DskipITs', '')
        .replace(' -Dmaven.test.skip -DfailIfNoTests= -DfailIfNoTests', ' -DfailIfNoTests='),
      {
        '-DskipTests -DskipITs -Dmaven.test.skip -DfailIfNoTests -Dsurefire.failIfNoSpecifiedTests':
          {
            ...optional({
              ...inert,
              kind: 'parsed',
              parse: (value, word) =>
                /^(?:true|false)$/.test(value)
                  ? {}
                  : { doubts: [doubt('a property of mvn can name programs', word)] },
            }),
          },
        '-Dtest -Dit.test': {
          ...inert,
          kind: 'parsed',
          parse: (value, word) =>
            property.test(`-Dtest=${value}`)
              ? { doubts: [doubt('a property of mvn can name programs', word)] }
              : {},
        },
        '-f --file -s --settings -gs --global-settings -t --toolchains -gt --global-toolchains -l --log-file -ps --project-settings':
          pinned(inert, chooses('mvn')),
        '-emp --encrypt-master-password -ep --encrypt-password -D --define': pinned(
          inert,
          'a property of mvn can name programs',
        ),
      },
    ),
    operands: { rest: inert },
    finish: ({ operands }) => {
      const strange = operands.find(({ text, live }) => live !== null || !phases.test(text));
      return strange === undefined
        ? {}
        : { doubts: [doubt(`mvn ${strange.text} may fetch and run a plug-in`, strange.word)] };
    },
    offers: 'exact',
  },
};

/** What these put into a cluster, or take away there. */
const intoCluster = /^(?:up|ci|trigger|down|apply|create|dev|debug|delete|deploy|run|exec)(?: |$)/;

const others = projectTools(
  'Builds, checks or tests a project.',
  'meson sbt dune cabal stack elm gleam dart dub nimble cljr scons waf xmake premake5 earthly buck buck2 pants tilt skaffold act mage ko mix rebar3 flutter msbuild mill bazelisk',
  {
    // Meson takes the beginnings of its options, too.
    pins: /^(?:x|--?(?:nodejs|run_under|bazelrc|init|file|f)(?:=|$)|--?(?:wr[a-z]*|gdb-[a-z]*|nat[a-z-]*|cro[a-z-]*|ninja-[a-z]*)(?:=|$)|run$|install$|devenv$|-D[\w.:-]*args=.*(?:plugin|-B|fuse|wrapper|spec|@))/,
    why: 'the build runs what its arguments name',
  },
).map((record): ProgramRecord => ({
  ...record,
  beyond: /^(?:tilt|skaffold)$/.test(record.names[0] ?? '') ? intoCluster : publishing,
}));
const bazel = commandTool({
  names: ['bazel'],
  does: 'Builds a project.',
  plain: 'build test clean fetch sync mod',
  looks: 'query cquery aquery info version help analyze-profile',
  runs: 'run coverage mobile-install',
  pins: /^--(?:bazelrc|host_jvm|run_under|action_env|output_base|override|registry|test_arg|workspace_status_command|spawn_strategy|remote_|define|repo_env|bes_|java_launcher|[a-z_]*javabase|credential_helper|shell_executable|symlink_prefix|strategy|package_path|extra_)/,
  environment: {
    'BAZELISK_*': 'decides which program bazel is',
    USE_BAZEL_VERSION: 'decides which program bazel is',
    BAZEL_SH: 'names a program that bazel starts',
  },
  why: 'bazel runs programs and takes settings from its options',
  caches: ['~/.cache/bazel'],
  labels: true,
});

export const makePrograms: readonly ProgramRecord[] = [
  make,
  just,
  goTask,
  rake,
  gradle,
  ant,
  cmake,
  ninja,
  mvn,
  bazel,
  ...others,
  ...fixed(
    'pinned',
    'runs code of its own language that its arguments or files hold',
    'boot lein quarto',
  ),
  ...fixed('pinned', 'runs the tests and scripts that its options name', 'cpack'),
];
