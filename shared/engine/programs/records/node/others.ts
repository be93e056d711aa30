import {
  doubt,
  executes,
  executing,
  has,
  inert,
  merge,
  parsed,
  path,
  projectFile,
  risk,
  secret,
} from '../../forms.ts';
import { node as nodeSyntax, nopt } from '../../syntax.ts';
import type { Command, Options, ProgramRecord, Reading, Taken, Yield } from '../../types.ts';
import type { Syntax } from '../../syntax.ts';
import { chooses } from '../findings.ts';
import { command, handedOn, withRoles } from '../shapes.ts';
import { configured, discloses, executed, fromElsewhere, installed } from './shared.ts';

/** Options that stand on either side of the command. */
const pnpmSyntax: Syntax = { ...nopt, name: 'pnpm', abbreviates: false };
const yarnSyntax: Syntax = { ...nodeSyntax, name: 'yarn', inherits: true };

type Finish = (reading: Reading) => Yield;
export const made =
  (syntax: Syntax) =>
  (does: string, finish: Finish = () => ({}), more: Partial<Command> = {}): Command =>
    command(syntax, does, {}, { operands: { rest: inert }, finish, ...more });

const guard = (reading: Reading): Yield => {
  const off = reading.options.find(
    ({ name, negated }) => negated && name === '--no-ignore-scripts',
  );
  return off === undefined ? {} : { doubts: [executing(chooses(reading.program), off.word)] };
};

function commandsOf(syntax: Syntax, program: string): Readonly<Record<string, Command>> {
  const make = made(syntax);
  const of = (does: string, finish: Finish = () => ({}), more: Partial<Command> = {}): Command =>
    make(does, (one) => merge([guard(one), finish(one)]), more);
  const install = of('Installs packages.', (one) =>
    installed(one, has(one, '--ignore-scripts', '--dry-run', '--lockfile-only')),
  );
  const script = of('Runs a script of the project.', (one) => handedOn(one.operands));
  const looks = of('Looks at packages.', undefined, { offers: 'reads' });
  const runs = (name: string): Command =>
    of('Fetches and runs a package.', (one) =>
      executed(one, `${program} ${name} runs what its arguments name`, 0, false),
    );
  const asks = (does: string, why: string): Command =>
    of(does, () => ({ doubts: [doubt(`${program} ${why}`)] }));
  return {
    'install i add a ci install-test it import unlink update up upgrade upgrade-interactive':
      install,
    'link ln': asks(
      'Links a package of this machine.',
      'link puts programs where all projects find them',
    ),
    'remove rm uninstall un': of('Removes packages.', undefined, { offers: 'changes' }),
    'test t tst start stop restart build lint dev': script,
    run: script,
    // What is a command of the one can be a script of the project for the other.
    [program === 'pnpm'
      ? 'list ls ll la outdated why licenses bin root doctor help'
      : 'list outdated why licenses bin help versions']: looks,
    [program === 'pnpm' ? 'view info show' : 'info']: of(
      'Shows what the registry says of a package.',
      (one) => fromElsewhere(one.operands.slice(0, 1), program),
      { offers: 'reads' },
    ),
    audit: of('Looks for known flaws in packages, or mends them.', undefined, {
      offers: (one) =>
        one.operands.length === 0 && !one.options.some(({ name }) => name === '--fix')
          ? 'reads'
          : 'exact',
    }),
    // It changes package.json, and runs what that has for it.
    version: of('Shows or changes the version.'),
    'fetch prune rebuild rb dedupe autoclean check generate-lock-entry pack store deploy': of(
      'Works on installed packages.',
      (one) => handedOn(one.operands),
    ),
    'publish npm': of('Publishes the package.', (one) => {
      const [word] = one.operands;
      if (one.command[0] !== 'npm' || word?.text === 'publish')
        return { risks: [risk('data-leaving', 'high', `Publishes with ${program} publish.`)] };
      return /^(?:audit|info|whoami)$/.test(word?.text ?? '')
        ? fromElsewhere(one.operands.slice(1, 2), program)
        : { doubts: [doubt(`${program} npm changes what is published under a name`, word?.word)] };
    }),
    exec:
      program === 'pnpm'
        ? made({ ...syntax, permutes: false })('Runs a program of the project.', (one) =>
            local(one, 'pnpm exec runs what its arguments name'),
          )
        : runs('exec'),
    dlx: runs('dlx'),
    x: runs('x'),
    'create init': runs('create'),
    node: runs('node'),
    workspaces: asks(
      'Works on all packages of the project.',
      'workspaces runs what its arguments name',
    ),
    workspace: of('Works on a package of the project.', (one) => inPart(one, program)),
    'config c set policies plugin env patch patch-commit global': of(
      'Changes settings.',
      (one) => ({
        doubts: [doubt(`${program} changes settings or starts programs`)],
        risks: configured(one),
      }),
    ),
  };
}

const shared = `-r|--recursive -w|--workspace-root -P|--prod|--production|--save-prod -D|--dev|--save-dev -O|--save-optional
  -E|--save-exact --save-peer --save --optional -g|--global --offline --prefer-offline --ignore-scripts
  --frozen-lockfile --fix-lockfile --lockfile-only --lockfile --merge-git-branch-lockfiles --use-store-server
  --shamefully-hoist --strict-peer-dependencies --resolution-only --force --ignore-pnpmfile --hoist
  --color --no-color --aggregate-output --stream --parallel --bail --sort --reverse --if-present
  --report-summary --resume-from= --reporter= --reporter-hide-prefix --loglevel= -s|--silent --json --long --parseable
  --depth= -L|--latest -i|--interactive --workspace --workspace-concurrency= --link-workspace-packages
  --audit-level= --fix --ignore-registry-errors --ignore-unfixable --ignore= --no-table --table --format= --compatible --sort-by=
  --only-projects --exclude-peers --lockfile-dir-only --access= --tag= --publish-branch= --git-checks --dry-run
  --ignore-workspace --include-workspace-root --fail-if-no-match --changed-files-ignore-pattern=
 --test-pattern= --stdin --no-bail --legacy --pack-gzip-level= --engine-strict
  --side-effects-cache --side-effects-cache-readonly --prefer-frozen-lockfile --verify-store-integrity
  --child-concurrency= --network-concurrency= --package-import-method= --node-linker= --hoist-pattern=
  --public-hoist-pattern= --allow-build= --dangerously-allow-all-builds --config.confirmModulesPurge= -v|--version
  -h|--help --ignore-workspace-root-check -W --trust-policy= --yes -y`;
/** `{packages/**}`, `./apps/web`, `...{../x}[main]`: folders in which scripts run. */
const selected = parsed((value, word) => ({
  effects: [...value.matchAll(/\{([^}]*)\}?|^[!.]*?((?:\.{0,2}\/|\.\.).*)$/g)].map(
    ([, braced, bare]) =>
      path('reads', (braced ?? bare ?? '').replace(/[*{[].*$/, '') || '.', word, {
        tree: true,
        runs: true,
      }),
  ),
  doubts: /(?:^|[{/!])\.\.(?:[/}]|$)/.test(value)
    ? [doubt('pnpm runs what lies outside of the project', word)]
    : [],
}));
const nodeSettings = (program: string): Options => ({
  '--script-shell --shell-emulator --use-node-version --modules-dir --global-dir --global-bin-dir':
    executes(chooses(program), inert),
  '--store-dir --virtual-store-dir --state-dir --cache-dir --prefix --userconfig --globalconfig':
    executes(chooses(program), inert),
  '--registry --global-pnpmfile --pnpmfile --npmrc-auth-file --node-options --https-proxy --proxy':
    executes(chooses(program), inert),
  '--dangerously-allow-all-builds --unsafe-perm': executes(chooses(program)),
  '--otp': secret,
});

const pnpm: ProgramRecord = {
  names: ['pnpm', 'pnpm.cjs'],
  discloses,
  does: 'Installs packages and runs scripts of a project.',
  project: { caches: ['~/.local/share/pnpm', '~/.cache/pnpm', '~/Library/pnpm'], network: true },
  environment: {
    'PNPM_*': 'holds settings of pnpm, which can name programs',
    PNPM_HOME: 'decides from where pnpm takes programs',
    NODE_OPTIONS: 'holds options of node, which can load code',
  },
  grammar: {
    syntax: pnpmSyntax,
    options: {
      ...withRoles(shared, {
        ...nodeSettings('pnpm'),
        '-C --dir --lockfile-dir --workspace-dir': projectFile,
        '--filter -F --filter-prod': selected,
        '-c --shell-mode': executes(chooses('pnpm')),
      }),
    },
    commands: commandsOf(pnpmSyntax, 'pnpm'),
    operands: { rest: inert },
    finish: (one) => unknownCommand(one),
  },
};

/** A word that is not a command may be a script, a plug-in or a program of the project. */
function unknownCommand(reading: Reading): Yield {
  const { operands, program } = reading;
  const [first] = operands;
  if (first === undefined) return {};
  if (first.live === null && ownScript.test(first.text)) return handedOn(operands.slice(1));
  return local(reading, `${program} ${first.text} may be a script, a plug-in or a program`);
}

/** `yarn workspace a test`: a script of one part by a name that no program has; all else pins. */
function inPart({ operands }: Reading, program: string): Yield {
  const [part, ...rest] = operands;
  const [script, ...more] = rest[0]?.text === 'run' ? rest.slice(1) : rest;
  const isPlain = part?.live === null && /^@?[A-Za-z][\w./-]*$/.test(part.text);
  const isScript =
    script?.live === null &&
    (/^(?:test|build|lint|dev|start)$/.test(script.text) || ownScript.test(script.text));
  return isPlain && isScript
    ? handedOn(more)
    : { doubts: [doubt(`${program} workspace runs what its arguments name`)] };
}

/** How projects call scripts, where no program is called so. */
const ownScript =
  /^(?:type-?check|check-types|(?:test|lint|build|check|format|typecheck|types|docs|dev|start)[:-][\w:-]+)$/;

/** Options that say for which parts of the repository, and nothing of what is run. */
function choosesParts({ name, negated, live }: Taken): boolean {
  return (
    !negated &&
    !live &&
    /^(?:--filter|-F|--filter-prod|-r|--recursive|-w|--workspace-root|-C|--dir|--cwd)$/.test(name)
  );
}

/** A program of the project, or of this machine: nothing is fetched for it. */
function local({ operands, options }: Reading, why: string): Yield {
  const [first] = operands;
  if (first === undefined) return {};
  const before = options.filter(({ word }) => word < first.word);
  const parts = before.filter((one) => one.value !== null).map(({ valueWord }) => valueWord);
  const isFirst = before.every((one) => choosesParts(one));
  const plain = first.live === null && /^[A-Za-z][\w-]*$/.test(first.text);
  return {
    effects: [
      {
        kind: 'command',
        words: operands.map(({ text, live }) => ({ text, live })),
        why,
        word: first.word,
        ...(isFirst && plain ? { leading: first.word + 1, parts } : {}),
      },
    ],
  };
}

const yarn: ProgramRecord = {
  names: ['yarn', 'yarnpkg', 'yarn.js'],
  discloses,
  does: 'Installs packages and runs scripts of a project.',
  project: { caches: ['~/.yarn', '~/.cache/yarn', '~/Library/Caches/Yarn'], network: true },
  environment: {
    NODE_OPTIONS: 'holds options of node, which can load code',
    'YARN_*': 'holds settings of yarn, which can name programs and registries',
    YARN_RC_FILENAME: 'names settings of yarn',
  },
  grammar: {
    syntax: yarnSyntax,
    options: {
      ...withRoles(
        `--disable-pnp --emoji= --pnp|--enable-pnp --flat --focus --force --frozen-lockfile --har --ignore-engines
        --ignore-optional --ignore-platform --ignore-scripts --no-ignore-scripts --json --link-duplicates --mutex= --network-concurrency=
        --network-timeout= --no-bin-links --no-lockfile --non-interactive --no-node-version-check --no-progress
        --offline --prefer-offline --prod|--production[] --pure-lockfile -s|--silent --scripts-prepend-node-path[]
        --skip-integrity-check --strict-semver --verbose --check-files --update-checksums -W|--ignore-workspace-root-check
        -D|--dev -P|--peer -O|--optional -E|--exact -T|--tilde -C|--caret -A|--all|--audit -L|--latest -S|--scope= --pattern=
        --summary --groups= --level= --depth= -i|--interactive|--init -R|--recursive --peers --immutable
        --immutable-cache --refresh-lockfile --check-cache --inline-builds --mode= --severity= --environment=
        --no-deprecations --new-version= --major --minor --patch --premajor --preminor --prepatch --prerelease --preid=
        --message= --no-git-tag-version --no-commit-hooks --access= --tag= --watch[] --since[] -v|--version -h|--help
        --name-only --manifest --fields= -p|--private -y|--yes -2 --install --no-private --prefer-dev --no-audit --no-fund`,
        {
          ...nodeSettings('yarn'),
          '--cwd': projectFile,
          '--use-yarnrc --global-folder --link-folder --modules-folder --preferred-cache-folder --cache-folder':
            executes(chooses('yarn'), inert),
          '--no-default-rc --no-ignore-scripts': executes(chooses('yarn')),
        },
      ),
    },
    commands: commandsOf(yarnSyntax, 'yarn'),
    operands: { rest: inert },
    finish: (one) => unknownCommand(one),
  },
};

export const nodePackagePrograms: readonly ProgramRecord[] = [pnpm, yarn];
