import {
  doubt,
  edits,
  executes,
  flag,
  has,
  inert,
  into,
  namesFrom,
  optional,
  parsed,
  path,
  pinned,
  pins,
  reads,
  risk,
  shell,
  starts,
  valuesOf,
  writes,
} from '../forms.ts';
import { tar as tarSyntax } from '../syntax.ts';
import type { Effect, Options, ProgramRecord, Reading, Yield } from '../types.ts';

const word = optional(inert);
const whyVolumes = 'tar asks for the next part of an archive, and an answer can be a command';

/** `--checkpoint-action=exec=…`; the others only show or wait. */
const action = parsed((value, at) => {
  if (/^(?:\.|dot|bell|ttyout=.*|echo(?:=.*)?|sleep=\d+|totals|wait=\w+)$/.test(value)) return {};
  const text = value.replace(/^exec=/, '');
  const why = 'tar --checkpoint-action runs a command';
  return { effects: [{ kind: 'shell', text, why, word: at }] };
});

/** A date, or a file whose date counts. */
const dateOrFile = parsed((value, at) =>
  /^[./]/.test(value) ? { effects: [path('reads', value, at)] } : {},
);

/** An archive on another machine is reached with a program. */
const remote = /^[^/:]*:/;

const modes: Options = {
  '-A --catenate --concatenate': flag,
  '-c --create': flag,
  '-d --diff --compare': flag,
  '--delete': flag,
  '-r --append': flag,
  '-t --list': flag,
  '--test-label': flag,
  '-u --update': flag,
  '-x --extract --get': flag,
};

const plain: Options = {
  '--check-device --no-check-device': flag,
  '-G --incremental': flag,
  '--ignore-failed-read': flag,
  '--level': inert,
  '-n --seek': flag,
  '--no-seek': flag,
  '--occurrence': word,
  '--sparse-version': inert,
  '-S --sparse': flag,
  '--hole-detection': inert,
  '--exclude': inert,
  '--exclude-backups': flag,
  '--exclude-caches': flag,
  '--exclude-caches-all': flag,
  '--exclude-caches-under': flag,
  '--exclude-ignore --exclude-ignore-recursive': inert,
  '--exclude-tag': inert,
  '--exclude-tag-all': inert,
  '--exclude-tag-under': inert,
  '--exclude-vcs': flag,
  '--exclude-vcs-ignores': flag,
  '--no-null': flag,
  '--no-recursion': flag,
  '--no-unquote': flag,
  '--no-verbatim-files-from': flag,
  '--null': flag,
  '--recursion': flag,
  '--unquote': flag,
  '--verbatim-files-from': flag,
  '--anchored': flag,
  '--ignore-case': flag,
  '--no-anchored': flag,
  '--no-ignore-case': flag,
  '--no-wildcards': flag,
  '--no-wildcards-match-slash': flag,
  '--wildcards': flag,
  '--wildcards-match-slash': flag,
  '--keep-newer-files': flag,
  '-k --keep-old-files': flag,
  '--no-overwrite-dir': flag,
  '--overwrite': flag,
  '--overwrite-dir': flag,
  '--skip-old-files': flag,
  '-U --unlink-first': flag,
  '-W --verify': flag,
  '-O --to-stdout': flag,
  '--ignore-command-error': flag,
  '--no-ignore-command-error': flag,
  '--atime-preserve': word,
  '--clamp-mtime': flag,
  '--delay-directory-restore': flag,
  '--no-delay-directory-restore': flag,
  '--group': inert,
  '--owner': inert,
  '--mode': inert,
  '-m --touch': flag,
  '--no-same-owner': flag,
  '--no-same-permissions': flag,
  '--numeric-owner': flag,
  '-p --preserve-permissions --same-permissions': flag,
  '--preserve': flag,
  '--same-owner': flag,
  '--sort': inert,
  '-s --preserve-order --same-order': flag,
  '--acls': flag,
  '--no-acls': flag,
  '--selinux': flag,
  '--no-selinux': flag,
  '--xattrs': flag,
  '--no-xattrs': flag,
  '--xattrs-exclude': inert,
  '--xattrs-include': inert,
  '--force-local': flag,
  // It asks for the next volume, and `!` as the answer is a shell that goes on with the input.
  '-L --tape-length': executes(whyVolumes, inert),
  '-M --multi-volume': executes(whyVolumes),
  '-b --blocking-factor': inert,
  '-B --read-full-records': flag,
  '-i --ignore-zeros': flag,
  '--record-size': inert,
  '-H --format': inert,
  '--old-archive --portability': flag,
  '--pax-option': inert,
  '--posix': flag,
  '-V --label': inert,
  '-a --auto-compress': flag,
  '-j --bzip2': flag,
  '-J --xz': flag,
  '--lzip': flag,
  '--lzma': flag,
  '--lzop': flag,
  '--no-auto-compress': flag,
  '--zstd': flag,
  '-z --gzip --gunzip --ungzip': flag,
  '-Z --compress --uncompress': flag,
  '--backup': word,
  '--hard-dereference': flag,
  '-h --dereference': flag,
  '-K --starting-file': inert,
  '--one-file-system': flag,
  '--strip-components': inert,
  '--show-stored-names --show-transformed-names': flag,
  '--checkpoint': word,
  '--full-time': flag,
  '-l --check-links': flag,
  '--no-quote-chars': inert,
  '--quote-chars': inert,
  '--quoting-style': inert,
  '-R --block-number': flag,
  '--show-defaults': flag,
  '--show-omitted-dirs': flag,
  '--show-snapshot-field-ranges': flag,
  '--totals': word,
  '--utc': flag,
  '-v --verbose': flag,
  '--warning': inert,
  '-w --interactive --confirmation': flag,
  '-o': flag,
  '-0 -1 -2 -3 -4 -5 -6 -7': flag,
  '--restrict': flag,
  '--usage': flag,
  '-? --help': flag,
  '--version': flag,
};

const active: Options = {
  '-f --file': inert,
  '-C --directory': inert,
  '-g --listed-incremental': edits,
  '--add-file': reads,
  '-T --files-from': namesFrom,
  '-X --exclude-from': reads,
  '--one-top-level': optional(into),
  '--remove-files': flag,
  '--recursive-unlink': pins('tar empties folders before it unpacks'),
  '--keep-directory-symlink': pins('tar unpacks through links'),
  '-P --absolute-names': pins('tar takes the names in the archive as they are'),
  '--suffix': inert,
  '--transform --xform': inert,
  '--mtime': dateOrFile,
  '-N --newer --after-date': dateOrFile,
  '--newer-mtime': dateOrFile,
  '--group-map': reads,
  '--owner-map': reads,
  '--volno-file': pinned(edits, 'tar writes the file in --volno-file'),
  '--index-file': writes,
  '--to-command': shell,
  '-I --use-compress-program': shell,
  '--checkpoint-action': action,
  '-F --info-script --new-volume-script': shell,
  '--rmt-command': starts,
  '--rsh-command': starts,
};

function packed(reading: Reading): Yield {
  const { operands, options } = reading;
  const effects: Effect[] = [];
  const doubts = [];
  const folders = valuesOf(reading, '-C', '--directory');
  const base = folders.length === 1 ? folders[0] : undefined;
  // Each -C counts for the words after it, and a relative one starts from the one before.
  if (folders.length > 1) doubts.push(doubt('tar changes its folder several times', -1));
  const extracts = has(reading, '-x', '--extract', '--get');
  const changes = has(
    reading,
    '-r',
    '--append',
    '-u',
    '--update',
    '-A',
    '--catenate',
    '--concatenate',
    '--delete',
  );
  const creates = has(reading, '-c', '--create');
  const use = creates ? 'writes' : changes ? 'edits' : 'reads';
  for (const { name, value, valueWord } of options) {
    if ((name !== '-f' && name !== '--file') || value === null || value === '-') continue;
    effects.push(path(use, value, valueWord));
    if (remote.test(value) && !has(reading, '--force-local'))
      doubts.push(doubt('tar starts a program to reach another machine', valueWord));
  }
  const isStream = has(reading, '-O', '--to-stdout', '--to-command');
  if (extracts && !isStream) {
    effects.push(path('into', base ?? '.', -1));
    if (has(reading, '--transform', '--xform'))
      doubts.push(doubt('tar unpacks under other names', -1));
    if (valuesOf(reading, '--suffix').some((one) => one.includes('/')))
      doubts.push(doubt('the suffix of backup files leads to another folder', -1));
  }
  const names = creates || changes;
  for (const { text, live, word: at } of extracts ? [] : operands)
    if (names) effects.push(path('reads', text, at, { base, tree: true, live: live !== null }));
  if (!has(reading, '--remove-files')) return { effects, doubts };
  effects.push(
    ...operands.map(({ text, live, word: at }) =>
      path('deletes', text, at, { base, tree: true, live: live !== null }),
    ),
  );
  const text = 'Deletes the files once they are in the archive.';
  return { effects, doubts, risks: [risk('recursive-delete', 'low', text)] };
}

const tar: ProgramRecord = {
  names: ['tar', 'gtar'],
  does: 'Packs, lists and unpacks archives.',
  held: { starts: ['sh', 'gzip', 'bzip2', 'xz', 'zstd', 'lzip', 'lzop'] },
  environment: {
    TAR_OPTIONS: 'holds options of tar, which can name programs',
    TAPE: 'names the archive',
    TAR_LONGLINK_100: 'changes the format of archives',
    RSH: 'names a program that tar starts',
    SIMPLE_BACKUP_SUFFIX: 'decides the names of backup files',
    VERSION_CONTROL: 'decides the names of backup files',
  },
  grammar: {
    syntax: tarSyntax,
    options: { ...modes, ...plain, ...active },
    operands: { rest: inert },
    finish: packed,
    offers: (reading) => (has(reading, '-t', '--list') ? 'files' : 'exact'),
  },
};

export const tarPrograms: readonly ProgramRecord[] = [tar];
