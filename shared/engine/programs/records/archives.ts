import {
  doubt,
  edits,
  flag,
  has,
  inert,
  into,
  merge,
  namesFrom,
  path,
  pinned,
  reads,
  starts,
  valuesOf,
  writes,
  executing,
} from '../forms.ts';
import { byHand, getopt, gnu, type Syntax } from '../syntax.ts';
import type { ProgramRecord, Reading, Taken, Yield } from '../types.ts';
import { folderOf, plainly, readLoosely, withRoles } from './shapes.ts';
import { packedAway } from './findings.ts';
import { zipPrograms } from './zip.ts';

const suffixes = ['.gz', '.bz2', '.xz', '.lzma', '.zst', '.Z', '.z', '.out'];
const packedNames = /(?:[.\-_](?:gz|z)|\.(?:bz2?|xz|lzma|lz|zst|Z))$/;
const packedTars = /\.(?:t[gblx]z2?|taz|tbz2?|tzst|tlz)$/;

/** The files that a packer makes beside one, packing or unpacking: which of them its name decides. */
function besides(text: string): readonly string[] {
  const packed = suffixes.map((suffix) => `${text}${suffix}`);
  if (packedTars.test(text)) return [...packed, text.replace(packedTars, '.tar')];
  return packedNames.test(text) ? [...packed, text.replace(packedNames, '')] : packed;
}

/** Each file is replaced by its packed or unpacked form, unless it goes to the output. */
function replaced(reading: Reading): Yield {
  // Of several modes the last counts, so that one which only looks must stand alone.
  const shows =
    has(reading, '-l', '--list', '-t', '--test') &&
    !has(reading, '-z', '--compress', '-d', '--decompress', '--uncompress');
  const prints = ['-c', '--stdout', '--to-stdout', '-h', '--help', '-V', '--version'];
  const only = shows || has(reading, ...prints);
  const keeps = has(reading, '-k', '--keep');
  const named = has(reading, '-N', '--name');
  return {
    effects: reading.operands
      .filter(({ text }) => text !== '-')
      .flatMap(({ text, word, live }) => {
        const more = { live: live !== null, tree: has(reading, '-r', '--recursive') };
        const read = path('reads', text, word, more);
        if (only) return [read];
        // Each is a file of its own beside the named one; a missing one is looked for by suffix.
        const made = besides(text).map((name) => path('edits', name, word, more));
        const gone = keeps ? [] : [text, ...suffixes.map((one) => `${text}${one}`)];
        return [
          read,
          path('edits', text, word, more),
          ...made,
          // The name stands in the packed file.
          ...(named ? [path('into', folderOf(text), word, more)] : []),
          ...gone.map((name) => path('deletes', name, word, more)),
        ];
      }),
  };
}

const levels = '-0 -1 -2 -3 -4 -5 -6 -7 -8 -9 --fast --best';
const packer = (
  names: readonly string[],
  does: string,
  options: string,
  syntax: Syntax = gnu,
): ProgramRecord => ({
  names,
  does,
  environment: {
    GZIP: 'holds options of gzip',
    XZ_OPT: 'holds options of xz',
    XZ_DEFAULTS: 'holds options of xz',
    BZIP2: 'holds options of bzip2',
    BZIP: 'holds options of bzip2',
    ZSTD_CLEVEL: 'changes how zstd packs',
  },
  grammar: {
    syntax,
    options: withRoles(
      `${levels} -h|--help -V|--version -L|--license -c|--stdout|--to-stdout -d|--decompress|--uncompress -f|--force -k|--keep -t|--test -q|--quiet -v|--verbose ${options}`,
      {
        '--files --files0': { ...namesFrom, arity: 'optional' },
        '-S --suffix': pinned(inert, 'a suffix decides which files are written'),
      },
    ),
    operands: { rest: inert },
    finish: replaced,
    offers: 'exact',
  },
});
const xz = packer(
  ['xz', 'unxz', 'lzma', 'unlzma'],
  'Packs or unpacks files.',
  '-z|--compress -l|--list -e|--extreme -T|--threads= -H|--long-help -Q|--no-warn --no-adjust --no-sparse -M|--memlimit|--memory= --memlimit-compress= --memlimit-decompress= --robot --info-memory --single-stream --ignore-check -F|--format= -C|--check= --block-size= --block-list= --flush-timeout= --lzma1[] --lzma2[] --x86[] --arm[] --delta[] -S|--suffix= --files[] --files0[]',
);

/** The same program by a name under which it prints: it takes all the options. */
function printing(names: string, { grammar, ...record }: ProgramRecord): ProgramRecord {
  const { finish, ...more } = grammar;
  const doubts = (one: Reading): Yield => ({ doubts: finish?.(one).doubts ?? [] });
  return {
    ...record,
    names: names.split(' '),
    does: 'Prints packed files.',
    grammar: { ...more, operands: { rest: reads }, finish: doubts, offers: 'reads' },
  };
}

/** Sizes and numbers are all that zstd takes behind a letter; what else stands there are letters. */
const readAsLetters = ({ name, value }: Taken): boolean =>
  /^-[A-Za-z]$/.test(name) && value !== null && !/^\d+[KMG]?(?:i?B)?$/.test(value);

const zstd: ProgramRecord = {
  names: ['zstd', 'zstdmt', 'unzstd'],
  does: 'Packs or unpacks files.',
  grammar: {
    syntax: gnu,
    options: withRoles(
      `-# -k|--keep --rm -d|--decompress -h -H|--help -V|--version -c|--stdout -v|--verbose -q|--quiet -r --ultra --fast[] --adapt[] --long[] -T[] --threads= --single-thread
      --auto-threads= -B[] --rsyncable --exclude-compressed --stream-size= --size-hint= --target-compressed-block-size= --no-dictID --format= -l|--list -t|--test -M[] -f|--force --no-check
      --check --sparse --no-sparse --progress --no-progress -S --priority= --compress -z -b[] -e[] -i[] ${levels.replace('--fast --best', '')}`,
      {
        '-o': writes,
        '-D': reads,
        '--patch-from': reads,
        '--filelist': namesFrom,
        '--trace': writes,
        '--output-dir-flat --output-dir-mirror': into,
      },
    ),
    operands: { rest: inert },
    finish: (one) => {
      const base = has(one, '--rm')
        ? one
        : {
            ...one,
            options: [
              ...one.options,
              {
                name: '-k',
                value: null,
                live: false,
                negated: false,
                use: flag,
                word: -1,
                valueWord: -1,
              },
            ],
          };
      const glued = one.options.filter(
        (taken) => taken.word === taken.valueWord && readAsLetters(taken),
      );
      const doubts = glued.map(({ word }) =>
        doubt('zstd reads on in letters behind a letter', word),
      );
      const rm = one.options.find(({ name, negated }) => name === '--rm' && !negated);
      const risks = rm === undefined ? [] : [packedAway([rm.word])];
      return merge([replaced(base), { doubts, risks }]);
    },
    offers: 'exact',
  },
};

const cpio: ProgramRecord = {
  names: ['cpio'],
  does: 'Packs and unpacks archives.',
  grammar: {
    syntax: gnu,
    options: withRoles(
      `-i|--extract -o|--create -p|--pass-through -t|--list --block-size= -B -c -C|--io-size= --force-local -H|--format= --quiet -v|--verbose -V|--dot -W|--warning= -M|--message= -b|--swap -f|--nonmatching
      -n|--numeric-uid-gid -r|--rename -s|--swap-bytes -S|--swap-halfwords --to-stdout --only-verify-crc -A|--append --device-independent|--reproducible --ignore-devno --ignore-dirnlink --renumber-inodes -l|--link
      -0|--null -a|--reset-access-time -L|--dereference -d|--make-directories -m|--preserve-modification-time --no-preserve-owner --sparse -u|--unconditional -?|--help --usage --version --no-absolute-filenames -k`,
      {
        '-D --directory': into,
        '-R --owner': inert,
        '-E --pattern-file': reads,
        '-F --file -I -O': edits,
        '--rsh-command --to-stdout-command': starts,
        '--absolute-filenames': pinned(flag, 'cpio takes the names in the archive as they are'),
      },
    ),
    operands: { rest: edits },
    finish: (one) => {
      const passes = has(one, '-p', '--pass-through');
      const unpacks = has(one, '-i', '--extract') && !has(one, '-t', '--list', '--to-stdout');
      const far = one.options
        .filter(
          ({ name, value }) => /^(?:-F|--file|-I|-O)$/.test(name) && value?.includes(':') === true,
        )
        .map(({ valueWord }) => executing('cpio starts rsh for an archive elsewhere', valueWord));
      const lists = passes || has(one, '-o', '--create');
      const named = lists ? [doubt('the names of the files stand in what cpio is given')] : [];
      if (!passes && !unpacks) return { doubts: [...far, ...named] };
      const target = passes ? one.operands.at(-1)?.text : undefined;
      const folder = target ?? valuesOf(one, '-D', '--directory').at(-1) ?? '.';
      return { effects: [path('into', folder, -1)], doubts: [...far, ...named] };
    },
    offers: 'exact',
  },
};

/** Programs that unpack whatever they are given, into a folder that an option names. */
const unpacker = (name: string, folder: RegExp): ProgramRecord => ({
  names: [name],
  does: 'Unpacks archives.',
  grammar: {
    syntax: byHand,
    read: (args) => {
      const loose = readLoosely(args, { use: 'edits' }, name);
      const at = args.findIndex(({ text }) => folder.test(text));
      const glued = folder.exec(args[at]?.text ?? '')?.[1] ?? '';
      const target = at === -1 ? '.' : glued === '' ? (args[at + 1]?.text ?? '.') : glued;
      return { ...loose, ...merge([loose, { effects: [path('into', target, at)] }]) };
    },
    offers: 'exact',
  },
});

export const archivePrograms: readonly ProgramRecord[] = [
  unpacker('unar', /^--?(?:o|output-directory)(?:=(.*))?$/),
  unpacker('unrar', /^-op(.*)$/),
  unpacker('unsquashfs', /^--?(?:d|dest)(?:=(.*))?$/),
  unpacker('dtrx', /^$^/),
  unpacker('pax', /^$^/),
  packer(
    ['gzip', 'gunzip', 'pigz', 'unpigz'],
    'Packs or unpacks files.',
    '-l|--list -n|--no-name -N|--name -r|--recursive --rsyncable -S|--suffix= --synchronous -a|--ascii -p|--processes= -i|--independent -K|--zip -m|--no-time -M|--time -z|--zlib -b|--blocksize= -11 -R'.replace(
      ' -11',
      '',
    ),
  ),
  xz,
  printing('xzcat lzcat', xz),
  packer(
    ['bzip2', 'bunzip2'],
    'Packs or unpacks files.',
    '-z|--compress -s|--small --repetitive-fast --repetitive-best',
  ),
  // It reads its words by hand: names in full. Numbers behind a letter of a cluster are doubts.
  packer(['pbzip2'], 'Packs or unpacks files.', '-z|--compress -r', {
    ...getopt,
    name: 'pbzip2',
  }),
  zstd,
  printing('zstdcat', zstd),
  ...zipPrograms,
  cpio,
  ...plainly('Packs or unpacks files.', 'lz4 brotli', { use: 'edits' }, 'exact'),
];
