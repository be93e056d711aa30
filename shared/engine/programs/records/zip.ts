import {
  doubt,
  executes,
  executing,
  flag,
  has,
  inert,
  into,
  merge,
  optional,
  parsed,
  path,
  pinned,
  pins,
  plainOptions,
  secret,
} from '../forms.ts';
import { getopt, getoptCommand, zip as zipSyntax } from '../syntax.ts';
import type {
  Argument,
  CustomReading,
  Effect,
  Operand,
  ProgramRecord,
  Reading,
  Yield,
} from '../types.ts';
import { packedAway } from './findings.ts';
import { readLoosely, withRoles } from './shapes.ts';

/**
 * An archive, the files in it, and where they go. Behind the archive only `-d` and `-x` are options:
 * `unzip a.zip -l` looks for a file of the name `-l`.
 */
function unzipped(reading: Reading): Yield {
  const [archive, ...files] = reading.operands;
  const folder = files.findIndex(({ text }) => text.startsWith('-d'));
  if (archive === undefined) return {};
  const { text, word } = archive;
  const more = { live: archive.live !== null };
  // A name that is not there is looked for with its ending.
  const effects = ['', '.zip', '.ZIP'].flatMap((end) => [
    path('reads', `${text}${end}`, word, more),
    // Its date becomes that of its newest file.
    ...(has(reading, '-T') ? [path('edits', `${text}${end}`, word, more)] : []),
  ]);
  if (has(reading, '-l', '-t', '-p', '-v', '-z', '-Z', '-c')) return { effects };
  const behind = files[folder]?.text === '-d' ? files[folder + 1] : files[folder];
  const target = reading.options.find(({ name }) => name === '-d')?.value ?? '.';
  return {
    effects: [
      ...effects,
      behind === undefined
        ? path('into', target, -1)
        : path('into', behind.text.replace(/^-d/, ''), behind.word, { live: behind.live !== null }),
    ],
    doubts: has(reading, '-:') ? [doubt('unzip writes above its folder')] : [],
  };
}

const unzip: ProgramRecord = {
  names: ['unzip'],
  does: 'Unpacks an archive.',
  held: {},
  environment: { UNZIP: 'holds options of unzip', UNZIPOPT: 'holds options of unzip' },
  grammar: {
    syntax: { ...getoptCommand, name: 'unzip', endless: true },
    options: {
      ...plainOptions(
        '-p -l -f -t -u -z -v -T -x -n -o -j -U -C -X -V -K -q -a -b -aa -UU -L -s -D -W -Z -c -2 -1 -h -M -: -B -i -^ -Y'.replaceAll(
          /-(?:aa|UU)\s/g,
          '',
        ),
      ),
      '-d': into,
      '-P': secret,
      '-I -O': inert,
    },
    operands: { rest: inert },
    finish: unzipped,
    offers: (one) => {
      if (!has(one, '-l', '-t', '-p', '-v', '-z', '-Z')) return 'exact';
      // Whoever says how to unpack may be about to do so.
      return has(one, '-p', '-c', '-o', '-n', '-f', '-u', '-d', '-T') ? 'files' : 'reads';
    },
  },
};

/** A name as given, and with the ending that it gets where it has none. */
function ended(use: 'edits' | 'writes', text: string, word: number, live = false): Effect[] {
  return [path(use, text, word, { live }), path(use, `${text}.zip`, word, { live })];
}

/** The archive, what goes into it, and what of that is deleted. */
function zipped({ operands, options }: Reading): Yield {
  const [archive, ...files] = operands;
  const given =
    (use: 'reads' | 'deletes') =>
    ({ text, word, live }: Operand) =>
      path(use, text, word, { tree: true, live: live !== null });
  const takenOut = has({ options }, '-m', '--move') ? files.map(given('deletes')) : [];
  const here = has({ options }, '-R', '--recurse-patterns');
  return {
    effects: [
      ...(archive === undefined || archive.text === '-'
        ? []
        : ended('edits', archive.text, archive.word, archive.live !== null)),
      ...files.map(given('reads')),
      ...(here ? [path('reads', '.', -1, { tree: true })] : []),
      ...takenOut,
    ],
    doubts: operands
      .filter(({ text }) => text.startsWith('-') && text !== '-')
      .map(({ word }) => executing(unzips, word)),
    risks: takenOut.length === 0 ? [] : [packedAway(takenOut.map(({ word }) => word))],
  };
}

const unzips = 'zip has a shell start what tests the archive';
const zip: ProgramRecord = {
  names: ['zip'],
  does: 'Packs files.',
  environment: {
    ZIPOPT: 'holds options of zip, which can name commands',
    ZIP: 'holds options of zip',
  },
  grammar: {
    syntax: zipSyntax,
    // `zip -so` prints this table.
    options: withRoles(
      `-0|--store -1|--compress-1 -2|--compress-2 -3|--compress-3 -4|--compress-4 -5|--compress-5 -6|--compress-6 -7|--compress-7 -8|--compress-8 -9|--compress-9
      -A|--adjust-sfx -c|--entry-comments -d|--delete -db|--display-bytes -dc|--display-counts -dd|--display-dots -dg|--display-globaldots -ds|--dot-size= -du|--display-usize
      -dv|--display-volume -D|--no-dir-entries -DF|--difference-archive -e|--encrypt -f|--freshen -F|--fix -FF|--fixfix -FI|--fifo -FS|--filesync -fd|--force-descriptors -fz|--force-zip64
      -g|--grow -h|--help -h2|--more-help -H -? -i|--include= -ic -j|--junk-paths -J|--junk-sfx -k|--DOS-names -l|--to-crlf -ll|--from-crlf -la|--log-append -li|--log-info -L|--license
      -m|--move -mm -MM|--must-match -n|--suffixes= -nw|--no-wild -o|--latest-time -p|--paths -q|--quiet -r|--recurse-paths -R|--recurse-patterns -RE|--regex -sp|--split-pause
      -sv|--split-verbose -sb|--split-bell -sc|--show-command -sd|--show-debug -sf|--show-files -so|--show-options -su|--show-unicode -sU|--show-just-unicode -t|--from-date= -tt|--before-date=
      -u|--update -U|--copy-entries -UN|--unicode= -v|--verbose --version -w -ws|--wild-stop-dirs -x|--exclude= -X|--strip-extra -y|--symlinks -z|--archive-comment -Z|--compression-method=`,
      {
        '-T --test': executes(unzips, flag),
        '-TT --unzip-command': executes(unzips, inert),
        '-P --password': secret,
        '-b --temp-path': into,
        '-O --output-file': parsed((value, word) => ({ effects: ended('writes', value, word) })),
        '-lf --logfile-path': parsed((value, word) => ({
          effects: [path('writes', value, word), path('writes', `${value}.log`, word)],
        })),
        '-s --split-size': pinned(inert, 'zip writes parts of other names'),
        '-@ --names-stdin': pins('names of files stand in what zip is given'),
      },
    ),
    operands: { rest: inert },
    finish: zipped,
    offers: 'exact',
  },
};

/** A command letter, the archive, and files; options glue their values on. */
function read7z(args: readonly Argument[]): CustomReading {
  const loose = readLoosely(
    args,
    {
      use: 'edits',
      pins: /^(?:-w|-spf|@|-(?:a?[ix])r?[-0]?@|-snl|-sni|-sfx|-u.*!)/,
      why: 'an option of 7z reads names from files or goes beyond its folder',
    },
    '7z',
  );
  const [command] = loose.operands;
  const target = args.find(({ text }) => /^-o./.test(text))?.text.slice(2) ?? '.';
  const unpacks = command?.text === 'x' || command?.text === 'e';
  const removes = args.findIndex(({ text }) => /^[-/]sdel/i.test(text));
  const packed = removes === -1 ? [] : loose.operands.slice(2);
  return {
    options: loose.options,
    operands: loose.operands,
    ...merge([
      {
        effects: loose.operands.slice(1).map(({ text, word }) =>
          path(unpacks || /^[lt]$/.test(command?.text ?? '') ? 'reads' : 'edits', text, word, {
            tree: true,
          }),
        ),
        doubts: loose.doubts ?? [],
      },
      unpacks ? { effects: [path('into', target, -1)] } : {},
      {
        effects: packed.map(({ text, word, live }) =>
          path('deletes', text, word, { tree: true, live: live !== null }),
        ),
        risks: removes === -1 ? [] : [packedAway([removes])],
      },
    ]),
  };
}
const sevenZip: ProgramRecord = {
  names: ['7z', '7za', '7zr', '7zz'],
  does: 'Packs, lists and unpacks archives.',
  grammar: {
    syntax: getopt,
    // Only for redaction: the words are read by hand.
    options: { '-p': { ...optional(inert), kind: 'secret' } },
    read: read7z,
    offers: ({ operands }) => (/^[lt]$/.test(operands[0]?.text ?? '') ? 'files' : 'exact'),
  },
};

export const zipPrograms: readonly ProgramRecord[] = [unzip, zip, sevenZip];
