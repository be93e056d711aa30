import {
  doubt,
  flag,
  has,
  inert,
  merge,
  path,
  pinned,
  pins,
  reads,
  risk,
  secret,
  starts,
  writes,
} from '../forms.ts';
import { getopt, getoptCommand, gnu } from '../syntax.ts';
import type { Argument, CustomReading, ProgramRecord, Reading, RiskOf, Yield } from '../types.ts';
import { commandTool } from './command-tool.ts';
import { fixed, readLoosely, withRoles } from './shapes.ts';

/** A program of many commands, of which some only look. The others are pinned. */
interface Service {
  readonly name: string;
  readonly does: string;
  /** The words that only look, joined by blanks. */
  readonly looks: RegExp;
  readonly risky?: RegExp;
  /** Options whose value is the next word. */
  readonly valued?: RegExp;
  readonly why: string;
  readonly finds?: (line: string, args: readonly Argument[]) => readonly RiskOf[];
  readonly environment?: Readonly<Record<string, string>>;
}

function readService(service: Service, args: readonly Argument[]): CustomReading {
  const { looks, risky, valued, why, finds } = service;
  const loose = readLoosely(args, { use: 'edits' }, service.name);
  const words = args.filter(
    ({ text }, at) => !text.startsWith('-') && valued?.test(args[at - 1]?.text ?? '') !== true,
  );
  const line = words.map(({ text }) => text).join(' ');
  const asks =
    words.length === 0 && args.every(({ text }) => /^--?(?:version|help|h|v)$/i.test(text));
  const looking = words.length === 0 ? asks : looks.test(line);
  const chosen = args.findIndex(({ text }) => risky?.test(text) === true);
  // An option that is not known may take a word that seems to be the command.
  const hidden = args.findIndex(
    ({ text }, at) =>
      text.startsWith('-') &&
      !text.includes('=') &&
      valued?.test(text) !== true &&
      at < args.indexOf(words[0] ?? args[0] ?? { text: '', live: null }),
  );
  return {
    options: loose.options,
    operands: loose.operands,
    effects: (loose.effects ?? []).filter(
      (effect) => effect.kind === 'path' && /[/.~]/.test(effect.path),
    ),
    doubts: [
      ...(loose.doubts ?? []),
      ...(looking ? [] : [doubt(why)]),
      ...(chosen === -1 ? [] : [doubt(why, chosen)]),
      ...(hidden === -1 || asks ? [] : [doubt(why, hidden)]),
    ],
    risks: finds?.(line, args) ?? [],
  };
}

const prints = (what: string): readonly RiskOf[] => [
  risk('credential-path', 'high', `Prints ${what}.`),
];
const destroys = (text: string): readonly RiskOf[] => [risk('data-loss', 'high', text)];
const stops = /^(?:reboot|poweroff|halt|kexec|rescue|emergency|isolate)\b/;

const services: readonly Service[] = [
  {
    name: 'systemctl',
    does: 'Shows, starts and stops services.',
    looks: /^(?:status|show|cat|is-\S+|list-\S+|get-default|help)(?: |$)/,
    risky: /^-(?:H|M|-host|-machine|-root|-image)/,
    valued: /^(?:-t|--type|-p|--property|-n|--lines|-o|--output|--state)$/,
    why: 'systemctl starts, stops and changes services',
    finds: (line) => [
      ...(stops.test(line)
        ? [risk('stops-programs', 'high', 'Stops or restarts this machine.')]
        : []),
      ...(/^(?:enable|link|edit|reenable)\b/.test(line)
        ? [risk('persistence', 'high', 'Has a service start by itself.')]
        : []),
    ],
  },
  {
    name: 'aws',
    does: 'Works on services of Amazon.',
    looks:
      /^(?:s3 (?:ls|cp|sync|mv|presign)|sts get|\S+ (?:describe|list|get|head|lookup|search|filter|batch-get)-|logs tail|help|configure list)/,
    risky: /^(?:--(?:endpoint|profile=.*\/|ca-bundle|cli-input|no-verify|query-file)|fileb?:\/\/)/,
    valued: /^--(?:region|profile|output|query|color|cli-read-timeout|cli-connect-timeout)$/,
    why: 'aws changes services and starts programs on other machines',
    environment: {
      AWS_CONFIG_FILE: 'names settings of aws, which can run a program for its credentials',
      AWS_SHARED_CREDENTIALS_FILE: 'names settings of aws, which can run a program',
      AWS_PAGER: 'names a program that aws starts',
      AWS_ENDPOINT_URL: 'decides which machine aws talks to',
    },
    finds: (line, args) => [
      ...(/^(?:secretsmanager (?:get|batch-get)-secret|ssm get-parameters?|sts get-session-token|configure (?:get|export-credentials)|ecr get-login)/.test(
        line,
      ) && !(line.startsWith('ssm') && !args.some(({ text }) => text === '--with-decryption'))
        ? prints('AWS credentials')
        : []),
      ...(/^s3 (?:rm|rb)\b/.test(line) ||
      /^\S+ (?:delete|terminate|destroy|purge|remove)-/.test(line)
        ? destroys('Deletes what a service keeps.')
        : []),
      ...(/^s3 (?:sync|mv)\b/.test(line) && args.some(({ text }) => text === '--delete')
        ? destroys('Deletes what a service keeps.')
        : []),
      ...(/^s3 (?:cp|sync|mv) (?!s3:)\S+ s3:/.test(line)
        ? [risk('data-leaving', 'high', 'Copies files to a store with aws.')]
        : []),
    ],
  },
  {
    name: 'gcloud',
    does: 'Works on services of Google.',
    looks:
      /^(?:(?:(?:alpha|beta) )?(?:\S+ ){0,3}(?:list|describe|get-value|read|get-iam-policy|tail)(?: |$)|info|version|help)/,
    risky: /^--(?:ssh|scp|flags-file|configuration|impersonate|command)/,
    valued: /^--(?:project|region|zone|format|filter|limit|account)$/,
    why: 'gcloud changes services and starts programs on other machines',
    environment: {
      CLOUDSDK_PYTHON: 'names a program that gcloud starts',
      CLOUDSDK_CONFIG: 'names settings of gcloud',
    },
    finds: (line) => [
      ...(/^auth (?:print-|application-default print-)/.test(line)
        ? prints('Google Cloud credentials')
        : []),
      ...(/\bdelete\b/.test(line) ? destroys('Deletes what a service keeps.') : []),
    ],
  },
  {
    name: 'az',
    does: 'Works on services of Microsoft.',
    looks: /^(?:\S+ ){0,3}(?:list|show|version|help)(?: |$)/,
    valued: /^(?:-o|--output|--query|--subscription|-g|--resource-group)$/,
    why: 'az changes services and starts programs on other machines',
    finds: (line) => [
      ...(/^(?:account get-access-token|keyvault secret (?:show|download))/.test(line)
        ? prints('Azure credentials')
        : []),
      ...(/^storage \S+ upload/.test(line)
        ? [risk('data-leaving', 'high', 'Copies files to a store with az.')]
        : []),
      ...(/\bdelete\b/.test(line) ? destroys('Deletes what a service keeps.') : []),
    ],
  },
  {
    name: 'firebase',
    does: 'Works on services of Firebase.',
    looks:
      /^(?:projects:list|apps:list|functions:(?:list|log)|hosting:\S*list|help|--version)(?: |$)/,
    why: 'firebase runs commands and hooks of the project',
  },
  {
    name: 'ip',
    does: 'Shows and changes the network.',
    looks:
      /^(?:a|addr|address|l|link|r|ro|route|n|neigh|rule|maddr)(?: (?:show|list|ls|get)\b.*)?$/,
    risky: /^-(?:b|ba|n|net)/,
    valued: /^-(?:f|family)$/,
    why: 'ip runs commands in other namespaces and changes the network',
  },
  {
    name: 'launchctl',
    does: 'Shows, starts and stops services.',
    looks: /^(?:list|print|print-disabled|blame|version|help)(?: |$)/,
    why: 'launchctl starts services',
    finds: (line) =>
      /^(?:load|bootstrap|enable|submit)\b/.test(line)
        ? [risk('persistence', 'high', 'Has a service start by itself.')]
        : [],
  },
  {
    name: 'gsutil',
    does: 'Works on stores of Google.',
    looks: /^(?:ls|cat|stat|du|version|help)(?: |$)/,
    why: 'gsutil changes what a store keeps',
    finds: (line) => (/^(?:rm|rb)\b/.test(line) ? destroys('Deletes what a service keeps.') : []),
  },
  {
    name: 'rclone',
    does: 'Copies to and from stores.',
    looks: /^(?:ls|lsd|lsl|lsf|lsjson|size|version|help|about|tree)(?: |$)/,
    risky: /^--(?:config|password-command|rc|metadata-mapper|sftp-ssh|header)/,
    why: 'rclone copies and deletes files, and starts the programs in its settings',
    finds: (line) =>
      /^(?:copy|copyto|sync|move|moveto|bisync)\b/.test(line)
        ? [risk('data-leaving', 'high', 'Copies files with rclone.')]
        : /^(?:delete|purge|deletefile)\b/.test(line)
          ? destroys('Deletes what a service keeps.')
          : [],
  },
];

const serviceRecords: readonly ProgramRecord[] = services.map((service) => ({
  names: [service.name],
  does: service.does,
  ...(service.environment === undefined ? {} : { environment: service.environment }),
  grammar: {
    syntax: getoptCommand,
    read: (args) => readService(service, args),
    offers: ({ doubts }) => (doubts.length === 0 && service.name !== 'aws' ? 'reads' : 'exact'),
  },
}));

const destroying = (one: Reading): Yield =>
  one.command[0] === 'destroy' ||
  one.operands.some(({ text }) => /^-?-auto-approve$/.test(text)) ||
  one.options.some(({ name }) => /^-?-auto-approve$/.test(name))
    ? { risks: [risk('production-target', 'high', 'Changes real services without asking again.')] }
    : {};
const terraformTool = commandTool({
  names: ['terraform', 'tofu'],
  does: 'Changes services to what files of a project say.',
  front: {
    '-version -help -v -h': flag,
    '-chdir': pinned(inert, 'an option of terraform chooses settings, code or programs'),
  },
  plain:
    'apply destroy fmt get import init refresh state taint untaint test workspace force-unlock',
  looks: 'graph output plan providers show validate version metadata',
  runs: 'console login',
  pins: /^--?(?:chdir|plugin-dir|from-module|backend-config)/,
  why: 'an option of terraform chooses settings, code or programs',
  environment: {
    TF_CLI_CONFIG_FILE: 'names settings of terraform',
    TF_PLUGIN_CACHE_DIR: 'names plug-ins of terraform',
    TF_CLI_ARGS: 'holds options of terraform',
  },
});
const terraform: ProgramRecord = {
  ...terraformTool,
  grammar: {
    ...terraformTool.grammar,
    commands: Object.fromEntries(
      Object.entries(terraformTool.grammar.commands ?? {}).map(([name, command]) => [
        name,
        command.read === undefined
          ? command
          : {
              ...command,
              read: (args: readonly Argument[]) => {
                const found = command.read?.(args) ?? { options: [], operands: [] };
                const reading = {
                  ...found,
                  command: [name],
                  program: 'terraform',
                  grammar: null,
                  effects: [],
                  doubts: [],
                  risks: [],
                };
                return { ...found, ...merge([found, destroying(reading)]) };
              },
            },
      ]),
    ),
  },
};

const settings = 'apt runs commands from its settings';
const aptOptions = withRoles(
  '-d|--download-only -f|--fix-broken -m|--ignore-missing --fix-missing --no-download -q|--quiet[] -s|--simulate|--just-print|--dry-run|--recon|--no-act -y|--yes|--assume-yes --assume-no --no-show-upgraded -V|--verbose-versions -a|--all-versions --host-architecture= -P|--build-profiles= -b|--compile --ignore-hold --with-new-pkgs --no-upgrade --only-upgrade --allow-downgrades --allow-remove-essential --allow-change-held-packages --force-yes --print-uris --purge --reinstall --list-cleanup -t|--target-release|--default-release= --trivial-only --no-remove --auto-remove|--autoremove --only-source --diff-only --dsc-only --tar-only --arch-only --allow-unauthenticated --no-allow-insecure-repositories --allow-releaseinfo-change --show-progress --with-source= --no-install-recommends --install-recommends --install-suggests --installed --upgradable --manual-installed -v|--version -h|--help -n|--names-only --no-all-versions --recurse --important -i -g|--generate --full -u',
  {
    '-o --option -c --config-file': pinned(inert, settings),
  },
);
const aptInstall: ProgramRecord = {
  names: ['apt', 'apt-get', 'apt-cache', 'aptitude', 'apt-mark'],
  does: 'Works on packages of the system.',
  environment: { APT_CONFIG: 'names settings of apt, which can hold commands' },
  grammar: {
    syntax: { ...gnu, name: 'apt', abbreviates: false },
    options: aptOptions,
    operands: { rest: inert },
    finish: (one) => {
      const changes =
        /^(?:install|upgrade|full-upgrade|dist-upgrade|remove|purge|autoremove)$/.test(
          one.operands[0]?.text ?? '',
        );
      return merge([
        {
          effects: one.operands
            .filter(({ text }) => /^[./~]/.test(text))
            .map(({ text, word }) => path('reads', text, word)),
        },
        changes && !has(one, '-s', '--simulate', '--dry-run')
          ? {
              risks: [
                risk(
                  'package-install',
                  'low',
                  'Installs packages, whose scripts run on this machine.',
                ),
              ],
            }
          : {},
      ]);
    },
    offers: ({ operands }) =>
      /^(?:list|show|search|policy|depends|rdepends|madison|showpkg|changelog)$/.test(
        operands[0]?.text ?? '',
      )
        ? 'reads'
        : 'exact',
  },
};
const dpkg: ProgramRecord = {
  names: ['dpkg', 'dpkg-query', 'dpkg-deb'],
  does: 'Works on packages of the system.',
  grammar: {
    syntax: { ...gnu, name: 'dpkg', abbreviates: false },
    options: withRoles(
      '-l|--list -s|--status -L|--listfiles -S|--search -p|--print-avail -I|--info -c|--contents -f|--field -W|--show --get-selections --print-architecture --print-foreign-architectures --compare-versions -C|--audit -V|--verify --version -? --help --no-pager -D= --validate-version --assert-support-predepends --showformat= --yet-to-unpack',
      {
        '-i --install --unpack --configure -r --remove -P --purge -A --record-avail --set-selections --clear-selections --update-avail --merge-avail':
          pins('dpkg runs scripts of packages'),
        '-x --extract -X --vextract -e --control -R --raw-extract -b --build --fsys-tarfile':
          pins('dpkg unpacks packages'),
        '--pre-invoke --post-invoke --status-logger --admindir --root --instdir --log --path-exclude --path-include --force-all --add-architecture':
          pinned(inert, 'dpkg runs hooks from its options'),
        '--showformat': inert,
      },
    ),
    operands: { rest: reads },
    offers: 'exact',
  },
};
const brew = commandTool({
  names: ['brew'],
  does: 'Works on packages of the system.',
  plain:
    'cleanup config doctor install reinstall uninstall update upgrade link unlink tap untap pin unpin fetch autoremove',
  looks: 'deps desc info leaves list ls outdated search uses home cat formulae casks',
  runs: 'sh exec ruby bundle services edit create',
  caches: ['~/Library/Caches/Homebrew'],
  environment: { HOMEBREW_BREW_FILE: 'names a program that brew starts' },
});

const gpg: ProgramRecord = {
  names: ['gpg', 'gpg2', 'gpgsm'],
  does: 'Signs, checks, encrypts and decrypts files.',
  environment: { GNUPGHOME: 'names settings of gpg, which can name programs' },
  grammar: {
    syntax: gnu,
    options: withRoles(
      `-s|--sign --clear-sign --clearsign -b|--detach-sign -e|--encrypt -c|--symmetric -d|--decrypt --verify -k|--list-keys|--list-public-keys --list-signatures --list-sigs --check-signatures --fingerprint
      -K|--list-secret-keys --generate-key --gen-key --quick-generate-key --quick-gen-key --quick-add-uid --quick-revoke-uid --quick-set-expire --full-generate-key --delete-keys --delete-secret-keys --sign-key --lsign-key
      --edit-key --export --send-keys --receive-keys --recv-keys --search-keys --refresh-keys --import --card-status --update-trustdb --check-trustdb --print-md= --list-packets --armor -a -v|--verbose -q|--quiet --default-key= --encrypt-to=
      --openpgp -n|--dry-run -i|--interactive --textmode -z= --auto-key-locate= --no-auto-key-locate -r|--recipient= -u|--local-user= --batch --no-tty --yes --no --with-colons --with-fingerprint --keyid-format= --status-fd= --logger-fd= --trust-model= --always-trust
      --cipher-algo= --digest-algo= --compress-algo= --s2k-mode= --pinentry-mode= --passphrase-fd= --command-fd= --no-default-keyring --dearmor --enarmor --version --help -h --no-options --no-greeting --export-ownertrust --list-options= --verify-options= --import-options= --with-subkey-fingerprint --keyserver=`,
      {
        '-o --output': writes,
        '--passphrase': secret,
        '--passphrase-file --keyring --secret-keyring --default-recipient': reads,
        '--homedir --options --agent-program --dirmngr-program --photo-viewer --keyserver-options --gpgconf-program --exec-path --keyboxd-program --log-file --primary-keyring --trustdb-name':
          pinned(starts, 'gpg starts the programs in its options'),
        '--export-secret-keys --export-secret-subkeys --export-ssh-key': {
          ...flag,
          risk: { code: 'credential-path', level: 'high', text: 'Prints GnuPG keys.' },
        },
        '--server --use-embedded-filter --show-photos': pins(
          'gpg starts the programs in its options',
        ),
      },
    ),
    operands: { rest: reads },
    finish: (one) =>
      merge([has(one, '--import') ? { effects: [path('into', '~/.gnupg', -1)] } : {}]),
    offers: 'exact',
  },
};

const openssl: ProgramRecord = {
  names: ['openssl'],
  does: 'Works with keys, certificates and sums.',
  environment: {
    OPENSSL_CONF: 'names settings of OpenSSL, which can load libraries',
    OPENSSL_MODULES: 'decides which libraries OpenSSL loads',
    OPENSSL_ENGINES: 'decides which libraries OpenSSL loads',
  },
  grammar: {
    syntax: getoptCommand,
    read: (args) => {
      const loose = readLoosely(
        args,
        {
          use: 'edits',
          pins: /^(?:--?(?:engine|provider-path|provider|config|propquery|exec|prexit|writerand)(?:=|$)|engine$|s_server$|ocsp$|ts$|cms$)/,
          why: 'openssl loads the library in -engine or -provider-path',
        },
        'openssl',
      );
      return {
        ...loose,
        effects: (loose.effects ?? []).filter(
          (effect) => effect.kind !== 'path' || /[/.~]/.test(effect.path),
        ),
      };
    },
    offers: 'exact',
  },
};

const viewerLetters = `-? -a -A -B -c -C -d -e -E -f -F -g -G -i -I -J -K -L -m -M -n -N -q -Q -r -R -s -S -u -U -V -w -W -X -~ --quit-if-one-screen --raw-control-chars --RAW-CONTROL-CHARS --no-init --chop-long-lines --LINE-NUMBERS
  --line-numbers --ignore-case --IGNORE-CASE --quit-at-eof --QUIT-AT-EOF --squeeze-blank-lines --help --version --no-lessopen --use-color --mouse --tilde --follow-name --silent --QUIET --quiet`;
const less: ProgramRecord = {
  names: ['less', 'more', 'most'],
  does: 'Shows files page by page.',
  environment: {
    LESSOPEN: 'names a program that less starts',
    LESSCLOSE: 'names a program that less starts',
    LESS: 'holds options of less, which can write and open files',
    LESSKEY: 'names key bindings of less, which can run programs',
    LESSEDIT: 'names a program that less starts',
    MORE: 'holds options of more',
  },
  grammar: {
    syntax: { ...getopt, name: 'less' },
    numeric: /^-[0-9]+$/,
    options: withRoles(
      `${viewerLetters} -b= -h= -j= -p= -P= -x= -y= -z= -D= -t= --tabs= --pattern= --prompt= --window= --shift= -#=`.replace(
        ' -#=',
        '',
      ),
      {
        '-k -o -O -T --lesskey-file --lesskey-src --lesskey-content --log-file --LOG-FILE --tag-file':
          pinned(inert, 'less runs commands from its arguments'),
      },
    ),
    operands: { rest: reads },
    finish: ({ operands }) => {
      const plus = operands.find(({ text }) => text.startsWith('+'));
      return plus === undefined
        ? {}
        : { doubts: [doubt('less runs commands from its arguments', plus.word)] };
    },
    offers: 'reads',
  },
};
const man: ProgramRecord = {
  names: ['man'],
  does: 'Shows a manual.',
  environment: {
    MANPAGER: 'names a program that man starts',
    MANOPT: 'holds options of man, which can name programs',
    MANROFFOPT: 'holds options of a program that man starts',
  },
  grammar: {
    syntax: gnu,
    options: withRoles(
      `-d|--debug -D|--default --warnings[] -f|--whatis -k|--apropos -K|--global-apropos -w|--where|--path|--location -W|--where-cat|--location-cat -c|--catman -R|--recode= -L|--locale= -m|--systems= -S|-s|--sections= -e|--extension=
      -i|--ignore-case -I|--match-case --regex --wildcard --names-only -a|--all -u|--update --no-subpages -r|--prompt= -7|--ascii -E|--encoding= --no-hyphenation|--nh --no-justification|--nj -t|--troff -? --help --usage -V|--version`,
      {
        '-M --manpath': reads,
        '-C --config-file -P --pager -p --preprocessor': pinned(
          starts,
          'man starts the pager, browser or formatter in its options',
        ),
        '-l --local-file -Z --ditroff': pins('man formats files that hold commands'),
        '-H --html -T --troff-device -X --gxditview': {
          ...inert,
          arity: 'optional',
          level: 'pinned',
          why: 'man starts the pager, browser or formatter in its options',
        },
        '-t --troff': pins('man starts a formatter'),
      },
    ),
    operands: { rest: inert },
    finish: ({ operands }) => ({
      doubts: operands
        .filter(({ text }) => text.includes('/'))
        .map(({ word }) => doubt('man formats files that hold commands', word)),
    }),
    offers: 'reads',
  },
};

const disks: readonly ProgramRecord[] = fixed(
  'pinned',
  'changes or erases disks',
  `mkfs mke2fs mkfs.ext4 mkfs.xfs mkfs.vfat mkfs.btrfs mkntfs mkdosfs mkswap fdisk sfdisk gdisk parted wipefs cryptsetup lvremove vgremove blkdiscard hdparm diskutil newfs`,
).map((record) => risked(record, 'disk-write', 'Erases or changes a disk.'));
const machine = fixed(
  'pinned',
  'stops or restarts this machine',
  'shutdown reboot poweroff halt init telinit killall5',
).map((record) => risked(record, 'stops-programs', 'Stops or restarts this machine.'));
const accounts = fixed(
  'pinned',
  'changes who may do what on this machine',
  'setcap visudo usermod gpasswd adduser useradd passwd chpasswd userdel setenforce csrutil spctl',
).map((record) => risked(record, 'privilege', 'Changes what users and programs may do.'));
const secrets = fixed(
  'pinned',
  'prints secrets or hands them on',
  'vault pass gopass bw security secret-tool sops ansible-vault',
).map((record) => risked(record, 'credential-path', 'Prints or hands on secrets.'));
const tunnels = fixed(
  'pinned',
  'opens this machine to the internet',
  'ngrok cloudflared localtunnel lt',
).map((record) => risked(record, 'data-leaving', 'Opens this machine to the internet.'));
function risked(record: ProgramRecord, code: string, text: string): ProgramRecord {
  return {
    ...record,
    grammar: {
      ...record.grammar,
      read: (args) => ({
        ...(record.grammar.read?.(args) ?? { options: [], operands: [] }),
        risks: args.some(({ text: word }) => /^(?:-l|--list|--help|--version)$/.test(word))
          ? []
          : [risk(code, 'high', text)],
      }),
    },
  };
}

/** Interlock's own command line: what changes rules or answers requests is a person's to do. */
const interlock: ProgramRecord = {
  names: ['interlock'],
  does: 'Works on Interlock itself.',
  grammar: {
    syntax: getoptCommand,
    read: (args) => {
      const first = args.find(({ text }) => !text.startsWith('-'))?.text ?? '';
      const looks =
        /^(?:status|help|version|explain|why)$/.test(first) ||
        args.every(({ text }) => /^--?(?:version|help|h|V)$/.test(text));
      const why = 'interlock changes its own rules and answers';
      return looks
        ? { options: [], operands: [], doubts: [doubt(why)] }
        : {
            options: [],
            operands: [],
            doubts: [doubt(why, -1, 'never')],
            risks: [risk('persistence', 'high', 'Changes the rules of Interlock.')],
          };
    },
    offers: 'exact',
  },
};

export const servicePrograms: readonly ProgramRecord[] = [
  ...serviceRecords,
  terraform,
  aptInstall,
  dpkg,
  brew,
  gpg,
  openssl,
  less,
  man,
  ...disks,
  ...machine,
  ...accounts,
  ...secrets,
  ...tunnels,
  interlock,
];
