import {
  doubt,
  executes,
  has,
  inert,
  into,
  merge,
  path,
  pinned,
  pins,
  projectFile,
  risk,
} from '../../forms.ts';
import { clap } from '../../syntax.ts';
import type { Command, Options, ProgramRecord, Reading, Yield } from '../../types.ts';
import { chooses, packages, wordsOf } from '../findings.ts';
import { command, handedOn, withRoles } from '../shapes.ts';

const whyOptions = chooses('cargo');
const cargoOptions: Options = withRoles(
  `-v|--verbose -vv -q|--quiet --color= --frozen --locked --offline -V|--version --list -h|--help -p|--package= --workspace --all --exclude= --lib --bins --bin=
  --examples --example= --tests --test= --benches --bench= --all-targets --doc --no-run --no-fail-fast --ignore-rust-version --future-incompat-report
  -j|--jobs= --keep-going -r|--release --profile= -F|--features= --all-features --no-default-features --target= --message-format= --timings[] --unit-graph
  --build-plan --no-deps --document-private-items -n|--dry-run --dev --build --optional --no-optional --rename= --default-features --public --no-public
  --branch= --tag= --rev= --registry= -e|--edges= -i|--invert= --prune= --depth= --prefix= --no-dedupe -d|--duplicates --charset= -f|--format= --filter-platform=
  --format-version= --aggressive --recursive --precise= --allow-dirty --allow-staged --allow-no-vcs --broken-code --edition --edition-idioms --fix --check --name=
  --vcs= --edition= --bin --limit= --no-verify --no-metadata --list --ignore-rust-version --force --no-track --version= --sync= --no-delete --respect-source-config --versioned-dirs --undo --no-clean --bin-only`
    .replace(' --bin-only', '')
    .replace(' --bin --limit=', ' --limit=')
    .replace(' --version= --sync=', '')
    .replace(' --force', ' --force'),
  {
    '--manifest-path --path --lockfile-path': projectFile,
    '--git': pinned(inert, 'cargo takes code from a repository elsewhere'),
    '--target-dir --artifact-dir --out-dir': { ...into, runs: true },
    '--sync -s': projectFile,
    '--config -Z': executes(whyOptions, inert),
    '-C --root --index --token': executes(whyOptions, inert),
    '--open': pins('cargo doc --open starts the browser'),
  },
);
const cargoCommand = (
  does: string,
  finish: (one: Reading) => Yield = () => ({}),
  more: Partial<Command> = {},
): Command =>
  command(
    { ...clap, inherits: true },
    does,
    {},
    {
      operands: { rest: inert },
      finish: (one) => merge([handedOn(one.operands), finish(one)]),
      ...more,
    },
  );
const cargoRuns = (name: string): Command =>
  cargoCommand('Runs a program of the project.', (one) => {
    const why = `cargo ${name} runs what its arguments name`;
    return {
      effects: [
        {
          kind: 'command',
          words: one.operands.map(({ text, live }) => ({ text, live })),
          why,
          word: one.operands[0]?.word ?? -1,
        },
      ],
    };
  });
const installs = cargoCommand('Installs packages.', (one) =>
  has(one, '--dry-run', '-n')
    ? {}
    : {
        risks: packages(wordsOf(one)),
      },
);
const installsProgram = cargoCommand('Installs a program.', (one) => ({
  doubts: [doubt('cargo install builds and installs a program from elsewhere')],
  risks: packages(wordsOf(one)),
}));
/** What a program of the project does by such a word concerns others, too. */
const toldToPublish = ({ operands }: Reading): Yield => ({
  doubts: operands
    .filter(({ text }) => /^(?:release|publish|deploy|upload|push|install)$/.test(text))
    .map(({ text, word }) => doubt(`a program of the project is told to ${text}`, word)),
});
/** Behind the dashes stand words for the tests. */
const cargoBuild = cargoCommand('Builds and checks a project.', ({ operands }) =>
  merge(
    operands.map(({ text, word }, at) => {
      const before = operands[at - 1]?.text === '--logfile' ? text : undefined;
      const log = before ?? /^--logfile=(.*)$/s.exec(text)?.[1];
      return log === undefined ? {} : { effects: [path('writes', log, word)] };
    }),
  ),
);
/** Behind the dashes stand words for the compiler, of which lints do nothing else. */
const lints = /^(?:-[WADF].*|--(?:warn|allow|deny|forbid|cap-lints)(?:=.*)?|[a-z_:-]+)$/;
const cargoLints = cargoCommand('Checks a project.', ({ operands }) => ({
  doubts: operands
    .filter(({ text }) => !lints.test(text))
    .map(({ word }) => doubt('options of the compiler can name programs', word)),
}));

export const cargo: ProgramRecord = {
  names: ['cargo'],
  does: 'Builds and tests Rust.',
  project: { caches: ['~/.cargo/registry', '~/.cargo/git'], network: true },
  harmless: ['CARGO_TERM_COLOR', 'CARGO_INCREMENTAL', 'CARGO_NET_OFFLINE'],
  environment: {
    CARGO: 'names a program that the commands of cargo start',
    RUSTC: 'names a program that cargo starts',
    RUSTDOC: 'names a program that cargo starts',
    RUSTC_WRAPPER: 'names a program that cargo starts',
    RUSTC_WORKSPACE_WRAPPER: 'names a program that cargo starts',
    RUSTFLAGS: 'holds options of rustc, which can name a linker',
    'CARGO_*': 'holds settings of cargo, which can name programs',
    'RUSTUP_*': 'decides which programs rustup starts',
    RUSTDOCFLAGS: 'holds options of rustdoc, which can name programs',
    CARGO_HOME: 'holds settings of cargo, which can name programs',
    CARGO_TARGET_DIR: 'names a folder that cargo writes to',
    RUSTUP_TOOLCHAIN: 'decides which programs rustup starts, by path too',
  },
  grammar: {
    syntax: { ...clap, inherits: true },
    options: cargoOptions,
    commands: {
      'build b check c test t bench doc d fix fmt clean fetch generate-lockfile vendor package':
        cargoBuild,
      clippy: cargoLints,
      // Plug-ins that only check, measure or show the project.
      'audit machete outdated udeps semver-checks expand bloat size nm objdump readobj asm llvm-lines geiger sort':
        cargoBuild,
      'llvm-cov': {
        ...cargoBuild,
        options: withRoles(
          '--summary-only --json --lcov --html --text --show-missing-lines --ignore-filename-regex= --no-report',
          { '--output-path': { ...into, kind: 'writes', runs: true } },
        ),
      },
      deny: {
        ...cargoCommand('Checks packages.', ({ operands }) => ({
          doubts: operands.map(({ text, word }) =>
            doubt(`cargo deny ${text} is not a check`, word),
          ),
        })),
        commands: { 'check list': cargoBuild },
      },
      nextest: {
        ...cargoCommand('Tests a project.', ({ operands }) => ({
          doubts: operands.map(({ text, word }) =>
            doubt(`cargo nextest ${text} is no run of tests`, word),
          ),
        })),
        commands: { 'run r list': cargoBuild },
      },
      'init new': cargoCommand('Makes a project.'),
      'add update': installs,
      install: installsProgram,
      'remove rm': cargoCommand('Removes packages.'),
      uninstall: cargoCommand('Removes programs of this machine.', () => ({
        doubts: [doubt('cargo removes programs that all projects use')],
      })),
      'yank owner': cargoCommand('Changes what is published.', () => ({
        doubts: [doubt('cargo changes what is published under a name')],
      })),
      'tree metadata search info help version locate-project pkgid verify-project read-manifest report':
        cargoCommand('Shows packages.', undefined, { offers: 'reads' }),
      publish: cargoCommand('Publishes the package.', (one) =>
        has(one, '--dry-run', '-n')
          ? {}
          : { risks: [risk('data-leaving', 'high', 'Publishes with cargo publish.')] },
      ),
      // A program of the project, as a script of it: what it is given must lie in the project.
      'run r': cargoCommand('Runs a program of the project.', toldToPublish, {
        named: 'run starts a program of the project',
      }),
      rustc: cargoRuns('rustc'),
    },
    operands: { rest: inert },
    finish: ({ operands }) => {
      const [first] = operands;
      if (first === undefined) return {};
      const why = `cargo ${first.text} may be a script, a plug-in or a program`;
      return {
        effects: [
          {
            kind: 'command',
            words: operands.map(({ text, live }) => ({ text, live })),
            why,
            word: first.word,
          },
        ],
      };
    },
  },
};
