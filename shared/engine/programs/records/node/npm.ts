import {
  doubt,
  flag,
  has,
  inert,
  into,
  merge,
  optional,
  parsed,
  pinned,
  plainOptions,
  projectFile,
  reads,
  risk,
  secret,
  executing,
  executes,
  valuesOf,
} from '../../forms.ts';
import { nopt, posix } from '../../syntax.ts';
import type {
  Command,
  Operand,
  Options,
  ProgramRecord,
  Reading,
  Taken,
  Yield,
} from '../../types.ts';
import { command, handedOn, withRoles } from '../shapes.ts';
import { configured, discloses, executed, fromElsewhere, installed } from './shared.ts';
import { chooses, packages } from '../findings.ts';

const whyOptions = chooses('npm');
const trusts = 'an option of npm changes which machine it trusts';
/** Off by `false`, and then scripts run that settings forbid. */
const guard = optional(
  parsed((value, word) =>
    value === 'true' ? {} : { doubts: [doubt('an option of npm lets scripts run', word)] },
  ),
);

/** As the definitions of npm 6 to 11 have them. */
const settings: Options = withRoles(
  `--access= -a|--all --allow-same-version --also= --audit --audit-level= --auth-type= --before|--enjoy-by=
  --bin-links --bypass-2fa --cache-max= --cache-min= --cidr= --color[] --commit-hooks --cpu= --depth=
  --description|--desc --dev --diff-ignore-all-space --diff-name-only --diff-no-prefix --diff-dst-prefix=
  --diff-src-prefix= --diff-text --diff-unified= --dry-run --engine-strict --expect-result-count=
  --expect-results --expires= --fetch-retries= --fetch-retry-factor= --fetch-retry-maxtimeout=
  --fetch-retry-mintimeout= --fetch-timeout= -f|--force --foreground-scripts --format-package-lock --fund
  --git-tag-version -g|--global --global-style --heading= --if-present --include= --include-staged
  -iwr|--include-workspace-root --include-attestations --init-author-email= --init-author-name=
  --init-author-url= --init-license= --init-type= --init-version= --init-private --init.author.email=
  --init.author.name= --init.author.url= --init.license= --init.version= --install-links --install-strategy=
  --json --legacy-bundling --legacy-peer-deps --libc= --link --lockfile-version= --loglevel= --logs-max=
  -l|--long --name= -m|--message= --maxsockets= --min-release-age= --min-release-age-exclude= --offline --omit=
  --omit-lockfile-registry-resolved --only= --orgs= --optional --os= --package-lock --package-lock-only
  --packages= -p|--parseable|--porcelain --allow-scripts-pending --allow-scripts-pin --prefer-dedupe
  --prefer-offline --prefer-online --preid= --production --progress --provenance --read-only|--readonly
  --rebuild-bundle -S|--save -B|--save-bundle -D|--save-dev -E|--save-exact -O|--save-optional --save-peer
  --save-prefix= -P|--save-prod --sbom-format= --sbom-type= --scope= --scopes= --packages-all
  --packages-and-scopes-permission= --orgs-permission= --token-description= --searchexclude= --searchlimit=
  --searchopts= --searchstaleness= --shrinkwrap --sign-git-commit --sign-git-tag --strict-peer-deps
  --strict-allow-scripts --tag= --tag-version-prefix= --timing --umask= --unicode --update-notifier
  --usage|--help -?|-H|-h --user-agent= -v|--version --versions --which= -ws|--workspaces --workspaces-update
  -y|--yes -n|--no -d -dd -ddd -q|--quiet -s|--silent --verbose --local --maxsockets=
  --allow-directory= --allow-file=`,
  {
    '-w --workspace': projectFile,
    '--otp --_auth --password --_authToken --_password': secret,
    '--pack-destination --logs-dir': into,
    '--provenance-file': reads,
    '--ignore-scripts': guard,
    '--allow-git --allow-remote --allow-scripts --key --cert': executes(whyOptions, inert),
    '--dangerously-allow-all-scripts': executes(whyOptions),
    '--script-shell --shell --node-options --userconfig --globalconfig -c --call': executes(
      whyOptions,
      inert,
    ),
    '-C': executes(whyOptions, inert),
    // Scripts and settings of another folder count then: of the project, or it pins.
    '--prefix': projectFile,
    '--editor --viewer --git --init-module --init.module --cache --node-gyp --python --npm-path':
      executes(whyOptions, inert),
    '--location -L --package --onload-script': executes(whyOptions, inert),
    '--browser': executes(whyOptions, optional(inert)),
    '--registry --reg --replace-registry-host --ca --cafile --proxy --https-proxy --noproxy --local-address':
      pinned(inert, trusts),
    '--strict-ssl': flag,
    '--diff': parsed((text, word) => fromElsewhere([{ text, word, live: null }], 'npm diff')),
  },
);

/** Settings that protect, and words that may belong to the option before them. */
function guarded(reading: Reading): Yield {
  const { options, operands } = reading;
  const off = options.find(
    ({ name, negated }) =>
      negated &&
      /^--no-(?:ignore-scripts|strict-ssl|strict-allow-scripts|engine-strict)$/.test(name),
  );
  const moved = operands.find(({ text }) => /^(?:true|false|null)$/.test(text));
  return {
    doubts: [
      ...(off === undefined ? [] : [executing(whyOptions, off.word)]),
      ...(moved === undefined
        ? []
        : [doubt(`${moved.text} may be the value of an option`, moved.word)]),
    ],
  };
}

function npmCommand(
  does: string,
  finish: (reading: Reading) => Yield = () => ({}),
  more: Partial<Command> = {},
): Command {
  return command(
    nopt,
    does,
    {},
    {
      operands: { rest: inert },
      finish: (reading) => merge([guarded(reading), finish(reading)]),
      ...more,
    },
  );
}
const looks = (does: string): Command => npmCommand(does, undefined, { offers: 'reads' });
/** What is said of a package: one of the registry, or a file. */
const tells = (does: string): Command =>
  npmCommand(does, (one) => fromElsewhere(one.operands.slice(0, 1), 'npm'), { offers: 'reads' });

const isSafe = (reading: Reading): boolean =>
  reading.options.some(
    ({ name, negated, value }) =>
      /^--(?:ignore-scripts|dry-run|package-lock-only)$/.test(name) &&
      !negated &&
      value !== 'false',
  );
const install = npmCommand('Installs packages.', (one) => installed(one, isSafe(one)));
const script = npmCommand('Runs a script of the project.', (one) => handedOn(one.operands));
const runs = (name: string): Command =>
  npmCommand('Fetches and runs a package.', (one) =>
    executed(one, `npm ${name} runs what its arguments name`, 0, false),
  );
const pinnedCommand = (does: string, why: string): Command =>
  npmCommand(does, () => ({ doubts: [doubt(why)] }));
const publish = npmCommand('Publishes the package.', (one) =>
  merge([
    handedOn(one.operands),
    has(one, '--dry-run')
      ? {}
      : { risks: [risk('data-leaving', 'high', 'Publishes with npm publish.')] },
  ]),
);

/** Each side is packed first, and a folder is asked for what its scripts make of it. */
function differs(options: readonly Taken[], operands: readonly Operand[]): Yield {
  const sides = options.filter(({ name }) => name === '--diff');
  const isPublished = ({ value, live }: Taken): boolean =>
    !live && /^(?:@[a-z][\w.-]*\/)?[a-z][\w.-]*@\d[\w.+-]*$/.test(value ?? '');
  if (sides.length === 2 && operands.length === 0 && sides.every(isPublished)) return {};
  return { doubts: [doubt('npm diff packs the folder, and runs its scripts for that')] };
}

const npmCommands: Readonly<Record<string, Command>> = {
  'install i in ins inst insta instal isnt isnta isntal isntall add install-test it ci clean-install ic install-clean isntall-clean install-ci-test cit clean-install-test sit':
    install,
  'update up upgrade udpate': install,
  'uninstall unlink remove rm r un': npmCommand('Removes packages.', undefined, {
    offers: 'changes',
  }),
  'link ln': pinnedCommand(
    'Links a package of this machine.',
    'npm link puts programs where all projects find them',
  ),
  'run run-script rum urn': script,
  'test t tst start stop restart': script,
  'exec x': npmCommand('Fetches and runs a package.', (one) =>
    executed(one, 'npm exec runs what its arguments name'),
  ),
  'init create innit': runs('init'),
  explore: runs('explore'),
  edit: pinnedCommand('Edits a package.', 'npm edit starts the editor'),
  'config c set get set-script': npmCommand('Works on settings.', (one) => ({
    doubts: [doubt('npm config changes settings that name programs')],
    risks: configured(one),
  })),
  pkg: npmCommand('Looks at or changes package.json.', ({ operands: [first] }) =>
    first?.text === 'get'
      ? {}
      : {
          doubts: [doubt('npm pkg changes package.json, which holds commands', first?.word ?? -1)],
        },
  ),
  audit: npmCommand('Looks for known flaws in packages, or mends them.', undefined, {
    offers: ({ operands }) => (operands.length === 0 ? 'reads' : 'exact'),
  }),
  'view info show v': tells('Shows what the registry says of a package.'),
  fund: npmCommand(
    'Says who asks for money.',
    ({ operands: [one] }) =>
      one === undefined
        ? {}
        : { doubts: [doubt('npm fund opens a page of the package', one.word)] },
    { offers: 'reads' },
  ),
  'ls list ll la outdated why explain doctor ping prefix root bin': looks('Looks at packages.'),
  'find-dupes query sbom search s se find help help-search hlep whoami version-list completion':
    looks('Looks at packages.'),
  diff: npmCommand('Compares packages.', ({ options, operands }) => differs(options, operands)),
  'dedupe ddp prune rebuild rb shrinkwrap': npmCommand('Lays out installed packages.', (one) =>
    handedOn(one.operands),
  ),
  'version verison': npmCommand('Shows or changes the version.'),
  pack: npmCommand('Packs the package.', (one) =>
    merge([handedOn(one.operands), fromElsewhere(one.operands, 'npm pack')]),
  ),
  publish,
  'unpublish deprecate undeprecate dist-tag dist-tags access owner author hook org team star unstar stars trust':
    npmCommand('Changes what is published.', () => ({
      doubts: [doubt('npm changes what is published under a name')],
      risks: [risk('data-leaving', 'low', 'Changes what is published under a name.')],
    })),
  'token profile': npmCommand('Works on the account.', () => ({
    risks: [risk('credential-path', 'high', 'Prints npm tokens.')],
  })),
  'login adduser add-user logout': npmCommand('Logs in or out.'),
  'bugs issues docs home repo': npmCommand('Opens a page of a package.'),
  cache: npmCommand('Works on the cache.', (one) =>
    merge([handedOn(one.operands), fromElsewhere(one.operands, 'npm cache')]),
  ),
};

const environment = {
  NODE_OPTIONS: 'holds options of node, which can load code',
  NODE_PATH: 'decides from where node loads code',
  'NPM_CONFIG_*': 'holds settings of npm, which can name programs and registries',
  'COREPACK_*': 'decides which package manager is downloaded and run',
  NPM_CONFIG_SCRIPT_SHELL: 'names a program that npm starts',
  NPM_CONFIG_USERCONFIG: 'names settings of npm, which can name programs and registries',
  NPM_CONFIG_REGISTRY: 'decides from where npm takes code that it runs',
};

const npm: ProgramRecord = {
  names: ['npm', 'npm-cli.js'],
  discloses,
  does: 'Installs packages and runs scripts of a project.',
  project: { caches: ['~/.npm', '~/.cache/node-gyp'], network: true },
  environment,
  grammar: { syntax: nopt, options: settings, commands: npmCommands },
};

function fetched(reading: Reading): Yield {
  const call = reading.options.find(({ name }) => name === '-c' || name === '--call');
  const why = `${reading.program} fetches and runs the package that its arguments name`;
  if (call === undefined) {
    const found = executed(reading, why);
    return has(reading, '--no-install', '--no') ? { ...found, risks: [] } : found;
  }
  return {
    effects: [{ kind: 'shell', text: call.value ?? '', why, word: call.valueWord }],
    risks: packages(valuesOf(reading, '-p', '--package'), 'Runs packages'),
  };
}

/** Options in front of the package; what follows it is its own. */
const runner = (name: string, options: string): ProgramRecord => ({
  names: [name],
  does: 'Fetches and runs a package.',
  project: { caches: ['~/.npm', '~/.cache'], network: true },
  environment,
  grammar: {
    syntax: { ...posix, abbreviates: false, name: 'runner' },
    options: plainOptions(options),
    operands: { rest: inert },
    finish: fetched,
    offers: 'exact',
  },
});

export const npmPrograms: readonly ProgramRecord[] = [
  npm,
  {
    ...runner(
      'npx',
      '-p|--package= -c|--call= -w|--workspace= -ws|--workspaces -y|--yes -n|--no -q|--quiet --no-install --prefer-offline --prefer-online --offline --loglevel= -v|--version -h|--help --silent --include-workspace-root',
    ),
    names: ['npx', 'npx-cli.js'],
  },
  runner('pnpx', '-c|--shell-mode --package= -s|--silent --reporter= -h|--help'),
  runner('bunx', '--bun -p|--package= --silent --verbose --no-install -h|--help --version'),
  runner(
    'uvx',
    `-p|--python= --from= --with= --with-editable= --with-requirements= --isolated --refresh
    -q|--quiet -v|--verbose --offline --no-cache --no-config -h|--help -V|--version --python-preference=
    -U|--upgrade --index= --default-index= --index-url= --extra-index-url= --env-file=`,
  ),
];
