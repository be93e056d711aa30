import { inert, listed, listedWords, namesFrom, reads, readsTree } from '../forms.ts';
import { byHand, gnu } from '../syntax.ts';
import type { Grammar, Options, ProgramRecord, Use } from '../types.ts';
import { atNames, namesIn, plainly, readLoosely, withRoles } from './shapes.ts';

/** Only reads and prints, whatever the arguments. */
function reader(
  names: readonly string[],
  does: string,
  options: string,
  operand: Use,
  roles: Options,
  finish?: Grammar['finish'],
): ProgramRecord {
  return {
    names,
    does,
    held: {},
    grammar: {
      syntax: gnu,
      options: withRoles(options, roles),
      operands: { rest: operand },
      offers: 'reads',
      ...(finish === undefined ? {} : { finish }),
    },
  };
}

const readers: readonly ProgramRecord[] = [
  atNames(
    reader(
      ['df', 'gdf'],
      'Shows free space.',
      `-a|--all -B|--block-size= -h|--human-readable -H|--si -i|--inodes -k -l|--local --no-sync
      --output[] -P|--portability --sync --total -t|--type= -T|--print-type -x|--exclude-type= -v
      --help --version -m -g`,
      reads,
      {},
    ),
  ),
  atNames(
    reader(
      ['du', 'gdu-coreutils'],
      'Shows how much space files take.',
      `-0|--null -a|--all --apparent-size -B|--block-size= -b|--bytes -c|--total -D|--dereference-args
      -d|--max-depth= -H -h|--human-readable --inodes -k -L|--dereference -l|--count-links -m -P|--no-dereference -S|--separate-dirs --si -s|--summarize -t|--threshold= --time[] --time-style=
      --exclude= -x|--one-file-system --help --version`,
      readsTree,
      { '-X --exclude-from': reads, '--files0-from': namesFrom },
    ),
  ),
  reader(
    ['uname'],
    'Shows the system.',
    `-a|--all -s|--kernel-name -n|--nodename -r|--kernel-release -v|--kernel-version -m|--machine
      -p|--processor -i|--hardware-platform -o|--operating-system --help --version`,
    inert,
    {},
  ),
  reader(
    ['nl', 'gnl'],
    'Numbers lines.',
    `-b|--body-numbering= -d|--section-delimiter= -f|--footer-numbering= -h|--header-numbering=
      -i|--line-increment= -l|--join-blank-lines= -n|--number-format= -p|--no-renumber -s|--number-separator= -v|--starting-line-number= -w|--number-width= --help --version`,
    reads,
    {},
  ),
  reader(
    ['od'],
    'Prints bytes of files.',
    `-A|--address-radix= --endian= -j|--skip-bytes= -N|--read-bytes= -S|--strings[] -t|--format=
      -v|--output-duplicates -w|--width[] --traditional -a -b -c -d -f -h -i -l -o -s -x --help
      --version`,
    reads,
    {},
  ),
  reader(
    ['paste', 'gpaste'],
    'Joins lines of files.',
    `-d|--delimiters= -s|--serial -z|--zero-terminated --help --version`,
    reads,
    {},
  ),
  reader(
    ['pr'],
    'Lays files out for printing.',
    `-a|--across -c|--show-control-chars -d|--double-space -D|--date-format= -e|--expand-tabs[]
      -F|-f|--form-feed -h|--header= -i|--output-tabs[] -J|--join-lines -l|--length= -m|--merge
      -n|--number-lines[] -N|--first-line-number= -o|--indent= -r|--no-file-warnings -s|--separator[]
      -S|--sep-string[] -t|--omit-header -T|--omit-pagination -v|--show-nonprinting -w|--width=
      -W|--page-width= --columns= --pages= --help --version`,
    reads,
    {},
  ),
  reader(
    ['expand'],
    'Turns tabs into blanks.',
    `-i|--initial -t|--tabs= --help --version`,
    reads,
    {},
  ),
  reader(
    ['unexpand'],
    'Turns blanks into tabs.',
    `-a|--all --first-only -t|--tabs= --help --version`,
    reads,
    {},
  ),
  reader(
    ['fold'],
    'Wraps lines.',
    `-b|--bytes -s|--spaces -w|--width= --help --version`,
    reads,
    {},
  ),
  reader(
    ['fmt'],
    'Fills lines.',
    `-c|--crown-margin -p|--prefix= -s|--split-only -t|--tagged-paragraph -u|--uniform-spacing
      -w|--width= -g|--goal= --help --version`,
    reads,
    {},
  ),
  reader(
    ['comm'],
    'Compares sorted files.',
    `-1 -2 -3 --check-order --nocheck-order --output-delimiter= --total -z|--zero-terminated --help
      --version`,
    reads,
    {},
  ),
  reader(
    ['join'],
    'Joins files by a field.',
    `-a= -e= -i|--ignore-case -j= -o= -t= -v= -1= -2= --check-order --nocheck-order --header
      -z|--zero-terminated --help --version`,
    reads,
    {},
  ),
  reader(
    ['tac', 'gtac'],
    'Prints files backwards.',
    `-b|--before -r|--regex -s|--separator= --help --version`,
    reads,
    {},
  ),
  reader(
    ['tr', 'gtr'],
    'Replaces characters.',
    `-c|-C|--complement -d|--delete -s|--squeeze-repeats -t|--truncate-set1 --help --version`,
    inert,
    {},
  ),
  reader(['tsort'], 'Sorts by dependencies.', `--help --version`, reads, {}),
  reader(
    ['seq', 'gseq'],
    'Prints numbers.',
    `-f|--format= -s|--separator= -w|--equal-width --help --version`,
    inert,
    {},
  ),
  atNames(
    reader(
      ['stat', 'gstat'],
      'Shows details of files.',
      `-L|--dereference -f|--file-system --cached= -c|--format= --printf= -t|--terse -x -s -r -n -q
      --help --version`,
      reads,
      {},
    ),
  ),
  reader(
    ['free'],
    'Shows memory.',
    `-b|--bytes --kilo --mega --giga --tera --peta -k|--kibi -m|--mebi -g|--gibi --tebi --pebi
      -h|--human --si -l|--lohi -L|--line -t|--total -v|--committed -s|--seconds= -c|--count=
      -w|--wide --help -V|--version`,
    inert,
    {},
  ),
  reader(
    ['uptime'],
    'Shows how long the machine runs.',
    `-p|--pretty -h|--help -s|--since -V|--version`,
    inert,
    {},
  ),
  reader(
    ['who', 'users'],
    'Shows who is logged in.',
    `-a|--all -b|--boot -d|--dead -H|--heading --ips -l|--login --lookup -m -p|--process -q|--count
      -r|--runlevel -s|--short -t|--time -T|-w|--mesg -u|--users --message --writable --help --version`,
    reads,
    {},
  ),
  reader(
    ['w'],
    'Shows who is logged in.',
    `-h|--no-header -u|--no-current -s|--short -f|--from -o|--old-style -i|--ip-addr --help
      -V|--version`,
    inert,
    {},
  ),
  atNames(
    reader(
      ['id'],
      'Shows accounts.',
      `-a -Z|--context -g|--group -G|--groups -n|--name -r|--real -u|--user -z|--zero --help --version`,
      inert,
      {},
    ),
  ),
  reader(['groups'], 'Shows groups.', `--help --version`, inert, {}),
  atNames(reader(['whoami'], 'Shows the account.', `--help --version`, inert, {})),
  reader(
    ['nproc'],
    'Shows the number of processors.',
    `--all --ignore= --help --version`,
    inert,
    {},
  ),
  reader(
    ['md5sum', 'gmd5sum', 'sha1sum', 'sha224sum', 'sha384sum', 'sha512sum'],
    'Computes sums.',
    `-b|--binary -c|--check --tag -t|--text -z|--zero --ignore-missing --quiet --status --strict
      -w|--warn --help --version`,
    reads,
    {},
  ),
  reader(
    ['sha256sum', 'gsha256sum'],
    'Computes sums.',
    `-b|--binary -c|--check --tag -t|--text -z|--zero --ignore-missing --quiet --status --strict
      -w|--warn --help --version`,
    reads,
    {},
  ),
  reader(
    ['b2sum'],
    'Computes sums.',
    `-b|--binary -c|--check -l|--length= --tag -t|--text -z|--zero --ignore-missing --quiet --status
      --strict -w|--warn --help --version`,
    reads,
    {},
  ),
  reader(
    ['cksum'],
    'Computes sums.',
    `-a|--algorithm= --base64 --raw -c|--check -l|--length= -b|--binary -t|--text --tag --untagged
      -z|--zero --ignore-missing --quiet --status --strict -w|--warn --debug --help --version`,
    reads,
    {},
  ),
  reader(
    ['base64', 'base32', 'gbase64'],
    'Encodes or decodes.',
    `-d|-D|--decode -i|--ignore-garbage -w|--wrap= --help --version`,
    reads,
    {},
  ),
  atNames(
    reader(
      ['basename'],
      'Prints the last part of a name.',
      `-a|--multiple -s|--suffix= -z|--zero --help --version`,
      inert,
      {},
    ),
  ),
  atNames(
    reader(['dirname'], 'Prints the folder of a name.', `-z|--zero --help --version`, inert, {}),
  ),
  atNames(
    reader(
      ['readlink', 'greadlink'],
      'Shows where links lead.',
      `-f|--canonicalize -e|--canonicalize-existing -m|--canonicalize-missing -n|--no-newline
      -q|--quiet -s|--silent -v|--verbose -z|--zero --help --version`,
      reads,
      {},
    ),
  ),
  atNames(
    reader(
      ['realpath', 'grealpath'],
      'Shows where names lead.',
      `-e|--canonicalize-existing -m|--canonicalize-missing -L|--logical -P|--physical -q|--quiet
      --relative-to= --relative-base= -s|--strip|--no-symlinks -z|--zero --help --version`,
      reads,
      {},
    ),
  ),
  reader(
    ['cmp'],
    'Compares files.',
    `-b|--print-bytes -i|--ignore-initial= -l|--verbose -n|--bytes= -s|--quiet|--silent -c --help
      -v|--version`,
    reads,
    {},
  ),
  reader(['rev'], 'Reverses lines.', `-h|--help -V|--version`, reads, {}),
  reader(
    ['column'],
    'Lays lines out in columns.',
    `-t|--table -n|--table-name= -O|--table-order= -C|--table-column= -N|--table-columns= -l|--table-columns-limit= -E|--table-noextreme= -d|--table-noheadings -m|--table-maxout -e|--table-header-repeat -H|--table-hide= -R|--table-right= -T|--table-truncate= -W|--table-wrap= -L|--keep-empty-lines|--table-empty-lines -J|--json -r|--tree= -i|--tree-id= -p|--tree-parent= -c|--output-width= -o|--output-separator= -s|--separator= -x|--fillrows -h|--help -V|--version -S|--use-spaces=`,
    reads,
    {},
  ),
  reader(
    ['hexdump', 'hd'],
    'Prints bytes of files.',
    `-b|--one-byte-octal -X|--one-byte-hex -c|--one-byte-char -C|--canonical -d|--two-bytes-decimal
      -o|--two-bytes-octal -x|--two-bytes-hex -L|--color[] -e|--format= -n|--length= -s|--skip=
      -v|--no-squeezing -h|--help -V|--version`,
    reads,
    { '-f --format-file': reads },
  ),
  reader(
    ['strings'],
    'Prints texts in files.',
    `-a|--all -d|--data -f|--print-file-name -n|--bytes= -t|--radix= -w|--include-all-whitespace -o
      -T|--target= -e|--encoding= -s|--output-separator= -U|--unicode= -h|--help -v|-V|--version`,
    reads,
    {},
    listedWords,
  ),
  reader(
    ['lsblk'],
    'Lists disks.',
    `-A|--noempty -D|--discard -E|--dedup= -I|--include= -J|--json -M|--merge -O|--output-all
      -P|--pairs -S|--scsi -T|--tree[] -a|--all -b|--bytes -d|--nodeps -e|--exclude= -f|--fs
      -i|--ascii -l|--list -m|--perms -n|--noheadings -o|--output= -p|--paths -r|--raw -s|--inverse
      -t|--topology -w|--width= -x|--sort= -y|--shell -z|--zoned --sysroot= -h|--help -V|--version`,
    inert,
    {},
  ),
  reader(['printenv'], 'Prints variables.', `-0|--null --help --version`, inert, {}),
  atNames(reader(['sleep'], 'Waits.', `--help --version`, inert, {})),
  reader(['tty'], 'Shows the terminal.', `-s|--silent|--quiet --help --version`, inert, {}),
  reader(['factor'], 'Finds prime factors.', `--help --version`, inert, {}),
  reader(
    ['numfmt'],
    'Lays numbers out.',
    `--debug -d|--delimiter= --field= --format= --from= --from-unit= --grouping --header[] --invalid=
      --padding= --round= --suffix= --to= --to-unit= -z|--zero-terminated --help --version -M`,
    inert,
    {},
  ),
  reader(['pathchk'], 'Checks names.', `-p -P --portability --help --version`, inert, {}),
  atNames(
    reader(
      ['pgrep', 'pidwait'],
      'Finds programs that run.',
      `-d|--delimiter= -l|--list-name -a|--list-full -v|--inverse -w|--lightweight -c|--count -f|--full
      -g|--pgroup= -G|--group= -i|--ignore-case -n|--newest -o|--oldest -O|--older= -P|--parent=
      -s|--session= -t|--terminal= -u|--euid= -U|--uid= -x|--exact -L|--logpidfile -r|--runstates=
      --ns= --nslist= --signal= -A|--ignore-ancestors --cgroup= --env= -q -h|--help -V|--version`,
      inert,
      { '-F --pidfile': reads },
    ),
  ),
];

/** They print their words, or look at files by their names, and have no options that do more. */
const sayers: readonly ProgramRecord[] = namesIn('echo printf true false pwd yes expr test [').map(
  (name) =>
    atNames({
      names: [name],
      does: 'Prints its arguments.',
      held: {},
      grammar: {
        syntax: byHand,
        read: (args) => readLoosely(args, { lists: listed, use: 'reads' }, name),
        offers: 'reads',
      },
    }),
);

const lookers: readonly ProgramRecord[] = plainly(
  'Asks other machines.',
  'dig drill host nslookup whois ping ping6 traceroute tracepath mtr arping',
  { use: 'reads', pins: /^(?:-f$|@\/)/ },
  'exact',
);

export const readingPrograms: readonly ProgramRecord[] = [...readers, ...sayers, ...lookers];
