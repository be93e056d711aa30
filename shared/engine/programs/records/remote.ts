import {
  besideWritten,
  doubt,
  edits,
  has,
  inert,
  merge,
  parsed,
  path,
  pinned,
  pins,
  plainOptions,
  reads,
  risk,
  secret,
  starts,
  valuesOf,
  writes,
  executing,
  executes,
  fromDash,
} from '../forms.ts';
import { getopt, getoptCommand, gnu } from '../syntax.ts';
import type { Effect, Operand, PathUse, ProgramRecord, Reading, Use, Yield } from '../types.ts';
import { told } from './findings.ts';
import { fixed, folderOf, withRoles } from './shapes.ts';

const why = 'ssh runs commands on another machine';
const fetched: Use = { ...inert, kind: 'reaches', direction: 'fetches' };

/** Settings that start nothing and open nothing here. */
const harmlessSetting =
  /^(?:ConnectTimeout|ConnectionAttempts|BatchMode|ServerAliveInterval|ServerAliveCountMax|Port|User|LogLevel|Compression|AddressFamily|TCPKeepAlive|NumberOfPasswordPrompts|PasswordAuthentication|PubkeyAuthentication|IdentitiesOnly|RequestTTY|ForwardX11|ForwardAgent(?==no)|StrictHostKeyChecking(?==(?:yes|ask|accept-new)))\s*[= ]/i;
const setting = parsed((value, word) =>
  harmlessSetting.test(value)
    ? {}
    : { doubts: [executing('settings of ssh can name commands', word)] },
);
const files = {
  '-F': executes('settings of ssh can name commands', reads),
  '-o': setting,
  '-i': reads,
  '-J': fetched,
};

function remote({ options, operands }: Reading): Yield {
  const [host, ...command] = operands;
  if (options.some(({ name }) => name === '-V')) return {};
  const tunnel = options.find(({ name }) => /^-[LRDWw]$/.test(name));
  const asks = options.some(({ name }) => name === '-G' || name === '-Q' || name === '-O');
  const effects: Effect[] =
    host === undefined
      ? []
      : [{ kind: 'reaches', address: host.text, direction: 'sends', input: true, word: host.word }];
  if (asks) return { effects, doubts: [doubt(why)] };
  const risks =
    tunnel !== undefined && /^-[RD]$/.test(tunnel.name)
      ? [
          risk('data-leaving', 'high', 'Opens a tunnel between this machine and another one.', [
            tunnel.word,
          ]),
        ]
      : [];
  // A host that begins with a dash is an option to the ssh of other programs.
  if (command.length === 0)
    return {
      effects,
      risks,
      doubts: [doubt('ssh runs whatever it is given as input', -1, 'never')],
    };
  const text = command.map((one) => one.text).join(' ');
  return {
    effects: [...effects, { kind: 'shell', text, why, word: command[0]?.word ?? -1 }],
    risks,
  };
}

const ssh: ProgramRecord = {
  names: ['ssh', 'slogin'],
  takesCode: true,
  brings: true,
  elsewhere: true,
  does: 'Runs a command on another machine.',
  runs: 'commands',
  environment: {
    SSH_ASKPASS: 'names a program that ssh starts',
    SSH_ASKPASS_REQUIRE: 'makes ssh start the program in SSH_ASKPASS',
    SSH_AUTH_SOCK: 'names the agent that signs for ssh',
  },
  grammar: {
    syntax: getoptCommand,
    options: withRoles(
      '-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y -B= -b= -c= -D= -e= -L= -l= -m= -p= -R= -W= -w= -Q= -O=',
      {
        ...files,
        '-E': pinned(writes, 'ssh writes a log'),
        '-I': executes('ssh loads the library in -I', inert),
        '-P': inert,
        '-S': edits,
      },
    ),
    operands: { rest: inert },
    finish: (reading) => {
      const unknown = reading.doubts.some(({ why: reason }) =>
        reason.startsWith('ssh has no option'),
      );
      return merge([
        remote(reading),
        unknown
          ? { doubts: [doubt('ssh is called with options that are not understood', -1, 'never')] }
          : {},
      ]);
    },
    offers: 'exact',
  },
};

const mails = told('data-leaving', 'Sends mail.');
const own = /^(?:[^@]*@)?(?:localhost|127(?:\.\d+){3}|\[::1\])$/i;
const isRemote = (text: string): boolean =>
  /^(?:[^/:]+@)?[\w.-]+:(?!\/\/)|^(?:rsync|scp|sftp):\/\/|^\[[^\]]+\]:|^[^/]*:/.test(text);

/** Sources and a target, each here or on another machine. */
function copied(reading: Reading, tree: boolean): Yield {
  const { operands } = reading;
  const target = operands.at(-1);
  if (target === undefined || operands.length < 2)
    return { effects: operands.map((one) => place(one, 'reads', tree)) };
  const sources = operands.slice(0, -1);
  const host = target.text.replace(/:.*$/s, '');
  const leaves =
    isRemote(target.text) && !own.test(host) && !sources.every((one) => isRemote(one.text));
  return {
    effects: [
      ...sources.map((one) => place(one, 'reads', tree)),
      place(target, 'into', tree),
      ...(isRemote(target.text) ? [] : landing(sources, target, tree)),
    ],
    risks: leaves
      ? [risk('data-leaving', 'high', `Copies files to ${target.text}.`, [target.word])]
      : [],
    doubts: operands.some((one) => one.text.startsWith('-') || /^[^/]*:.*[`$;|&<>]/.test(one.text))
      ? [doubt('a shell on another machine reads the name', target.word)]
      : [],
  };
}

/** The name itself, or names of the sources in it. */
function landing(sources: readonly Operand[], target: Operand, tree: boolean): readonly Effect[] {
  const named = sources.map(({ text, word, live }) => {
    const name = text.replace(/\/+$/, '').replace(/^.*[/:]/s, '');
    const more = { base: target.text, tree, live: live !== null };
    return path('writes', name === '' ? '.' : name, word, more);
  });
  return [path('writes', target.text, target.word, { live: target.live !== null }), ...named];
}

function place({ text, word, live }: Operand, use: 'reads' | 'into', tree: boolean): Effect {
  if (isRemote(text))
    return {
      kind: 'reaches',
      address: text,
      direction: use === 'into' ? 'sends' : 'fetches',
      word,
    };
  return path(use, text, word, { tree, live: live !== null });
}

const scp: ProgramRecord = {
  names: ['scp'],
  does: 'Copies files from or to another machine.',
  environment: ssh.environment ?? {},
  grammar: {
    syntax: getopt,
    options: withRoles('-3 -4 -6 -A -B -C -O -p -q -R -r -s -T -v -1 -2 -c= -l= -P= -X=', {
      ...files,
      '-S': starts,
      '-D': executes('scp starts the program in -D', starts),
    }),
    operands: { rest: inert },
    finish: (one) => copied(one, has(one, '-r')),
    offers: 'exact',
  },
};

/**
 * Folders of rsync's options, and what it makes and looks at beside its target. A relative folder
 * begins at the target, or at the folder of the target where that is a file.
 */
function placed(reading: Reading, effects: readonly Effect[]): Yield {
  const target = reading.operands.at(-1);
  if (target === undefined || reading.operands.length < 2 || isRemote(target.text)) return {};
  const { text, word, live } = target;
  const parent = folderOf(text.replace(/(.)\/+$/, '$1'));
  const given = (use: PathUse, ...names: readonly string[]): readonly Effect[] =>
    valuesOf(reading, ...names).flatMap((value) =>
      [text, parent].map((base) => path(use, value, word, { base, tree: true })),
    );
  const aside = valuesOf(reading, '--backup-dir').length > 0;
  const endings = valuesOf(reading, '--suffix');
  return {
    effects: [
      ...given('into', '--backup-dir', '--partial-dir', '-T', '--temp-dir'),
      ...given('reads', '--compare-dest', '--copy-dest'),
      // What is later written through the new name changes the old one.
      ...given('edits', '--link-dest'),
      ...(has(reading, '-b', '--backup') && !aside
        ? besideWritten(effects, endings.length === 0 ? ['~'] : endings)
        : []),
      ...(has(reading, '--delay-updates')
        ? [path('writes', '.~tmp~', word, { base: parent, tree: true })]
        : []),
      ...(has(reading, '-y', '--fuzzy')
        ? [path('reads', parent, word, { live: live !== null })]
        : []),
    ],
  };
}

const rsh = 'rsync starts the programs in -e and --rsync-path, and a daemon can run scripts';
const rsync: ProgramRecord = {
  names: ['rsync', 'openrsync'],
  does: 'Copies files and folders.',
  environment: {
    RSYNC_RSH: 'names a program that rsync starts',
    RSYNC_CONNECT_PROG: 'names a program that rsync starts',
    RSYNC_SHELL: 'names a program that rsync starts',
    RSYNC_PROXY: 'sends traffic through another machine',
    RSYNC_PARTIAL_DIR: 'names a folder that rsync writes to',
  },
  grammar: {
    syntax: { ...gnu, name: 'popt', abbreviates: false, shortEquals: true },
    options: withRoles(
      `-v|--verbose --info= --debug= --stderr= -q|--quiet --no-motd -c|--checksum -a|--archive -r|--recursive -R|--relative --no-implied-dirs -b|--backup --suffix= -u|--update
      --inplace --append --append-verify -d|--dirs --old-dirs --old-d --mkpath -l|--links -L|--copy-links --copy-unsafe-links --safe-links --munge-links -k|--copy-dirlinks
      -K|--keep-dirlinks -H|--hard-links -p|--perms -E|--executability --chmod= -A|--acls -X|--xattrs -o|--owner -g|--group --devices --specials -D -t|--times -U|--atimes --open-noatime
      -N|--crtimes -O|--omit-dir-times -J|--omit-link-times --super --fake-super -S|--sparse --preallocate --write-devices --copy-devices -n|--dry-run -W|--whole-file --no-whole-file --checksum-choice|--cc= -x|--one-file-system
      -B|--block-size= --existing --ignore-non-existing --ignore-existing --remove-source-files --remove-sent-files --del --delete --delete-before --delete-during --delete-delay --delete-after --delete-excluded
      --ignore-missing-args --delete-missing-args --ignore-errors --force --max-delete= --max-size= --min-size= --max-alloc= --partial --delay-updates -m|--prune-empty-dirs
      --numeric-ids --no-numeric-ids --usermap= --groupmap= --chown= --timeout= --contimeout= -I|--ignore-times --size-only -@|--modify-window= -y|--fuzzy -z|--compress --compress-choice|--zc= --compress-level|--zl= --skip-compress=
      -C|--cvs-exclude -f|--filter= -F --exclude= --include= -0|--from0 --old-args --secluded-args|--protect-args -s --trust-sender --address= --port= --sockopts= --blocking-io --outbuf=
      --stats -8|--8-bit-output -h|--human-readable --progress -P -i|--itemize-changes --out-format= --log-file-format= --password-file= --early-input= --list-only --bwlimit= --stop-after= --stop-at= --fsync
      --protocol= --iconv= --checksum-seed= -4|--ipv4 -6|--ipv6 -V|--version --help --no-perms --no-p --no-owner --no-o --no-group --no-g --no-times --no-t --no-links --no-l --no-D --no-devices --no-recursive --no-r
      --no-relative --no-R --no-i-r --no-inc-recursive --inc-recursive --no-compress --no-z --no-verbose --no-v --no-xattrs --no-acls`,
      {
        '-e --rsh': starts,
        '--rsync-path': starts,
        '-M --remote-option --early-input --config --dparam --sockopts': executes(rsh, inert),
        '--daemon --server --sender': executes(rsh),
        '--include-from --exclude-from': reads,
        '--files-from': pinned(reads, 'names of files stand in another file'),
        '--filter -f': parsed((value, word) =>
          /^\s*(?:merge|dir-merge|[.:])/.test(value)
            ? { doubts: [doubt('rules of rsync stand in a file', word)] }
            : {},
        ),
        '--password-file': reads,
        '--log-file': writes,
        // And a script that plays the batch again.
        '--write-batch --only-write-batch': parsed((value, word) => ({
          effects: [value, `${value}.sh`].map((name) => path('writes', name, word)),
        })),
        '--read-batch': pinned(reads, 'a batch says what rsync writes'),
        // Folders are meant from the target on: `placed`.
        '--backup-dir --partial-dir -T --temp-dir --compare-dest --copy-dest --link-dest': inert,
        '-F': pins('rules of rsync stand in files of the tree'),
        '--write-devices --copy-devices': pins('rsync writes to devices'),
        '--copy-unsafe-links --keep-dirlinks -K': pins('rsync goes through links'),
      },
    ),
    operands: { rest: inert },
    finish: (one) => {
      const deletes = one.options.find(({ name }) => name.startsWith('--del'));
      const whole = copied(one, true);
      return merge([
        whole,
        placed(one, whole.effects ?? []),
        deletes === undefined || has(one, '-n', '--dry-run')
          ? {}
          : {
              risks: [
                risk(
                  'recursive-delete',
                  'low',
                  'Deletes files at the target that the source does not have.',
                  [deletes.word],
                ),
              ],
            },
        has(one, '--remove-source-files', '--remove-sent-files')
          ? {
              effects: one.operands
                .slice(0, -1)
                .map(({ text, word }) => path('deletes', text, word, { tree: true })),
            }
          : {},
      ]);
    },
    offers: 'exact',
  },
};

const keys = withRoles(
  '-A -b= -B -c -C= -e -E= -f= -h -H -I= -i -k -K= -l -L -m= -n= -O= -o -p -q -Q -R= -r= -t= -u -U -v -V= -X -x -y -Y= -z= -Z= -a= -F= -g -s= -J= -j= -W= -T= -G=',
  {
    '-N -P': secret,
    '-s': reads,
    '-A -K': pins('ssh-keygen writes keys under names of its own'),
    // The public half beside a new key, and known hosts as they were.
    '-f': parsed((value, word) => ({
      effects: [
        path('edits', value, word),
        ...['.pub', '.old'].map((ending) => path('writes', `${value}${ending}`, word)),
      ],
    })),
    '-D -w': executes('ssh-keygen loads the library in -D', inert),
    '-M': pinned(inert, 'ssh-keygen writes lists of numbers into the file behind its options'),
  },
);
const sshKeygen: ProgramRecord = {
  names: ['ssh-keygen'],
  does: 'Makes and shows keys of ssh.',
  grammar: {
    syntax: getopt,
    options: keys,
    operands: { rest: reads },
    finish: (one) => ({
      effects: one.operands.flatMap(({ text, word }) => [
        ...(has(one, '-s') ? [path('writes', `${text.replace(/\.pub$/, '')}-cert.pub`, word)] : []),
        ...(valuesOf(one, '-Y').includes('sign') ? [path('writes', `${text}.sig`, word)] : []),
        ...(has(one, '-M') ? [path('writes', text, word)] : []),
      ]),
    }),
    offers: 'exact',
  },
};
const sshAdd: ProgramRecord = {
  names: ['ssh-add'],
  obeys: fromDash,
  does: 'Hands keys to the agent of ssh.',
  environment: {
    SSH_ASKPASS: 'names a program that ssh starts',
    SSH_AUTH_SOCK: 'names the agent that signs for ssh',
  },
  grammar: {
    syntax: getopt,
    options: {
      ...plainOptions('-c -C -D -d -K -k -L -l -q -v -X -x -T= -E= -t= -h= -H='),
      '-s -S -e': executes('ssh-add loads the library in -s', inert),
    },
    operands: { rest: reads },
    offers: 'exact',
  },
};

export const remotePrograms: readonly ProgramRecord[] = [
  ssh,
  scp,
  rsync,
  sshKeygen,
  sshAdd,
  ...fixed('pinned', 'starts programs named in its addresses', 'socat', {
    sends: true,
    finds: (_reading, args) =>
      args.some(({ text }) => /exec:|system:/i.test(text))
        ? [risk('data-leaving', 'high', 'Hands a program over to another machine.')]
        : [risk('data-leaving', 'low', 'Opens a connection to another machine.')],
  }),
  ...fixed('never', 'runs commands from its input', 'ftp dc ed ex pg red', {
    takesCode: true,
  }),
  ...fixed('never', 'runs commands from its input', 'sftp', {
    finds: (_reading, args) =>
      args
        .slice(-1)
        .flatMap(({ text }) =>
          own.test(text.replace(/:.*$/s, ''))
            ? []
            : [risk('data-leaving', 'high', `Copies files to ${text}.`)],
        ),
  }),
  ...fixed('never', 'runs commands from its input', 'telnet', {
    sends: true,
    finds: told('data-leaving', 'Opens a connection to another machine.', undefined, 'low'),
  }),
  ...fixed('never', 'runs commands from its input', 'mail mailx', { finds: mails }),
  ...fixed('never', 'runs commands', 'mutt', { finds: mails }),
  ...fixed('never', 'runs commands', 'lftp git-shell'),
];
