import {
  has,
  edits,
  inert,
  into,
  path,
  pinned,
  pins,
  reads,
  starts,
  valuesOf,
  writes,
  executes,
} from '../forms.ts';
import { gnu } from '../syntax.ts';
import type { Grammar, Options, ProgramRecord, Reading, Yield } from '../types.ts';
import { withRoles } from './shapes.ts';

export type Finish = (reading: Reading) => Yield;
export function one(
  names: readonly string[],
  does: string,
  options: string,
  roles: Options,
  more: Partial<Grammar> = {},
): ProgramRecord {
  return {
    names,
    does,
    grammar: {
      syntax: gnu,
      options: withRoles(`${options} --help --version`, roles),
      operands: { rest: edits },
      offers: 'exact',
      ...more,
    },
  };
}

const patch: ProgramRecord = one(
  ['patch', 'gpatch'],
  'Changes files as another file says.',
  `-p|--strip= -F|--fuzz= -l|--ignore-whitespace -c|--context -n|--normal -u|--unified -N|--forward -R|--reverse -D|--ifdef= --merge[] -E|--remove-empty-files -Z|--set-utc -T|--set-time --quoting-style=
  -b|--backup --backup-if-mismatch --no-backup-if-mismatch -V|--version-control= -t|--batch -f|--force -s|--quiet|--silent --verbose --dry-run --posix --reject-format= --binary --read-only= -v --follow-symlinks -x|--debug=`,
  {
    '-e --ed': executes('patch can hand a script to ed'),
    '-g --get': executes('patch can start other programs', inert),
    '-i --input': reads,
    '-o --output -r --reject-file': writes,
    '-d --directory': into,
    '-B --prefix -Y --basename-prefix -z --suffix': pinned(
      inert,
      'patch writes files under other names',
    ),
    '--follow-symlinks': pins('patch follows links'),
  },
  {
    operands: { first: [edits], rest: reads },
    // Names of files stand in the patch, also where an operand names one; what it could not do, and
    // the file as it was, stand beside that.
    finish: (reading) => ({
      effects: [
        path(
          has(reading, '--dry-run') ? 'reads' : 'into',
          valuesOf(reading, '-d', '--directory').at(-1) ?? '.',
          -1,
        ),
        ...reading.operands
          .slice(0, has(reading, '-d', '--directory') ? 0 : 1)
          .flatMap(({ text, word, live }) =>
            ['.orig', '.rej', '~'].map((end) =>
              path('writes', `${text}${end}`, word, { live: live !== null }),
            ),
          ),
      ],
    }),
  },
);

const diffPrograms: readonly ProgramRecord[] = [
  {
    ...one(
      ['diff', 'gdiff', 'colordiff'],
      'Compares files.',
      `--normal -q|--brief -s|--report-identical-files -c -C= --context[] -u -U= --unified[] -e|--ed -n|--rcs -y|--side-by-side -W|--width= --left-column --suppress-common-lines -p|--show-c-function -F|--show-function-line=
    -L|--label= -t|--expand-tabs -T|--initial-tab --tabsize= --suppress-blank-empty -l|--paginate -r|--recursive --no-dereference -N|--new-file -P|--unidirectional-new-file --ignore-file-name-case --no-ignore-file-name-case
    -x|--exclude= -S|--starting-file= -i|--ignore-case -E|--ignore-tab-expansion -Z|--ignore-trailing-space -b|--ignore-space-change -w|--ignore-all-space -B|--ignore-blank-lines -I|--ignore-matching-lines= -a|--text
    --strip-trailing-cr -D|--ifdef= --old-group-format= --new-group-format= --unchanged-group-format= --changed-group-format= --line-format= --old-line-format= --new-line-format= --unchanged-line-format= -d|--minimal
    --horizon-lines= -H|--speed-large-files --color[] --palette= -v --no-ignore-case --presume-output-tty --binary -h --inhibit-hunk-merge`,
      { '-X --exclude-from --from-file --to-file': reads, '-l --paginate': pins('diff starts pr') },
      { operands: { rest: { ...reads, tree: true } }, offers: 'reads', numeric: /^-[0-9]+$/ },
    ),
    held: {},
  },
  one(
    ['diff3'],
    'Compares three files.',
    '-A|--show-all -e|--ed -E|--show-overlap -3|--easy-only -x|--overlap-only -X -i -m|--merge -a|--text --strip-trailing-cr -T|--initial-tab -L|--label= -v',
    { '--diff-program': starts },
    { operands: { rest: reads }, offers: 'files' },
  ),
  one(
    ['sdiff'],
    'Compares files side by side.',
    '-i|--ignore-case -E|--ignore-tab-expansion -Z|--ignore-trailing-space -b|--ignore-space-change -W|--ignore-all-space -B|--ignore-blank-lines -I|--ignore-matching-lines= --strip-trailing-cr -a|--text -w|--width= -l|--left-column -s|--suppress-common-lines -t|--expand-tabs --tabsize= -d|--minimal -H|--speed-large-files -v',
    { '--diff-program': starts, '-o --output': pinned(writes, 'sdiff starts the editor') },
    { operands: { rest: reads } },
  ),
];

export const differencePrograms: readonly ProgramRecord[] = [patch, ...diffPrograms];
