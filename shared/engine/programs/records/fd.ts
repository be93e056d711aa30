import { inert, path, pinned, pins, reads, readsTree } from '../forms.ts';
import { clap, gnu } from '../syntax.ts';
import type { ProgramRecord } from '../types.ts';
import { guesses, fixed, plainly, withRoles } from './shapes.ts';

const runs = 'fd runs a command for each file';

const fd: ProgramRecord = {
  names: ['fd', 'fdfind'],
  onlyNames: true,
  runs: 'commands',
  does: 'Finds files below folders.',
  grammar: {
    syntax: clap,
    options: withRoles(
      `-H|--hidden --no-hidden -I|--no-ignore --ignore --no-ignore-vcs --ignore-vcs --no-ignore-parent --no-global-ignore-file --no-require-git -u|--unrestricted -s|--case-sensitive -i|--ignore-case
      -g|--glob --regex -F|--fixed-strings --literal --and= -a|--absolute-path --relative-path -l|--list-details -L|--follow --no-follow -p|--full-path -0|--print0 -d|--max-depth|--maxdepth= --min-depth= --exact-depth=
      -E|--exclude= --prune -t|--type= -e|--extension= -S|--size= --changed-within|--newer|--change-newer-than= --changed-before|--older|--change-older-than= -o|--owner= --format= --batch-size= -c|--color= -j|--threads=
      --max-buffer-time= --max-results= -1 -q|--quiet|--has-results --show-errors --path-separator= --strip-cwd-prefix[] --one-file-system|--mount|--xdev --gen-completions[] -h|--help -V|--version --hyperlink[]`,
      {
        '-x --exec -X --exec-batch': pins(runs),
        '--ignore-file': reads,
        '--base-directory -C': readsTree,
        '--search-path': readsTree,
      },
    ),
    operands: { first: [inert], rest: readsTree },
    finish: ({ options, operands }) => {
      const started = options.find(({ name }) => /^(?:-x|-X|--exec|--exec-batch)$/.test(name));
      const inner = operands
        .filter(({ word }) => started !== undefined && word > started.word)
        .map(({ text, live }) => ({ text, live }));
      return started === undefined
        ? { effects: operands.length < 2 ? [path('reads', '.', -1, { tree: true })] : [] }
        : {
            effects: [
              path('reads', '.', -1, { tree: true }),
              ...guesses(inner, runs)
                .slice(0, 1)
                .map((one) => ({ ...one, some: true as const })),
            ],
          };
    },
    offers: ({ options }) =>
      options.some(({ use }) => use.level !== undefined) ? 'exact' : 'reads',
  },
};

const changesJournal = 'journalctl deletes or moves what was noted';
const journalctl: ProgramRecord = {
  names: ['journalctl'],
  does: 'Shows what the system has noted.',
  environment: {
    SYSTEMD_PAGER: 'names a program that journalctl starts',
    PAGER: 'names a program that journalctl starts',
    SYSTEMD_LESS: 'holds options of less, which can run commands',
  },
  grammar: {
    syntax: gnu,
    numeric: /^-\d+$/,
    options: withRoles(
      `--system --user -m|--merge --namespace= -S|--since= -U|--until= -c|--cursor= --after-cursor= --show-cursor
      -b|--boot[] -u|--unit= --user-unit= -t|--identifier= -T|--exclude-identifier= -p|--priority= --facility=
      -g|--grep= --case-sensitive[] -k|--dmesg -o|--output= --output-fields= -n|--lines[] -r|--reverse --utc
      -x|--catalog --no-hostname --no-full -a|--all -f|--follow --no-tail --truncate-newline -q|--quiet
      -N|--fields -F|--field= --list-boots --list-invocations --list-namespaces --disk-usage --header
      --list-catalog --dump-catalog -e|--pager-end --no-pager -l|--full -h|--help --version --new-id128
      -I --invocation= --verify --interval= --force`,
      {
        '-D --directory -i --file --root --image --image-policy -M --machine --cursor-file --verify-key':
          pinned(inert, 'journalctl is led to other journals or files'),
        '--vacuum-size --vacuum-files --vacuum-time --synchronize-on-exit': pinned(
          inert,
          changesJournal,
        ),
        '--rotate --flush --sync --relinquish-var --smart-relinquish-var --setup-keys --update-catalog':
          pins(changesJournal),
      },
    ),
    operands: { rest: inert },
    offers: 'exact',
  },
};

export const fdPrograms: readonly ProgramRecord[] = [
  fd,
  journalctl,
  ...plainly(
    'Shows what the system has noted.',
    'timedatectl hostnamectl fuser pv tailspin',
    {
      use: 'reads',
      pins: /^(?:-[A-Za-z]*[cCDnkK]$|--(?:clear|read-clear|vacuum|rotate|flush|sync|setup-keys|console|kill|root|image|host|machine|signal|cursor-file)|set-|-H|-M|-SIG)/,
    },
    'exact',
  ),
  ...fixed('pinned', 'runs what its settings say', 'tox', {
    heeds: () => ['tox.ini', 'pyproject.toml', 'setup.cfg'],
  }),
  ...fixed('pinned', 'runs what its settings say', 'nox', { heeds: () => ['noxfile.py'] }),
  ...fixed('pinned', 'changes the names of files', 'rename.ul'),
];
