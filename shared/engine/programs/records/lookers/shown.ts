import { doubt, inert, pins, reads, readsTree, writes } from '../../forms.ts';
import { clap, getopt, gnu, wholeNames } from '../../syntax.ts';
import type { Syntax } from '../../syntax.ts';
import type { ProgramRecord, Reading, Yield } from '../../types.ts';
import { only, looker, type Look } from './looker.ts';

/** Programs that show what runs on this machine, and how it is doing. */

export interface Shown extends Look {
  readonly syntax?: Syntax;
  readonly does: string;
}

/** Letters that BSD's `ps` takes without a dash; `e` and `E` show the variables of programs. */
function bsdLetters({ operands }: Reading): Yield {
  const [first] = operands;
  const takesValues = /^[a-zA-Z]*[oOpqtUk]$/.test(first?.text ?? '');
  return {
    doubts: operands
      .filter(({ text }, at) =>
        at > 0 && takesValues
          ? !/^(?!.*env)[\w,%:=.+-]+$/.test(text)
          : !/^(?:[acfghjklmnoOpqrSstTuUvwXxZLHN]+|\d[\d,]*)$/.test(text),
      )
      .map(({ word }) => doubt('a word of ps is not understood', word)),
  };
}

/** `+L1`, `+D DIR`: further options of lsof. */
function plusses({ operands }: Reading): Yield {
  return {
    doubts: operands
      .filter(({ text }) => text.startsWith('+') && !/^\+(?:[cLfrwME]\w*|[dD].*)$/.test(text))
      .map(({ word }) => doubt('lsof takes a word that begins with + for an option', word)),
  };
}

const noVariables = only(
  /^(?!.*\benv(?:iron)?\b)/,
  'ps shows the variables of programs, which can hold secrets',
);

const shown: Readonly<Record<string, Shown>> = {
  ps: {
    does: 'Shows what runs on this machine.',
    options: `-A -a -d -e -N -T -f -F -j -l -y -c -M -P -V -L -m -w -H -Z -x -X -r -v -S -h --deselect -C= -G|--Group=
      -g|--group= -p|--pid= -q|--quick-pid= -s|--sid= -t|--tty= -u|--user= -U|--User= --ppid= --context --cols=
      --columns= --cumulative --forest --headers --lines= --no-headers --no-heading --heading --rows= --signames --sort=
      --width= --info --help[] --version`,
    roles: { '-o -O --format': noVariables, '-E': pins('ps shows the variables of programs') },
    operands: inert,
    finish: bsdLetters,
  },
  lsof: {
    does: 'Shows which files and connections are open.',
    syntax: getopt,
    options: `-? -h -a -b -c= -C -d= -E -F[] -g[] -H -i[] -l -L[] -n -N -o[] -O -P -p= -Q -q -R -r[] -s[] -S[] -t -T[] -u= -U
      -v -V -w -W -x[] -X -z[] -Z[] -K[]`,
    operands: reads,
    finish: plusses,
  },
  pidof: {
    does: 'Finds programs that run.',
    syntax: getopt,
    options: '-s -c -n -q -x -z -w -o= -S= -t -h -V',
    operands: inert,
  },
  top: {
    does: 'Shows what runs on this machine.',
    syntax: getopt,
    options:
      '-b -c -H -i -S -1 -A -a -e[] -E= -d= -n= -l= -o= -O= -p= -u= -U= -w[] -h -v -F -R -r -f -V',
  },
  htop: {
    does: 'Shows what runs on this machine.',
    options: `-C|--no-color -d|--delay= -F|--filter= -h|--help -H|--highlight-changes[] -M|--no-mouse -n|--max-iterations=
      -p|--pid= -s|--sort-key= -t|--tree -u|--user[] -U|--no-unicode -V|--version --readonly`,
  },
  btop: {
    does: 'Shows what runs on this machine.',
    syntax: wholeNames,
    options:
      '-lc|--low-color -t|--tty -p|--preset= -u|--update= --force-utf --utf-force -h|--help -v|-V|--version',
  },
  glances: {
    does: 'Shows what runs on this machine.',
    options: `-h|--help -V|--version -d|--debug -0|--disable-irix -1|--percpu|--per-cpu -2|--disable-left-sidebar -3|--disable-quicklook
      -4|--full-quicklook -5|--disable-top -6|--meangpu -q|--quiet -t|--time= -b|--byte -f|--process-filter= --process-short-name
      --process-long-name --sort-processes= --programs --hide-kernel-threads --fs-free-space --diskio-show-ramfs --diskio-iops
      --theme-white --light|--enable-light --stdout= --stdout-json= --stdout-csv= --stop-after= --disable-plugin= --enable-plugin=
      --disable-check-update --disable-autodiscover --disable-bold --disable-bg --disable-unicode --tree`,
  },
  iostat: {
    does: 'Shows how much is read and written.',
    options: `-c -C -d -h -I -k -K -m -N -n= -p[] -s -t -T -U -V -w= -x -y -z -j= -g= -o[] --compact --dec= --human --pretty`,
    roles: { '-f': reads },
    operands: inert,
  },
  mpstat: {
    does: 'Shows how busy processors are.',
    options: '-A -H -n -T -u -V -I= -N= -o= -P= --dec=',
    operands: inert,
  },
  sar: {
    does: 'Shows how busy the machine is or was.',
    options: `-A -B -b -C -D -d -F[] -H -h -p -q[] -r[] -S -t -u[] -V -v -W -w -x -y -z --dec= --human --pretty -I= -P= -m= -n=
      -j= -i= -s[] -e[] --dev= --fs= --iface= --int=`,
    roles: { '-f': { ...reads, arity: 'maybe' }, '-o': { ...writes, arity: 'maybe' } },
    operands: inert,
  },
  vmstat: {
    does: 'Shows memory, disks and processors.',
    options: `-a|--active -f|--forks -m|--slabs -n|--one-header -s|--stats -d|--disk -D|--disk-sum -p|--partition= -S|--unit=
      -t|--timestamp -w|--wide -y|--no-first -V|--version -h|--help`,
    operands: inert,
  },
  pstree: {
    does: 'Shows what runs on this machine.',
    options: `-a|--arguments -A|--ascii -c|--compact-not -C|--color= -g|--show-pgids -G|--vt100 -h|--highlight-all
      -H|--highlight-pid= -l|--long -n|--numeric-sort -N|--ns-sort= -p|--show-pids -s|--show-parents -S|--ns-changes
      -t|--thread-names -T|--hide-threads -u|--uid-changes -U|--unicode -V|--version -Z|--security-context`,
    operands: inert,
  },
  procs: {
    does: 'Shows what runs on this machine.',
    syntax: clap,
    options: `-a|--and -o|--or -d|--nand -r|--nor -l|--list -t|--tree -w|--watch -W|--watch-interval= -i|--insert= --only=
      --sorta= --sortd= -c|--color= --theme= -n|--no-header --thread -h|--help -V|--version`,
    operands: inert,
  },
  last: {
    does: 'Shows who was logged in.',
    options: `-a|--hostlast -d|--dns -F|--fulltimes -i|--ip -n|--limit= -R|--nohostname -s|--since= -t|--until= -w|--fullnames
      -x|--system -p|--present= -N -T|--tab-separated --time-format= -h|--help -V|--version -1 -2 -3 -4 -5 -6 -7 -8 -9 -0`,
    roles: { '-f --file': reads },
    operands: inert,
  },
  lastlog: {
    does: 'Shows who was logged in last.',
    options: '-b|--before= -t|--time= -u|--user= -h|--help',
  },
  sensors: {
    does: 'Shows temperatures and fans.',
    options: '-A|--no-adapter -f|--fahrenheit -j -u -h|--help -v|--version --allow-no-sensors',
    roles: { '-c --config-file': reads },
    operands: inert,
  },
  lscpu: {
    does: 'Shows the processors.',
    options: `-a|--all -b|--online -B|--bytes -c|--offline -C|--caches[] -e|--extended[] -H|--hierarchic[] -J|--json -p|--parse[]
      -r|--raw -x|--hex -y|--physical --output-all -h|--help -V|--version`,
    roles: { '-s --sysroot': reads },
  },
  lsmem: {
    does: 'Shows the memory.',
    options: `-a|--all -b|--bytes -J|--json -n|--noheadings -o|--output= --output-all -P|--pairs -r|--raw -S|--split=
      --summary[] -h|--help -V|--version`,
    roles: { '-s --sysroot': reads },
  },
  lsmod: { does: 'Shows the modules of the kernel.', options: '-s -v -V -h', operands: inert },
  lspci: {
    does: 'Shows what is connected.',
    syntax: getopt,
    options: '-v -k -x -n -b -D -P -t -m -s= -d=',
    roles: { '-F -p -i': reads },
  },
  lsusb: {
    does: 'Shows what is connected.',
    options: '-v|--verbose -t|--tree -V|--version -s= -d= -h|--help',
    roles: { '-D': reads },
  },
  lsattr: {
    does: 'Shows attributes of files.',
    options: '-R -V -a -d -l -p -v',
    operands: readsTree,
  },
  getfacl: {
    does: 'Shows who may use files.',
    options: `-a|--access -c|--omit-header -d|--default -e|--all-effective -E|--no-effective -s|--skip-base -R|--recursive
      -L|--logical -P|--physical -t|--tabular -p|--absolute-names -n|--numeric -v|--version -h|--help --one-file-system`,
    operands: readsTree,
  },
  locale: {
    does: 'Shows settings of language and place.',
    options: '-a|--all-locales -m|--charmaps -c|--category-name -k|--keyword-name -v|--verbose',
    operands: inert,
  },
  logname: { does: 'Shows the name of the user.' },
  hostid: { does: 'Shows the number of this machine.' },
  cpuid: {
    does: 'Shows the processors.',
    options:
      '-1|--one-cpu -r|--raw -i|--inst -k|--kernel -l|--leaf= -s|--subleaf= -h|--help -v|--version',
  },
  getconf: {
    does: 'Shows limits of the system.',
    syntax: getopt,
    options: '-a -v=',
    operands: reads,
  },
  vm_stat: { does: 'Shows memory.', syntax: getopt, options: '-c=', operands: inert },
  sw_vers: {
    does: 'Shows the version of the system.',
    syntax: wholeNames,
    options:
      '-productName -productVersion -buildVersion -productVersionExtra --productName --productVersion --buildVersion',
  },
  system_profiler: {
    does: 'Shows the machine.',
    syntax: wholeNames,
    options: '-listDataTypes -xml -json -usage -detailLevel= -timeout= -nospawn',
    operands: inert,
  },
  dmesg: {
    does: 'Shows what the kernel has noted.',
    options: `-d|--show-delta -e|--reltime -f|--facility= -H|--human -J|--json -k|--kernel -L|--color[] -l|--level=
      -N|--noescape -p|--force-prefix -P|--nopager -r|--raw -s|--buffer-size= -S|--syslog --since= --until= -T|--ctime
      -t|--notime --time-format= -u|--userspace -w|--follow -W|--follow-new -x|--decode -h|--help -V|--version`,
    roles: { '-F --file -K --kmsg-file': reads },
  },
  ulimit: {
    does: 'Shows limits of programs.',
    syntax: getopt,
    options: '-a -b -c -d -e -f -i -k -l -m -n -p -q -r -R -s -t -u -v -x -H -S -P -T',
    operands: inert,
  },
  netstat: {
    does: 'Shows connections.',
    options: `-r|--route -i|--interfaces -g|--groups -s|--statistics -M|--masquerade -v|--verbose -W|--wide -n|--numeric
      --numeric-hosts --numeric-ports --numeric-users -N|--symbolic -e|--extend -o|--timers -p|--programs|--program
      -l|--listening -a|--all -F|--fib -C|--cache -c|--continuous -Z -t|--tcp -u|--udp -U|--udplite -S|--sctp -w|--raw
      -x|--unix -4|--inet -6|--inet6 -A|--protocol= -b -d -f= -I= -L -m -q -R -h|--help -V|--version`,
    operands: inert,
  },
  findmnt: {
    does: 'Shows what is mounted.',
    options: `-A|--all -a|--ascii -b|--bytes -C|--nocanonicalize -c|--canonicalize -D|--df -d|--direction= -e|--evaluate
      -f|--first-only -i|--invert -I|--dfi -J|--json -k|--kernel -l|--list -m|--mtab -N|--task= -n|--noheadings -O|--options=
      -o|--output= --output-all -P|--pairs --pseudo --shadow --real --tree -p|--poll[] -R|--submounts -r|--raw -s|--fstab
      -t|--types= -U|--uniq -u|--notruncate -v|--nofsroot -w|--timeout= -x|--verify --verbose --vfs-all -y|--shell -h|--help
      -V|--version`,
    roles: { '-F --tab-file -M --mountpoint -S --source -T --target': reads },
    operands: reads,
  },
  tput: {
    does: 'Shows what a terminal can do.',
    syntax: getopt,
    options: '-T= -V -x',
    operands: inert,
  },
};

/** Records of programs that do nothing but show, with all their options. */
export function shows(them: Readonly<Record<string, Shown>>): readonly ProgramRecord[] {
  return Object.entries(them).map(([names, { does, syntax = gnu, ...whole }]) =>
    looker({ names: names.split(' '), does, why: 'shows or finds something', syntax, whole }),
  );
}

export const shownPrograms: readonly ProgramRecord[] = shows(shown);
