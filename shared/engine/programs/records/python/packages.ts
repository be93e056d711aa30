import {
  doubt,
  has,
  inert,
  into,
  merge,
  path,
  pinned,
  pins,
  projectFile,
  reads,
  writes,
} from '../../forms.ts';
import { getoptCommand, gnu } from '../../syntax.ts';
import type { Command, ProgramRecord, Reading, Yield } from '../../types.ts';
import { byLine, chooses, packager, packages, wordsOf } from '../findings.ts';
import { commandTool, knownCommand } from '../command-tool.ts';
import { fixed, command, handedOn, withRoles } from '../shapes.ts';

const other = 'pip takes another python or other settings from its options';
const index = 'decides from where pip takes code that it runs';
const pipOptions = withRoles(
  `-h|--help --debug --isolated --require-virtualenv -v|--verbose -V|--version -q|--quiet --no-input --retries= --timeout=|--default-timeout=
  --exists-action= --no-cache-dir --disable-pip-version-check --no-color --no-python-version-warning --use-feature= --use-deprecated=
  --no-deps|--no-dependencies --pre --dry-run --platform= --python-version= --implementation= --abi= -U|--upgrade --upgrade-strategy=
  --force-reinstall -I|--ignore-installed --ignore-requires-python --no-build-isolation --use-pep517 --no-use-pep517 --check-build-dependencies
  --break-system-packages --compile --no-compile --no-warn-script-location --no-warn-conflicts --no-binary= --only-binary=
  --prefer-binary --require-hashes --progress-bar= --root-user-action= --no-clean --no-index -o|--outdated -u|--uptodate -l|--local
  --format= --not-required --exclude-editable --include-editable --exclude= --all -f --files -y|--yes --resume-retries=
  --build-option= --verify --no-verify --group= --ignore-editable -a|--algorithm= --no-python-downloads`
    .replace('-f --files', '--files')
    .replace('--timeout=|--default-timeout=', '--timeout|--default-timeout='),
  {
    '-r --requirement -c --constraint --build-constraint': { ...projectFile },
    '-e --editable': projectFile,
    '-t --target --src --source --source-dir --source-directory -d --dest --destination-dir --destination-directory -w --wheel-dir':
      { ...into, runs: true },
    '--report --log --log-file --local-log': { ...writes, runs: true },
    '--user': pins('pip installs for all projects'),
    '--path': reads,
    '--python --config-settings -C --global-option --install-option --editor --root --prefix --cache-dir':
      pinned(inert, other),
    '--build-option --keyring-provider': pinned(inert, other),
    '-i --index-url --pypi-url --extra-index-url -f --find-links --proxy --trusted-host --cert --client-cert':
      pinned(inert, `an option ${index}`),
  },
);

/** A package of the index by its name, with extras, versions and markers. */
const byName =
  /^[A-Za-z0-9][\w.-]*\s*(?:\[[\w\s,.-]*\])?\s*(?:[<>=!~]=?=?\s*[\w.*+!-]+\s*,?\s*)*(?:;.*)?$/;
function installed(reading: Reading): Yield {
  const words = reading.operands.filter(
    ({ text }) =>
      !/^[\w+]+:\/\/(?!\/)|@/.test(text) && /^[/~.]|\.(?:whl|tar\.gz|zip)$|^file:/.test(text),
  );
  const elsewhere = reading.operands.filter(
    ({ text }) => !words.some((one) => one.text === text) && !byName.test(text),
  );
  const safe = has(reading, '--dry-run');
  return merge([
    handedOn(words),
    {
      doubts: elsewhere.map(({ text, word }) =>
        doubt(`pip takes ${text} from elsewhere than its index`, word),
      ),
    },
    safe ? {} : { risks: packages(wordsOf(reading)) },
  ]);
}

function pipCommand(
  does: string,
  finish: (reading: Reading) => Yield = () => ({}),
  more: Partial<Command> = {},
): Command {
  return command(
    { ...gnu, name: 'optparse', inherits: true },
    does,
    {},
    { operands: { rest: inert }, finish, ...more },
  );
}
const pipLooks = (does: string): Command =>
  pipCommand(does, ({ operands }) => handedOn(operands), { offers: 'reads' });

const pip: ProgramRecord = {
  names: ['pip'],
  versions: true,
  does: 'Installs packages of Python.',
  project: { caches: ['~/.cache/pip'], network: true },
  harmless: ['PIP_NO_INPUT', 'PIP_DISABLE_PIP_VERSION_CHECK'],
  environment: {
    'PIP_*': 'holds options of pip, which can name programs and where code comes from',
    PIP_INDEX_URL: index,
    PIP_EXTRA_INDEX_URL: index,
    PIP_CONFIG_FILE: 'names settings of pip',
    PIP_TRUSTED_HOST: 'makes pip trust a machine without a check',
  },
  grammar: {
    syntax: { ...gnu, name: 'optparse', inherits: true },
    options: pipOptions,
    commands: {
      install: pipCommand('Installs packages.', installed),
      'download wheel': pipCommand('Fetches packages.', (one) =>
        merge([
          installed(one),
          has(one, '-d', '--dest', '-w', '--wheel-dir') ? {} : { effects: [path('into', '.', -1)] },
        ]),
      ),
      uninstall: pipCommand('Removes packages.'),
      'list show freeze check inspect search index hash debug help': pipLooks(
        'Shows installed packages.',
      ),
      lock: pipCommand('Writes which packages are meant.', (one) =>
        merge([
          installed(one),
          has(one, '-o', '--output') ? { doubts: [doubt('pip lock writes the file in -o')] } : {},
        ]),
      ),
      cache: pipCommand('Works on the cache.'),
    },
  },
};

const uv = commandTool({
  names: ['uv'],
  finds: packager(/^(?:add|sync|pip|tool)\b/, /^publish\b/),
  does: 'Works on packages of Python.',
  front: withRoles(
    `-q|--quiet -v|--verbose --color= --native-tls --offline --no-progress --no-config -h|--help -V|--version --no-cache -n
    --no-python-downloads --python-preference= --managed-python --no-managed-python --preview`,
    {
      '--directory --project': projectFile,
      '--config-file --cache-dir --allow-insecure-host': pinned(inert, chooses('uv')),
    },
  ),
  publishes: true,
  plain: 'add audit build cache export init lock remove sync venv format',
  looks: 'tree version help python',
  runs: 'tool x run',
  commands: {
    run: command(
      getoptCommand,
      'Runs a program of the project.',
      withRoles(
        `--all-extras --all-groups --all-packages --dev --exact --extra= --frozen --group= --isolated --locked --no-dev
         --no-default-groups --no-editable --no-env-file --no-extra= --no-group= --no-project --no-sync --only-dev --only-group=
         -q|--quiet -v|--verbose --offline --package= --active -h|--help --refresh -U|--upgrade`,
        {
          '--directory --project': projectFile,
          '--with --with-editable --with-requirements --env-file -p --python --index --default-index --index-url --extra-index-url --find-links':
            pinned(inert, chooses('uv')),
          '-m --module -s --script --gui-script': pins('uv run runs what its arguments name'),
        },
      ),
      {
        operands: { rest: inert },
        finish: ({ operands, options }) => {
          const why = 'uv run runs what its arguments name';
          const [first] = operands;
          if (first === undefined) return { doubts: [doubt(why)] };
          const leads =
            options.length === 0 && first.live === null && /^[A-Za-z][\w-]*$/.test(first.text);
          const words = operands.map(({ text, live }) => ({ text, live }));
          return {
            effects: [
              {
                kind: 'command',
                words,
                why,
                word: first.word,
                ...(leads ? { leading: first.word + 1 } : {}),
              },
            ],
          };
        },
      },
    ),
    pip: {
      does: 'Installs packages of Python.',
      syntax: getoptCommand,
      options: pipOptions,
      commands: pip.grammar.commands ?? {},
    },
    self: command(getoptCommand, 'Changes uv itself.', '', {
      finish: () => ({ doubts: [doubt('uv self changes uv itself')] }),
    }),
  },
  pins: /^(?:-p|--(?:python|config-file|index-url|index|default-index|extra-index-url|find-links|publish-url|token|with|config-setting))(?:=|$)/,
  why: chooses('uv'),
  caches: ['~/.cache/uv', '~/.local/share/uv'],
  harmless: ['UV_NO_PROGRESS', 'UV_OFFLINE'],
  environment: {
    'UV_*': 'holds options of uv, which can name programs and where code comes from',
    UV_PYTHON: 'names a program that uv starts',
    UV_INDEX_URL: index.replace('pip', 'uv'),
    UV_CONFIG_FILE: 'names settings of uv',
  },
});

const poetry = commandTool({
  names: ['poetry'],
  finds: packager(/^(?:install|add|update)\b/, /^publish\b/),
  does: 'Works on packages of Python.',
  front: withRoles(
    '-h|--help -v|--verbose -vv -vvv -V|--version --ansi --no-ansi -n|--no-interaction --no-plugins --no-cache -q|--quiet',
    {
      '-C --directory -P --project': projectFile,
    },
  ),
  publishes: true,
  plain: 'add build cache init install lock new remove sync update',
  looks: 'about check export help list search show version debug',
  runs: 'run',
  caches: ['~/.cache/pypoetry'],
});

const others = [
  commandTool({
    names: ['pipenv'],
    does: 'Works on packages of Python.',
    plain: 'clean install lock sync uninstall update upgrade',
    looks: 'check graph verify requirements audit',
    runs: 'run shell',
    mayBeBare: true,
  }),
  commandTool({
    names: ['pipx'],
    finds: packager(/^(?:install|run|upgrade)\b/),
    does: 'Installs programs of Python.',
    plain: 'uninstall',
    commands: Object.fromEntries(
      'ensurepath inject install install-all reinstall upgrade upgrade-all upgrade-shared reinstall-all'
        .split(' ')
        .map((name) => [
          name,
          knownCommand('Installs programs.', {}, () => ({
            doubts: [doubt('pipx installs programs for all projects')],
          })),
        ]),
    ),
    looks: 'list environment',
    runs: 'run runpip',
    pins: /^--(?:python|pip-args|index-url)/,
  }),
  commandTool({
    names: ['hatch'],
    does: 'Works on packages of Python.',
    publishes: true,
    plain: 'build clean new version',
    looks: 'status dep',
    runs: 'run shell test fmt config env',
  }),
  commandTool({
    names: ['rye'],
    does: 'Works on packages of Python.',
    publishes: true,
    plain: 'add build fetch fmt init install lint lock pin remove sync test',
    looks: 'list show',
    runs: 'run',
  }),
  commandTool({
    names: ['pdm'],
    does: 'Works on packages of Python.',
    publishes: true,
    plain: 'add build cache fix init install lock remove sync update use venv outdated',
    looks: 'info list show search',
    runs: 'run config self plugin',
  }),
];

const twine = fixed('pinned', 'publishes packages', 'twine', {
  finds: byLine([[/^upload\b/, 'data-leaving', 'Publishes with twine upload.']]),
});

export const pythonPackagePrograms: readonly ProgramRecord[] = [
  pip,
  uv,
  poetry,
  ...others,
  ...twine,
];
