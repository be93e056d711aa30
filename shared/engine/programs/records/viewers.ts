import {
  doubt,
  edits,
  flag,
  has,
  inert,
  merge,
  parsed,
  path,
  pinned,
  pins,
  reads,
  secret,
  starts,
  writes,
  executing,
  executes,
} from '../forms.ts';
import { getopt, getoptCommand, gnu, posix } from '../syntax.ts';
import type { Effect, ProgramRecord } from '../types.ts';
import { readLoosely, withRoles } from './shapes.ts';

/** Commands of gpg that change the keys of this account. */
const keyChanges =
  `--import --receive-keys --recv-keys --search-keys --refresh-keys --delete-keys --delete-secret-keys --sign-key
  --lsign-key --full-generate-key --quick-generate-key --quick-gen-key --quick-add-uid --quick-revoke-uid
  --quick-set-expire`.split(/\s+/);

/** Options that say what it shall do; without one, the file does. */
const gpgCommands =
  /^(?:-[secdbkK]|--(?:sign|clear-?sign|detach-sign|encrypt|symmetric|decrypt|verify|list-.*|check-.*|fingerprint|quick-.*|full-.*|delete-.*|sign-key|lsign-key|export.*|recv-keys|receive-keys|search-keys|refresh-keys|import|card-.*|update-trustdb|print-md|dearmor|enarmor|edit-key|send-keys|generate-key|gen-key|version|help)|-h)$/;

const gpg: ProgramRecord = {
  names: ['gpg', 'gpg2', 'gpgsm'],
  does: 'Signs, checks, encrypts and decrypts files.',
  environment: { GNUPGHOME: 'names settings of gpg, which can name programs' },
  grammar: {
    syntax: posix,
    options: withRoles(
      `-s|--sign --clear-sign --clearsign -b|--detach-sign -e|--encrypt -c|--symmetric -d|--decrypt --verify -k|--list-keys|--list-public-keys --list-signatures --list-sigs --check-signatures --fingerprint
      -K|--list-secret-keys --quick-generate-key --quick-gen-key --quick-add-uid --quick-revoke-uid --quick-set-expire --full-generate-key --delete-keys --delete-secret-keys --sign-key --lsign-key
      --export --receive-keys --recv-keys --search-keys --refresh-keys --import --card-status --update-trustdb --check-trustdb --print-md= --list-packets --armor -a -v|--verbose -q|--quiet --default-key= --encrypt-to=
      --openpgp -n|--dry-run -i|--interactive --textmode -z= --auto-key-locate= --no-auto-key-locate -r|--recipient= -u|--local-user= --batch --no-tty --yes --no --with-colons --with-fingerprint --keyid-format= --status-fd= --logger-fd= --trust-model= --always-trust
      --cipher-algo= --digest-algo= --compress-algo= --s2k-mode= --pinentry-mode= --passphrase-fd= --command-fd= --no-default-keyring --dearmor --enarmor --version --help -h --no-options --no-greeting --export-ownertrust --import-options= --with-subkey-fingerprint --keyserver=`,
      {
        '-o --output': writes,
        '--passphrase': secret,
        '--passphrase-file --default-recipient': reads,
        // One that is not there is made.
        '--keyring --secret-keyring': edits,
        '--homedir --options --agent-program --dirmngr-program --photo-viewer --keyserver-options --gpgconf-program --exec-path --keyboxd-program --log-file --primary-keyring --trustdb-name':
          executes('gpg starts the programs in its options', starts),
        '--export-secret-keys --export-secret-subkeys --export-ssh-key': {
          ...flag,
          risk: { code: 'credential-path', level: 'high', text: 'Prints GnuPG keys.' },
        },
        '--list-options --verify-options': parsed((value, word) =>
          /photo/i.test(value)
            ? { doubts: [executing('gpg starts the program that shows pictures', word)] }
            : {},
        ),
        '--edit-key --send-keys --card-edit --generate-key --gen-key': pins(
          'gpg changes keys, or what others see of them',
        ),
        '--server --use-embedded-filter --show-photos': executes(
          'gpg starts the programs in its options',
        ),
      },
    ),
    operands: { rest: reads },
    finish: (one) =>
      merge([
        has(one, ...keyChanges) ? { effects: [path('into', '~/.gnupg', -1)] } : {},
        one.operands.length > 0 && !one.options.some(({ name }) => gpgCommands.test(name))
          ? { doubts: [doubt('gpg does what the file calls for, and may decrypt into a file')] }
          : {},
      ]),
    offers: 'exact',
  },
};

/** A connection takes whatever comes as input. */
const connected: Effect = {
  kind: 'reaches',
  address: '',
  direction: 'sends',
  input: true,
  word: 0,
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
    options: {},
    read: (args) => {
      const loose = readLoosely(
        args,
        {
          use: 'edits',
          takes:
            /^--?(?:in|inkey|inform|key|keyform|cert|certfile|certform|CA|CAfile|CApath|CAkey|CAform|chain|untrusted|trusted|crl|CRLfile|crl_download|signature|sigfile|verify|prverify|verify_hostname|peerkey|extfile|extensions|content|data|rand|pubkey|nameopt|certopt|subj|digest|days|connect|servername|starttls|passin|passout|kfile)$/,
          pins: /^(?:--?(?:engine|provider-path|provider|config|propquery|exec|prexit|writerand)(?:=|$)|engine$|s_server$|ocsp$|ts$|cms$|cmp$|-?-CAcreateserial$)/,
          why: 'openssl loads the library in -engine or -provider-path',
        },
        'openssl',
      );
      return {
        ...loose,
        effects: [
          ...(loose.effects ?? [])
            .filter(
              (effect) =>
                effect.kind !== 'path' ||
                /[/.~]/.test(effect.path) ||
                /^--?(?:out|CAfile|keyout)$/.test(args[effect.word - 1]?.text ?? ''),
            )
            .map((effect) =>
              effect.kind === 'path' && /^--?in$/.test(args[effect.word - 1]?.text ?? '')
                ? { ...effect, only: true as const }
                : effect,
            ),
          ...(/^s_(?:client|time)$/.test(args[0]?.text ?? '') ? [connected] : []),
        ],
        doubts: [
          ...(loose.doubts ?? []),
          // It takes its commands as input then.
          ...(args.length === 0 ? [doubt('openssl does what its input says')] : []),
        ],
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
    LESSKEYIN: 'names key bindings of less, which can run programs',
    LESSKEY_CONTENT: 'holds key bindings of less, which can run programs',
    LESSKEY: 'names key bindings of less, which can run programs',
    LESSEDIT: 'names a program that less starts',
    MORE: 'holds options of more',
  },
  grammar: {
    syntax: { ...getopt, name: 'less' },
    numeric: /^-[0-9]+$/,
    options: withRoles(
      `${viewerLetters} -b= -h= -j= -p= -P= -x= -y= -z= -D= --tabs= --pattern= --prompt= --window= --shift= -#=`.replace(
        ' -#=',
        '',
      ),
      {
        '-k -o -O -T --lesskey-file --lesskey-src --lesskey-content --log-file --LOG-FILE --tag-file':
          executes('less runs commands from its arguments', inert),
        '-t --tag': pinned(inert, 'less shows whatever file its tag file names'),
      },
    ),
    operands: { rest: reads },
    finish: ({ operands }) => {
      const plus = operands.find(({ text }) => text.startsWith('+'));
      return plus === undefined
        ? {}
        : { doubts: [executing('less runs commands from its arguments', plus.word)] };
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
      `-d|--debug -D|--default --warnings[] -f|--whatis -k|--apropos -K|--global-apropos -w|--where|--path|--location -W|--where-cat|--location-cat -c|--catman -i|--ignore-case -I|--match-case --regex --wildcard --names-only -a|--all -u|--update --no-subpages -7|--ascii --no-hyphenation|--nh --no-justification|--nj -t|--troff -? --help --usage -V|--version`,
      {
        '-M --manpath': { ...reads, level: 'pinned', why: 'man formats files that hold commands' },
        '-C --config-file -P --pager -p --preprocessor': executes(
          'man starts the pager, browser or formatter in its options',
          starts,
        ),
        // Parts of a path below the folders of manuals, which could lead out of them.
        '-m --systems': pinned(inert, 'man takes manuals from the folders of another system'),
        '-r --prompt': executes('the prompt of man is an option of the pager', inert),
        '-L --locale -S -s --sections -e --extension -E --encoding -R --recode': parsed(
          (value, word) =>
            /^[\w.:,@+-]*$/.test(value) && !value.includes('..')
              ? {}
              : { doubts: [executing('man formats files that hold commands', word)] },
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

export const viewerPrograms: readonly ProgramRecord[] = [gpg, openssl, less, man];
