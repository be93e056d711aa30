import {
  doubt,
  flag,
  has,
  inert,
  into,
  merge,
  optional,
  pinned,
  plainOptions,
  pins,
  reads,
  risk,
  secret,
  shell,
  writes,
  executes,
} from '../forms.ts';
import { getoptCommand, posix } from '../syntax.ts';
import type { Options, ProgramRecord } from '../types.ts';
import type { PassesOn } from '../traits.ts';
import { told } from './findings.ts';
import { carried, fixed, withRoles, wrapper } from './shapes.ts';

function privileged(record: ProgramRecord): ProgramRecord {
  const text = 'Runs a program as the administrator.';
  return {
    ...record,
    finds: (reading) =>
      has(reading, '--help', '--version', '-V') ? [] : [risk('privilege', 'high', text)],
  };
}
const simple = (
  names: string,
  why: string,
  options: string,
  more: Parameters<typeof wrapper>[3] = { why: '' },
  roles: Options = {},
): readonly ProgramRecord[] =>
  names.split(' ').map((name) =>
    wrapper([name], `Runs a command: ${name} ${why}.`, withRoles(options, roles), {
      ...more,
      why: `${name} ${why}`,
    }),
  );

/** `env -S` splits a text into words, and other options change how a program is found. */
const envOptions: Options = withRoles(
  '-i|--ignore-environment -0|--null -v|--debug --help --version --list-signal-handling',
  {
    '-u --unset': inert,
    '-C --chdir': pinned(inert, 'env changes the folder'),
    '-S --split-string -P -L -U': pinned(shell, 'env changes how a command is found, split or run'),
    '--block-signal --default-signal --ignore-signal -a --argv0': {
      ...optional(inert),
      level: 'pinned',
      why: 'env changes how a command is run',
    },
  },
);
const env: ProgramRecord = {
  names: ['env', 'genv'],
  takesCode: true,
  // Without options it only sets variables, which pass the same filter as any others.
  passesOn: { assigns: true },
  does: 'Runs a command with other variables, or prints them.',
  runs: 'commands',
  grammar: {
    syntax: posix,
    options: envOptions,
    operands: { rest: inert },
    finish: (reading) => {
      const { operands, options, doubts } = reading;
      const odd = operands.some(({ text }) => text === '-' || /^\w+=.*(?:\$\(|`)/s.test(text));
      const changed = odd || options.length > 0 || doubts.length > 0;
      const bare = operands.every(({ text, live }) => live === null && /^[A-Za-z_]\w*=/.test(text));
      // Without a command it only prints.
      if (bare && (!changed || has(reading, '-0', '--null')) && doubts.length === 0 && !odd)
        return { risks: [risk('credential-path', 'high', 'Prints all variables.')] };
      if (bare)
        return changed && !has(reading, '-0', '--null', '--help', '--version')
          ? { doubts: [doubt('env changes how a command is found, split or run', -1, 'never')] }
          : {};
      return merge([
        carried(reading, { why: 'env runs a command with other variables', assigns: true }),
        changed
          ? { doubts: [doubt('env changes how a command is found, split or run', -1, 'never')] }
          : {},
      ]);
    },
    offers: 'exact',
  },
};

const sudoOptions = withRoles(
  '-A|--askpass -b|--background -B|--bell -E -H|--set-home -K|--remove-timestamp -k|--reset-timestamp -n|--non-interactive -P|--preserve-groups -S|--stdin -l|--list -v|--validate -V|--version --help',
  {
    '--preserve-env': optional(inert),
    '-C --close-from -D --chdir -g --group -h --host -p --prompt -R --chroot -r --role -t --type -T --command-timeout -U --other-user -u --user':
      inert,
  },
);
const sudo = privileged({
  takesCode: true,
  environment: {
    SUDO_EDITOR: 'names a program that sudo starts',
    SUDO_ASKPASS: 'names a program that sudo starts',
  },
  ...wrapper(['sudo'], 'Runs a command with the rights of another user.', sudoOptions, {
    why: 'sudo runs a command with the rights of another user',
    assigns: true,
  }),
});
const doas = privileged({
  takesCode: true,
  ...wrapper(
    ['doas'],
    'Runs a command with the rights of another user.',
    plainOptions('-L -n -s -a= -C= -u='),
    { why: 'doas runs a command with the rights of another user' },
  ),
});
const pkexec = privileged(
  wrapper(
    ['pkexec', 'run0'],
    'Runs a command with the rights of another user.',
    plainOptions('--version --help --disable-internal-agent --keep-cwd --user= -u='),
    { why: 'pkexec runs a command with the rights of another user' },
  ),
);

const traced = withRoles(
  `-c|--summary-only -C|--summary -d|--debug -D|--daemonize[] -f|--follow-forks -ff -F -h|--help -i|--instruction-pointer -k|--stack-traces -n|--syscall-number -q|--quiet[] -r|--relative-timestamps[]
  -t -tt -T|--syscall-times[] -v|--no-abbrev -V|--version -w|--summary-wall-clock -x -X|--const-print-style= -y|--decode-fds[] -Y|--decode-pids= -z|--successful-only -Z|--failed-only -a|--columns= -b|--detach-on= -e=
  -I|--interruptible= -O|--summary-syscall-overhead= -p|--attach= -P|--trace-path= -s|--string-limit= -S|--summary-sort-by= -U|--summary-columns= -u|--user= --seccomp-bpf --trace= --signal= --status= --absolute-timestamps[] --tips[]`
    .replace(' -ff ', ' ')
    .replace(' -tt ', ' '),
  {
    '-o --output': { ...writes },
    '-E --env': pinned(inert, 'strace sets variables'),
    '-A --output-append-mode': flag,
  },
);

const watch: ProgramRecord = wrapper(
  ['watch'],
  'Runs a text again and again.',
  withRoles(
    '-b|--beep -c|--color -C|--no-color -d|--differences[] -e|--errexit -g|--chgexit -n|--interval= -p|--precise -q|--equexit= -r|--no-rerun -t|--no-title -w|--no-wrap -x|--exec -h|--help -v|--version',
    {},
  ),
  { why: 'watch runs a text again and again', text: true },
);

const crontab: ProgramRecord = {
  names: ['crontab', 'fcrontab', 'incrontab'],
  does: 'Lists or installs commands that run later.',
  grammar: {
    syntax: getoptCommand,
    options: {
      '-l': flag,
      '-u': inert,
      '-e -r -i -s -d': pins('crontab installs commands that run later'),
      '-c -n': inert,
    },
    operands: { rest: reads },
    finish: (one) => {
      const listing =
        one.operands.length === 0 &&
        one.options.every(({ name }) => name === '-l') &&
        one.options.length > 0;
      return listing
        ? {}
        : {
            doubts: [doubt('crontab installs commands that run later')],
            risks: [risk('persistence', 'high', 'Changes what runs again and again.')],
          };
    },
    offers: 'exact',
  },
};

const later = fixed('never', 'runs its input later, when nobody looks', 'at batch', {
  finds: told('persistence', 'Has something run later.', /^-[A-Za-z]*[lcdr]/),
});

/** Root, then a command; without one, a shell. */
const chroot = wrapper(
  ['chroot'],
  'Runs a command in another root.',
  plainOptions('--groups= --userspec= --skip-chdir --help --version -u= -g= -G= -n'),
  { why: 'chroot runs a command in another root', skip: 1 },
);

const timeout = simple(
  'timeout gtimeout',
  'runs a command and ends it after a time',
  '-f|--foreground -p|--preserve-status -v|--verbose -k|--kill-after= -s|--signal= --help --version',
  { why: '', skip: 1 },
);
const nice = wrapper(
  ['nice', 'gnice'],
  'Runs a command with another priority.',
  plainOptions('-n|--adjustment= --help --version -0 -1 -2 -3 -4 -5 -6 -7 -8 -9'),
  { why: 'nice runs a command with another priority', mayBeBare: true },
);
/** The buffers change through the system's own library. */
const stdbuf = simple(
  'stdbuf gstdbuf',
  'runs a command with other buffers',
  '-i|--input= -o|--output= -e|--error= --help --version',
);
const time = wrapper(
  ['time', 'gtime'],
  'Runs a command and prints how long it took.',
  withRoles(
    '-p|--portability -v|--verbose -q|--quiet -a|--append -f|--format= -V|--version --help -l -h',
    { '-o --output': writes },
  ),
  { why: 'time runs a command and prints how long it took' },
);

/** Run the command as it stands; by the first name only, which is the system's own. */
function seenThrough(
  [first, ...others]: readonly ProgramRecord[],
  passesOn: PassesOn,
): readonly ProgramRecord[] {
  return first === undefined ? others : [{ ...first, passesOn }, ...others];
}

export const wrapperPrograms: readonly ProgramRecord[] = [
  env,
  sudo,
  doas,
  pkexec,
  watch,
  crontab,
  chroot,
  ...later,
  ...fixed('never', 'starts a shell of another user', 'su runuser', {
    takesCode: true,
    finds: told('privilege', 'Runs a program as another user.'),
  }),
  ...fixed('never', 'starts a shell of another group', 'sg newgrp'),
  ...fixed('never', 'starts a shell', 'login'),
  ...fixed('never', 'starts a shell with other rights', 'capsh'),
  ...seenThrough(timeout, {
    flags: 'vfp',
    valued: 'ks',
    long: {
      'kill-after': 'value',
      signal: 'value',
      verbose: 'none',
      foreground: 'none',
      'preserve-status': 'none',
    },
    operands: 1,
  }),
  ...seenThrough([nice], { flags: '0123456789', valued: 'n', long: { adjustment: 'value' } }),
  ...seenThrough(
    simple('nohup gnohup', 'runs a command that a hang-up does not end', '--help --version'),
    {},
  ),
  ...seenThrough(stdbuf, {
    valued: 'ioe',
    long: { input: 'value', output: 'value', error: 'value' },
  }),
  ...seenThrough([time], { flags: 'pv', long: { portability: 'none', verbose: 'none' } }),
  ...simple(
    'setsid',
    'takes a command out of the reach of a lockout',
    '-c|--ctty -f|--fork -w|--wait -h|--help -V|--version',
  ),
  ...fixed('never', 'is out of the reach of a lockout', 'daemonize start-stop-daemon'),
  wrapper(
    ['flock'],
    'Runs a command while it holds a file.',
    withRoles(
      '-s|--shared -x|--exclusive -u|--unlock -n|--nonblock|--nb -w|--wait|--timeout= -E|--conflict-exit-code= -o|--close -F|--no-fork --verbose -h|--help -V|--version -e',
      { '-c --command': shell },
    ),
    { why: 'flock runs a command or a text while it holds a file', skip: 1 },
  ),
  ...fixed('never', 'starts a shell and writes down what it shows', 'script'),
  ...fixed('never', 'runs programs from a script', 'expect', { takesCode: true }),
  ...fixed('never', 'builds commands from its input', 'parallel'),
  ...fixed('never', 'runs a command in the background', 'sem'),
  wrapper(['entr'], 'Runs a command at each change.', plainOptions('-a -c -d -n -p -r -s -x -z'), {
    why: 'entr runs a command at each change',
  }),
  wrapper(['unbuffer'], 'Runs a command.', plainOptions('-p'), { why: 'unbuffer runs a command' }),
  wrapper(['strace'], 'Runs a command and shows what it asks of the system.', traced, {
    why: 'strace runs a command',
  }),
  wrapper(
    ['ionice'],
    'Runs a command.',
    plainOptions(
      '-c|--class= -n|--classdata= -p|--pid= -P|--pgid= -t|--ignore -u|--uid= -h|--help -V|--version',
    ),
    { why: 'ionice runs a command' },
  ),
  wrapper(
    ['taskset'],
    'Runs a command.',
    plainOptions('-a|--all-tasks -p|--pid -c|--cpu-list -h|--help -V|--version'),
    { why: 'taskset runs a command', skip: 1 },
  ),
  ...simple(
    'linux64 linux32 dbus-run-session eatmydata',
    'runs a command',
    '--help --version -h -V',
  ),
  wrapper(['caffeinate'], 'Runs a command.', plainOptions('-d -i -m -s -u -t= -w='), {
    why: 'caffeinate runs a command',
    mayBeBare: true,
  }),
  wrapper(['sandbox-exec'], 'Runs a command.', withRoles('-n= -p= -D=', { '-f': reads }), {
    why: 'sandbox-exec runs a command',
  }),
  wrapper(
    ['fakeroot'],
    'Runs a command.',
    withRoles('-u|--unknown-is-real -h|--help -v|--version -b|--fd-base=', {
      '-l --lib --faked': executes('fakeroot loads a library', inert),
      '-s -i': into,
    }),
    { why: 'fakeroot runs a command' },
  ),
  wrapper(
    ['xvfb-run'],
    'Runs a command.',
    withRoles(
      '-a|--auto-servernum -l|--listen-tcp -h|--help -n|--server-num= -p|--xauth-protocol= -s|--server-args=',
      { '-e --error-file -f --auth-file': writes },
    ),
    { why: 'xvfb-run runs a command' },
  ),
  wrapper(
    ['sshpass'],
    'Runs a command with a password.',
    withRoles('-e -V -v -h -P= -d=', { '-p': secret, '-f': reads }),
    { why: 'sshpass runs a command' },
  ),
  wrapper(
    ['dotenv'],
    'Runs a command with other variables.',
    withRoles('-o -p= -c= -v=', { '-e -f': reads }),
    { why: 'dotenv runs a command with other variables' },
  ),
  wrapper(
    ['unshare'],
    'Runs a command in other name spaces.',
    withRoles(
      '-r|--map-root-user -m|--mount[] -n|--net[] -p|--pid[] -u|--uts[] -U|--user[] -i|--ipc[] -f|--fork -C|--cgroup[] -T|--time[] -S|--setuid= -G|--setgid= -R|--root= -w|--wd= -h|--help -V|--version -c',
      {},
    ),
    { why: 'unshare runs a command in other namespaces' },
  ),
  ...fixed(
    'pinned',
    'runs a command',
    `perf valgrind numactl prlimit setarch arch proot dbus-launch ssh-agent torsocks proxychains proxychains4 rlwrap c8 nyc`,
  ),
  ...fixed('pinned', 'runs a command', 'ltrace chrt bwrap firejail', { runs: 'commands' }),
  ...fixed('pinned', 'runs a command in other namespaces or with other rights', 'setpriv'),
  ...fixed('pinned', 'runs a command in other namespaces or with other rights', 'nsenter', {
    runs: 'commands',
    finds: told('privilege', 'Enters another part of the system.'),
  }),
  ...fixed('pinned', 'runs commands on another machine', 'mosh autossh sshfs'),
  ...fixed('pinned', 'runs commands on another machine', 'vagrant', {
    heeds: () => ['Vagrantfile'],
  }),
  ...fixed('pinned', 'starts containers and commands that its settings name', 'devcontainer', {
    heeds: () => ['.devcontainer/devcontainer.json', '.devcontainer.json'],
  }),
  ...fixed('pinned', 'runs commands on another machine', 'ssh-copy-id', {
    finds: told('persistence', 'Lets a key into another machine.'),
  }),
  ...fixed('pinned', 'runs commands on another machine', 'ansible', {
    elsewhere: true,
    environment: { 'ANSIBLE_*': 'holds settings of ansible, which can name programs' },
  }),
  ...fixed('pinned', 'runs a command at each change', 'watchexec nodemon'),
  ...fixed('pinned', 'runs texts', 'hyperfine concurrently npm-run-all'),
  ...fixed(
    'pinned',
    'runs a command with other variables or secrets',
    'direnv aws-vault chamber cross-env',
  ),
  ...fixed('pinned', 'starts a service that outlives a lockout', 'systemd-run'),
  ...fixed('pinned', 'runs commands in containers', 'systemd-nspawn machinectl buildah'),
];
