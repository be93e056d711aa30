import {
  doubt,
  isGlued,
  flag,
  has,
  inert,
  into,
  namesFrom,
  path,
  pinned,
  pins,
  reads,
  risk,
  shell,
  valuesOf,
  writes,
  deletes,
  deletesTree,
} from '../forms.ts';
import type { ProgramRecord, Reading, RiskOf } from '../types.ts';
import { atNames, folderOf } from './shapes.ts';
import { lendsRights } from './findings.ts';
import { one, type Finish } from './diffs.ts';

const tree = (reading: Reading): boolean => has(reading, '-R', '--recursive');
/** Permissions and owners of whole trees, or of what lies at the top. */
const owned =
  (program: string): Finish =>
  (reading) => {
    const { operands } = reading;
    const named = has(reading, '--reference');
    const [mode, ...rest] = named ? [undefined, ...operands] : operands;
    const what = program === 'chmod' ? 'permissions' : 'owner';
    const open = /^0?(?:777|666|[0-7]?[0-7][2367][2367])$|[oa]\+[rx]*w/.test(mode?.text ?? '');
    return {
      effects: rest.map((operand) =>
        path('edits', operand?.text ?? '', operand?.word ?? -1, {
          tree: tree(reading),
          live: operand?.live !== null,
        }),
      ),
      risks: [
        ...(program === 'chmod' ? lendsRights(mode?.text, mode?.word ?? 0) : []),
        ...rest.flatMap((operand) => {
          const text = operand?.text ?? '';
          const top = /^\/(?:|etc|usr|bin|var|root|home|dev)\/?$|^~\/?$/.test(text);
          if (!tree(reading))
            return top
              ? [
                  risk('mass-permissions', 'high', `Changes who may use ${text}.`, [
                    operand?.word ?? 0,
                  ]),
                ]
              : [];
          const outside = /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(text) && !text.startsWith('/tmp/');
          return [
            risk(
              'mass-permissions',
              open || outside ? 'high' : 'low',
              `Changes the ${what} of everything below ${text}.`,
              [operand?.word ?? 0],
            ),
          ];
        }),
      ],
    };
  };
const owner = (name: string): ProgramRecord => ({
  keepsContent: true,
  ...one(
    [name, `g${name}`],
    'Changes who may use files.',
    '-c|--changes -f|--silent|--quiet -v|--verbose --dereference -h|--no-dereference --no-preserve-root --preserve-root --from= -R|--recursive -H -L -P',
    { '--reference': reads },
    { operands: { rest: inert }, finish: owned(name) },
  ),
});

const endsMany = (text: string): RiskOf => risk('stops-programs', 'high', text);
const endedByName: Finish = ({ options, operands }) => {
  if (operands.some(({ text }) => /interlock/i.test(text)))
    return { risks: [endsMany('Ends Interlock itself.')] };
  const all = operands.some(({ text }) => /^(?:\.|\.\*|\^|\$|\^\.\*\$?)?$/.test(text));
  const user = options.some(({ name: option }) =>
    /^(?:-u|-U|-G|--user|--euid|--uid|--group)$/.test(option),
  );
  return all || (user && operands.length === 0)
    ? { risks: [endsMany('Ends every program of a user.')] }
    : {};
};

/** Behind the signal `-1` is everything that may be signalled, and `1` the first of all programs. */
const killed: ProgramRecord['finds'] = (_reading, args) => {
  const words = args.map(({ text }) => text);
  const [first = ''] = words;
  if (/^-(?:l|L|-list|-table)/.test(first)) return [];
  const signals = /^-(?:s|n|-signal)$/.test(first) ? 2 : /^-(?!-)./.test(first) ? 1 : 0;
  const targets = words.slice(signals === 1 && words.length === 1 ? 0 : signals);
  if (targets.includes('-1') && words.length > 1)
    return [endsMany('Ends every program of this user.')];
  return targets.includes('1') ? [endsMany('Signals the first of all programs.')] : [];
};
const signal = /^-(?:[0-9]+|(?:SIG)?[A-Z][A-Z0-9+-]+)$/;

const fromNext = 'letters of tree take their values from the next words';

export const systemPrograms: readonly ProgramRecord[] = [
  {
    ...atNames(
      one(
        ['touch', 'gtouch'],
        'Makes files or changes their dates.',
        '-a -c|--no-create -d|--date= -f -h|--no-dereference -m -t= --time= -A=',
        { '-r --reference': reads },
        { operands: { rest: writes } },
      ),
    ),
    keepsContent: true,
  },
  owner('chmod'),
  owner('chown'),
  owner('chgrp'),
  one(
    ['tee', 'gtee', 'sponge'],
    'Writes its input into files.',
    '-a|--append -i|--ignore-interrupts -p --output-error[]',
    {},
    { operands: { rest: writes }, dashIsFile: true },
  ),
  one(
    ['truncate'],
    'Cuts or stretches files.',
    '-c|--no-create -o|--io-blocks -s|--size=',
    { '-r --reference': reads },
    {
      finish: ({ operands }) => ({
        risks: operands.length === 0 ? [] : [risk('data-loss', 'low', 'Cuts files to a size.')],
      }),
    },
  ),
  one(
    ['shred', 'gshred'],
    'Destroys what files hold.',
    '-f|--force -n|--iterations= -s|--size= -u --remove[] -v|--verbose -x|--exact -z|--zero',
    { '--random-source': reads },
    {
      operands: { rest: { ...deletes, kind: 'edits' } },
      finish: ({ operands }) => ({
        risks:
          operands.length === 0
            ? []
            : [
                risk(
                  'data-loss',
                  'low',
                  'Destroys what files hold.',
                  operands.map(({ word }) => word),
                ),
              ],
      }),
    },
  ),
  atNames(
    one(
      ['rmdir', 'grmdir'],
      'Removes empty folders.',
      '--ignore-fail-on-non-empty -p|--parents -v|--verbose',
      {},
      { operands: { rest: deletes } },
    ),
  ),
  one(
    ['srm'],
    'Destroys files and folders.',
    '-r|--recursive -f|--force -v|--verbose -i|--interactive -s|--simple -m|--medium',
    {},
    {
      operands: { rest: deletesTree },
      finish: () => ({ doubts: [doubt('srm destroys what it deletes')] }),
    },
  ),
  one(['unlink'], 'Removes a file.', '', {}, { operands: { rest: deletes } }),
  one(
    ['mktemp'],
    'Makes a temporary file.',
    '-d|--directory -u|--dry-run -q|--quiet --suffix= -t',
    { '-p --tmpdir': { ...into, arity: 'optional' } },
    { operands: { rest: writes } },
  ),
  one(
    ['mkfifo', 'mknod'],
    'Makes special files.',
    '-m|--mode= -Z --context[]',
    {},
    { operands: { first: [writes], rest: inert } },
  ),
  one(
    ['sync', 'fsync'],
    'Writes what is in memory to disk.',
    '-d|--data -f|--file-system',
    {},
    { operands: { rest: reads } },
  ),
  one(
    ['uniq', 'guniq'],
    'Drops repeated lines.',
    '-c|--count -d|--repeated -D --all-repeated[] -f|--skip-fields= --group[] -i|--ignore-case -s|--skip-chars= -u|--unique -z|--zero-terminated -w|--check-chars=',
    {},
    { operands: { first: [reads], rest: writes }, numeric: /^[-+][0-9]+$/ },
  ),
  one(
    ['shuf', 'gshuf'],
    'Mixes lines.',
    '-e|--echo -i|--input-range= -n|--head-count= -r|--repeat -z|--zero-terminated',
    { '--random-source': reads, '-o --output': writes },
    { operands: { rest: reads } },
  ),
  one(
    ['split', 'gsplit'],
    'Cuts a file into parts.',
    '-a|--suffix-length= --additional-suffix= -b|--bytes= -C|--line-bytes= -d --numeric-suffixes[] -x --hex-suffixes[] -e|--elide-empty-files -l|--lines= -n|--number= -t|--separator= -u|--unbuffered --verbose',
    { '--filter': shell },
    {
      operands: { first: [reads], rest: writes },
      numeric: /^-[0-9]+$/,
      finish: ({ operands: [, to] }) => ({
        effects: [path('into', folderOf(to?.text ?? ''), to?.word ?? -1)],
      }),
    },
  ),
  one(
    ['csplit', 'gcsplit'],
    'Cuts a file into parts.',
    '-b|--suffix-format= -k|--keep-files -n|--digits= -s|--quiet|--silent -z|--elide-empty-files --suppress-matched',
    { '-f --prefix': writes },
    {
      operands: { first: [reads], rest: inert },
      finish: (reading) => ({
        effects: [path('into', folderOf(valuesOf(reading, '-f', '--prefix').at(-1) ?? ''), -1)],
      }),
    },
  ),
  one(
    ['date', 'gdate'],
    'Shows the time.',
    '-d|--date= --debug -I|--iso-8601[] --resolution -R|--rfc-email|--rfc-2822|--rfc-822 --rfc-3339= -u|--utc|--universal|--uct -j -n -v=',
    {
      '-f --file': reads,
      '-r --reference': reads,
      '-s --set': pinned(inert, 'date sets the clock'),
    },
    {
      operands: { rest: inert },
      offers: 'reads',
      finish: ({ operands, options }) => {
        const sets = operands.find(({ text }) => !text.startsWith('+'));
        return sets === undefined || has({ options }, '-j')
          ? {}
          : { doubts: [doubt('date sets the clock', sets.word)] };
      },
    },
  ),
  one(
    ['hostname', 'dnsdomainname'],
    'Shows the name of the machine.',
    '-a|--alias -A|--all-fqdns -d|--domain -f|--fqdn|--long -i|--ip-address -I|--all-ip-addresses -s|--short -y|--yp|--nis -V -h',
    { '-F --file -b --boot': pinned(inert, 'hostname sets the name of the machine') },
    {
      operands: { rest: inert },
      offers: 'reads',
      finish: ({ operands }) =>
        operands.length === 0
          ? {}
          : { doubts: [doubt('hostname sets the name of the machine', operands[0]?.word)] },
    },
  ),
  atNames(
    one(
      ['file', 'gfile'],
      'Tells what files are.',
      `-v -z|--uncompress -Z|--uncompress-noreport -b|--brief -c|--checking-printout -e|--exclude= --exclude-quiet= -F|--separator= -i|--mime -I --apple --extension --mime-type
    --mime-encoding -k|--keep-going -l|--list -L|--dereference -h|--no-dereference -n|--no-buffer -N|--no-pad -0|--print0 -p|--preserve-date -P|--parameter= -r|--raw -s|--special-files -S|--no-sandbox -d|--debug -E`,
      {
        '-m --magic-file': reads,
        '-f --files-from': namesFrom,
        '-C --compile': pins('file writes its own table'),
        '-z --uncompress': pins('file starts programs to unpack'),
        '-Z --uncompress-noreport': pins('file starts programs to unpack'),
      },
      { operands: { rest: reads }, offers: 'reads' },
    ),
  ),
  one(
    ['ss'],
    'Shows connections.',
    `-h|--help -V -n|--numeric -r|--resolve -a|--all -l|--listening -o|--options -e|--extended -m|--memory -p|--processes -T|--threads -i|--info --tipcinfo -s|--summary --tos --cgroup -b|--bpf -E|--events -Z|--context
    -z|--contexts -4|--ipv4 -6|--ipv6 -0|--packet -t|--tcp -M|--mptcp -S|--sctp -u|--udp -d|--dccp -w|--raw -x|--unix --tipc --vsock --xdp -f|--family= -H|--no-header -O|--oneline --inet-sockopt -A|--query|--socket= -B|--bound-inactive`,
    {
      '-K --kill': pins('ss ends connections'),
      '-N --net': pinned(inert, 'ss works in another name space'),
      '-D --diag': pinned(writes, 'ss writes a file'),
      '-F --filter': reads,
    },
    { operands: { rest: inert }, offers: 'reads' },
  ),
  atNames(
    one(
      ['tree'],
      'Lists the files of folders.',
      `-a -d -l -f -x -L= -P= -I= --gitignore --ignore-case --matchdirs --metafirst --prune --info --noreport --charset= --filelimit= -q -N -Q -p -u -g -s -h --si --du -D
    --timefmt= -F --inodes --device -v -t -c -U -r --dirsfirst --filesfirst --sort= -i -A -S -n -C -X -J -H= -T= --nolinks --hintro= --houtro= --fflinks --hyperlink --scheme= --authority= --opt-toggle --compress=`,
      {
        '--gitfile --infofile': reads,
        '-o': writes,
        '-R': pins('tree writes a file into each folder'),
        '--fromfile --fromtabfile': flag,
      },
      {
        operands: { rest: { ...reads, tree: true } },
        offers: 'reads',
        finish: ({ options }) => ({
          doubts: options.filter(isGlued).map(({ word }) => doubt(fromNext, word)),
        }),
      },
    ),
  ),
  atNames(
    one(
      ['pkill', 'killall', 'skill', 'xkill'],
      'Ends programs by name.',
      `-q|--queue= -e|--echo|--exact -c|--count -f|--full -G|--group= -i|--ignore-case|--interactive -I -n|--newest -o|--oldest|--older-than= -O|--older= -P|--parent= -s|--session= -t|--terminal= -u|--euid|--user= -U|--uid= -x
    -L|--logpidfile -r|--runstates|--regexp= -A|--ignore-ancestors --cgroup= --ns= --nslist= --signal= -h -V -v|--verbose -l|--list -w|--wait -y|--younger-than= -g|--process-group|--pgroup= -a`,
      { '-F --pidfile': reads },
      {
        operands: { rest: inert },
        numeric: signal,
        finish: endedByName,
      },
    ),
  ),
  {
    ...atNames(
      one(
        ['kill'],
        'Ends programs by number.',
        '-s|--signal= -q|--queue= -l|--list[] -L|--table -n= -p|--pid -a|--all --timeout= -V -h',
        {},
        { operands: { rest: inert }, numeric: signal },
      ),
    ),
    finds: killed,
    changes: () => 'none',
  },
];
