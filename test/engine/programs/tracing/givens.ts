import type { Random } from '../../../fuzz/random.ts';
import { awkPrograms, filters, find, sedScripts } from './languages.ts';
import { here, pathWord } from './values.ts';

/** Words that a program gets by its nature, before or instead of what its grammar says. */
export interface Given {
  /** The command that it is called by, after which its options stand. */
  readonly command?: readonly string[];
  /** Operands; absent where the grammar says what they are. */
  readonly operands?: (random: Random) => readonly string[];
  /** Values that this program understands, for options that are not paths. */
  readonly values?: readonly string[];
  /** Expressions instead of options: words that stand behind the operands. */
  readonly expressions?: readonly string[];
  /** Programs that it starts by itself, whatever it is told. */
  readonly helpers?: readonly string[];
  /** Folders (below the place of the line) that it may change whatever it is told. */
  readonly changes?: readonly string[];
}

const addresses = [
  'http://127.0.0.1:9/',
  `file://${here}/out/secret.txt`,
  'file:///etc/hostname',
  '127.0.0.1:9',
  'ftp://127.0.0.1/x',
  'FILE:a.txt',
  'http://127.0.0.1:9/{a,b}',
  'http://127.0.0.1:9/#1',
  'localhost',
  'telnet://127.0.0.1:9',
  'dict://127.0.0.1:9/d',
  `fi{le,le}://${here}/out/secret.txt`,
  'gopher://127.0.0.1:9/',
  '',
];

const some =
  (words: readonly string[], most = 2) =>
  (random: Random): readonly string[] =>
    Array.from({ length: random.below(most) + 1 }, () => random.pick(words));

/** A first word from a list, then so many paths. */
const led =
  (words: readonly string[]) =>
  (random: Random): readonly string[] => [
    random.pick(words),
    ...Array.from({ length: random.below(3) }, () => pathWord(random)),
  ];

const tarModes = [
  'cf',
  'czf',
  'tf',
  'xf',
  '-xf',
  '-tvf',
  '-cf',
  'xvf',
  '-rf',
  '-uf',
  '-Af',
  '--list -f',
  '--extract -f',
  '-df',
];
const packed = ['t.tar', 'new.tar', '../out/new.tar', 'dl/n.tar', 't.tar', 'd/x.tgz'];

const compressed = {
  values: ['.gz', '.x', '9', '1'],
  operands: some([
    'g.gz',
    'a.txt',
    'b.txt',
    'link',
    'd',
    '../out/old.txt',
    'dl/old.txt',
    '*.txt',
    'new',
  ]),
};
const none = () => [];
const paths = (least: number, most: number) => (random: Random) =>
  Array.from({ length: least + random.below(most - least + 1) }, () => pathWord(random));
const commits = [
  'HEAD',
  'HEAD~1',
  'main',
  'side',
  'v1',
  'HEAD:a.txt',
  'main..side',
  'nosuch',
  '--',
  'a.txt',
  'b.txt',
  'd',
  ':/one',
  '../out/secret.txt',
  '../out/new',
  `${here}/out`,
];
const git = (command: string, words: readonly string[] = commits, most = 2): Given => ({
  command: command.split(' '),
  operands: (random) => (words.length === 0 || random.chance(35) ? [] : some(words, most)(random)),
  values: [
    'HEAD',
    'main',
    'oneline',
    'short',
    '%h %s',
    '%(refname)',
    'iso',
    'a',
    'v1',
    '3',
    'author',
    'ann',
    'tar',
    'zip',
    'minimal',
    'always',
    'x=y',
    '%(trailers:key=x)',
    '%B',
    'simple',
  ],
  // Its scripts, as that of submodules, and what the tree has in the place of gpg.
  helpers: ['git', 'basename', 'sed', 'uname', 'false', 'gettext', 'envsubst'],
  changes: ['work'],
});

/** The programs, each as often as it stands here. */
export const givens: readonly (readonly [string, Given])[] = [
  ...`cat head tail wc sort cut uniq comm join paste nl od tac fold fmt expand unexpand pr ls du stat file
    readlink realpath md5sum sha256sum sha1sum cksum base64 strings cmp column rev tsort shuf tee touch mkdir rmdir
    rm cp mv ln truncate split install unlink mktemp df dircolors b2sum sum basename dirname numfmt
    cp mv ln rm sort split rmdir link`
    .split(/\s+/)
    .map((name): readonly [string, Given] => [name, {}]),
  [
    'csplit',
    {
      operands: led(['a.txt', 'b.txt', '../out/secret.txt']),
      values: ['/a/', '1', 'x', '../out/x', '%02d', '2'],
    },
  ],
  ['chmod', { operands: led(['644', 'u+x', 'a=r', '-x', '--', 'g-w']) }],
  ['tr', { operands: some(['a', 'b', 'a-z', 'A-Z', '../out/new']) }],
  ['seq', { operands: some(['1', '2', '3']) }],
  [
    'date',
    { operands: (random) => (random.chance(50) ? [] : [random.pick(['+%s', '+%F', '-u', '-I'])]) },
  ],
  ['echo', {}],
  ['printf', { operands: some(['%s\\n', 'a', '%d', '../out/new', '%(x)T']) }],
  ['uname', { operands: none }],
  ['id', { operands: none }],
  ['nproc', { operands: none }],
  ['dd', { operands: none, values: ['1', '2', 'notrunc', 'none', 'sync', 'append'] }],
  ...Array.from({ length: 3 }, (): readonly [string, Given] => [
    'sed',
    { operands: led(sedScripts), values: [...sedScripts, '.bak', '../out/*', '*x'] },
  ]),
  ['awk', { operands: led(awkPrograms), values: ['x=1', ':', ...awkPrograms] }],
  ['gawk', { operands: led(awkPrograms), values: ['x=1', ':', ...awkPrograms] }],
  [
    'mawk',
    { operands: led(awkPrograms), values: ['x=1', ':', 'usage', 'version', 'exec=a.txt', 'dump'] },
  ],
  ...['grep', 'grep', 'egrep', 'rg', 'rg'].map((name): readonly [string, Given] => [
    name,
    {
      helpers: ['grep'],
      operands: led(['a', 'x', '.', '^b', '-e', '[ab]']),
      values: ['a', '*.txt', 'read', 'skip', 'recurse', 'text', 'js', 'py', 'canary', 'path'],
    },
  ]),
  ['find', find],
  ['find', find],
  ['xargs', { operands: led(['cat', 'echo', 'canary', 'wc -l', 'head', 'rm', '']), helpers: [] }],
  ...Array.from({ length: 3 }, (): readonly [string, Given] => [
    'tar',
    {
      operands: (random) => [
        ...random.pick(tarModes).split(' '),
        random.pick(packed),
        ...paths(0, 2)(random),
      ],
      values: [
        's/a/b/',
        's,^,../out/,',
        'a.txt',
        'd',
        'gnu',
        'posix',
        'gzip',
        'canary',
        '1',
        'name',
        'exec=canary',
        'dot',
      ],
      helpers: ['sh', 'gzip', 'bzip2', 'xz', 'zstd', 'lzop', 'rm'],
    },
  ]),
  ['diff', { operands: paths(2, 2), values: ['3', '%L', '-', 'a', '*.txt', 'always'] }],
  ['diff', { operands: paths(2, 2) }],
  [
    'patch',
    {
      operands: some(['a.txt', 'b.txt', '../out/old.txt', 'p.diff']),
      values: ['0', '1', 'p.diff', '.orig', 'x', 'simple', 'merge'],
    },
  ],
  ['jq', { operands: led(filters), values: ['x', '1', 'a', '{}', 'c.json', 'd', '../out'] }],
  ['jq', { operands: led(filters) }],
  [
    'curl',
    {
      operands: some(addresses, 1),
      values: [
        'x',
        '1',
        'GET',
        'a=b',
        '@a.txt',
        '@../out/secret.txt',
        'a=@../out/secret.txt',
        '127.0.0.1:9',
        '%{http_code}',
        '%output{../out/new}x',
        '1-2',
        'x:y',
      ],
    },
  ],
  [
    'curl',
    {
      operands: some(addresses, 1),
      values: [
        'x',
        '1',
        'f=<../out/secret.txt',
        '<../out/secret.txt',
        'name@../out/secret.txt',
        '@names',
        'http',
        '=http,file',
        'n=v',
      ],
    },
  ],
  [
    'make',
    {
      operands: (random) => ['-n', ...some(['all', 'clean', 'X=1', 'SHELL=canary'], 1)(random)],
      values: ['all', 'd', '2', 'X=$(shell canary)'],
      // Behind `--` the -n is a goal, and the recipes of the project run.
      helpers: ['echo', 'rm'],
      changes: ['work/a.txt'],
    },
  ],
  [
    'zip',
    {
      operands: led(['new.zip', 't.zip', '../out/new.zip', 'dl/n', '-']),
      values: ['*.txt', 'a.txt', '1', 'canary', '2020-01-01', 'x'],
      helpers: [],
    },
  ],
  [
    'unzip',
    { operands: led(['t.zip', '-l', '-p', '-o', '-t']), values: ['d', '../out', 'a.txt', 'x'] },
  ],
  ...'gzip gunzip zcat bzip2 xz zstd'
    .split(' ')
    .map((name): readonly [string, Given] => [
      name,
      { ...compressed, helpers: ['gzip', 'sh', 'dash'] },
    ]),
  ['tree', {}],
  ['less', {}],
  ['hexdump', {}],
  ['xxd', {}],
  ['openssl', { command: ['dgst'] }],
  ['rsync', { operands: paths(2, 3), helpers: ['rsync'] }],
  ['python3', { operands: some(['--version', '-V', '-VV', 'x.py', '-h']) }],
  ['env', { operands: some(['X=1', 'cat', 'wc', 'a.txt']) }],
  ...[
    git('status', ['d', 'a.txt']),
    git('log'),
    git('log'),
    git('diff'),
    git('diff'),
    git('show'),
    git('branch', ['x', 'side', 'main', 'HEAD', 'x*']),
    git('add', ['a.txt', 'd', '.', '../out/old.txt', 'link', 'names']),
    git('commit', ['a.txt', 'b.txt']),
    git('tag', ['t', 'v1', 'HEAD']),
    git('stash', ['list', 'show', 'push', 'drop']),
    git('stash list'),
    git('stash show'),
    git('checkout'),
    git('switch', ['side', 'x', 'main']),
    git('restore', ['a.txt', 'b.txt', 'd', '../out']),
    git('reset'),
    git('merge', ['side', 'HEAD~1']),
    git('rev-parse'),
    git('ls-files', ['d', 'a.txt', '../out']),
    git('grep', ['a', 'x', 'HEAD', 'b.txt', '../out']),
    git('grep', ['b', 'd']),
    git('blame', ['a.txt', 'HEAD', 'b.txt']),
    git('describe'),
    git('shortlog'),
    git('reflog', ['show', 'HEAD']),
    git('config', ['user.name', 'x.y', 'core.pager', 'canary', 'core.fsmonitor', 'alias.x']),
    git('remote', ['add', 'o', '../out', '-v', 'show']),
    git('archive', ['HEAD', 'd', 'a.txt'], 2),
    git('archive', ['HEAD'], 1),
    git('rm', ['a.txt', 'd', 'b.txt', '../out/old.txt']),
    git('mv', ['a.txt', 'd', 'new', '../out/new'], 2),
    git('clean', ['d', '.', '../out', 'names']),
    git('apply', ['p.diff', '../out/secret.txt']),
    git('format-patch', ['HEAD~1', '-1']),
    git('cat-file', ['HEAD', 'a.txt', 'blob', 'HEAD:a.txt']),
    git('ls-tree', ['HEAD', 'd']),
    git('for-each-ref', ['refs/heads', 'refs/tags']),
    git('merge-base', ['main', 'side']),
    git('cherry', ['main', 'side']),
    git('show-ref'),
    git('rev-list'),
    git('diff-tree'),
    git('diff-index', ['HEAD', 'a.txt']),
    git('diff-files', ['a.txt']),
    git('hash-object', ['a.txt', '../out/secret.txt']),
    git('bundle', ['create', 'x', '../out/new', 'HEAD', 'verify']),
    git('count-objects', []),
    git('fsck', []),
    git('check-ignore', ['a.txt']),
    git('name-rev', ['HEAD']),
    git('range-diff', ['HEAD~1', 'HEAD', 'side']),
    git('worktree', ['add', 'list', '../out/new', 'wt']),
    git('notes', ['add', 'show', 'list']),
    git('init', ['x', '../out/new']),
    git('clone', ['.', 'x', '../out/new', `${here}/work`]),
    git('fetch', ['.', '../out', 'ext::canary', `${here}/work`, 'main']),
    git('push', ['.', '../out', 'main', 'HEAD:x']),
    git('ls-remote', ['.', 'ext::canary', '--', '../out']),
    git('cherry-pick', ['side', 'HEAD']),
    git('rebase', ['side', 'HEAD~1']),
    git('revert', ['HEAD']),
    git('am', ['p.diff']),
    git('version', []),
    git('var', ['GIT_EDITOR']),
  ].map((one): readonly [string, Given] => ['git', one]),
];
