import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordOf } from '../../../shared/engine/programs/list.ts';
import { readArguments } from '../../../shared/engine/programs/read.ts';
import { judgeShownSettings } from '../../../shared/engine/programs/repository/credentials.ts';
import { judgeRepository } from '../../../shared/engine/programs/repository/judge.ts';
import type { Stage } from '../../../shared/engine/plan/types.ts';
import { nodeFiles } from '../../../shared/home/machine.ts';
import { analyserOn } from '../../support/machine.ts';
import { allow, cwd, stage, verdictOn } from '../../support/stages.ts';

let root: string;
let tree: string;
let payload: string;

const settings = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false'];

function git(directory: string, ...args: readonly string[]): void {
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  try {
    execFileSync('git', [...settings, ...args], { cwd: directory, env, stdio: 'ignore' });
  } catch {
    // Whether git ends well is not the question here: what it started is.
  }
}

function repository(path: string): void {
  mkdirSync(path, { recursive: true });
  git(path, 'init', '-q');
  writeFileSync(join(path, 'a'), 'a\n');
  git(path, 'add', 'a');
  git(path, 'commit', '-qm', 'x');
  appendFileSync(join(path, 'a'), 'b\n');
}

function set(key: string, value: string, path = tree): void {
  git(path, 'config', key, value);
}

function hook(name: string, folder = '.git/hooks'): void {
  mkdirSync(join(tree, folder), { recursive: true });
  writeFileSync(join(tree, folder, name), `#!/bin/sh\ntouch ${root}/started\n`);
  chmodSync(join(tree, folder, name), 0o755);
}

function append(text: string): void {
  appendFileSync(join(tree, '.git/config'), text);
}

function level(directory = tree, earlier: readonly Stage[] = []): string {
  return judgeRepository(directory, nodeFiles(), earlier).trust.level;
}

function inner(): void {
  const path = join(tree, 'inner');
  repository(path);
  git(tree, 'add', 'inner');
  set('core.fsmonitor', payload, path);
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'interlock-git-')));
  tree = join(root, 'tree');
  payload = join(root, 'payload');
  writeFileSync(payload, `#!/bin/sh\ntouch ${root}/started\n`);
  chmodSync(payload, 0o755);
  repository(tree);
});

afterEach(() => {
  rmSync(root, { recursive: true });
});

/** What an agent may have prepared, and the command that then starts the payload. */
const prepared: readonly (readonly [name: string, run: string, make: () => unknown])[] = [
  ['core.fsmonitor', 'status', () => set('core.fsmonitor', payload)],
  ['names in other cases', 'status', () => append(`[CORE]\nFSMonitor=${payload}\n`)],
  ['two headers on a line', 'status', () => append(`[a][core]fsmonitor=${payload}\n`)],
  [
    'a value that goes on',
    'status',
    () => append(`[core]\nfsmonitor = ${payload.slice(0, 4)}\\\n${payload.slice(4)}\n`),
  ],
  [
    'an included file',
    'status',
    () => {
      writeFileSync(join(tree, 'more'), `[core]\nfsmonitor=${payload}\n`);
      set('include.path', '../more');
    },
  ],
  [
    'settings of a worktree',
    'status',
    () => {
      set('extensions.worktreeConfig', 'true');
      git(tree, 'config', '--worktree', 'core.fsmonitor', payload);
    },
  ],
  [
    'core.hooksPath elsewhere',
    'commit -qam y',
    () => {
      hook('pre-commit', '../hooks');
      set('core.hooksPath', join(root, 'hooks'));
    },
  ],
  ['diff.external', 'diff', () => set('diff.external', payload)],
  [
    'a textconv',
    'diff',
    () => {
      writeFileSync(join(tree, '.gitattributes'), '* diff=x\n');
      set('diff.x.textconv', payload);
    },
  ],
  [
    'a filter',
    'add -A',
    () => {
      writeFileSync(join(tree, '.gitattributes'), '* filter=x\n');
      set('filter.x.clean', payload);
    },
  ],
  ['a hook of the index', 'add a', () => hook('post-index-change')],
  ['a hook of references', 'branch z', () => hook('reference-transaction')],
  [
    'an upload-pack',
    'fetch o',
    () => {
      set('remote.o.url', tree);
      set('remote.o.uploadpack', payload);
    },
  ],
  [
    'a transport',
    'fetch o',
    () => {
      set('remote.o.url', `ext::${payload}`);
      set('protocol.ext.allow', 'always');
    },
  ],
  [
    'core.sshCommand',
    'fetch o',
    () => {
      set('core.sshCommand', payload);
      set('remote.o.url', 'ssh://x/y');
    },
  ],
  ['tar.x.command', 'archive --format=x HEAD', () => set('tar.x.command', payload)],
  ['an editor', 'commit -a', () => set('core.editor', payload)],
  ['a repository inside', 'status', inner],
  [
    'one inside, index version 4',
    'status',
    () => {
      inner();
      for (const name of ['ia', 'iab', 'z']) writeFileSync(join(tree, name), name);
      git(tree, 'add', '.');
      git(tree, 'update-index', '--index-version', '4');
    },
  ],
  [
    'one inside, split index',
    'status',
    () => {
      inner();
      git(tree, 'update-index', '--split-index');
    },
  ],
  [
    'a folder that looks like one',
    'status',
    () => {
      const bare = join(tree, 'bare');
      git(tree, 'init', '-q', '--bare', 'bare');
      rmSync(join(bare, 'HEAD'));
      symlinkSync('refs/heads/master', join(bare, 'HEAD'));
      for (const [key, value] of Object.entries({
        bare: 'false',
        worktree: '.',
        fsmonitor: payload,
      }))
        git(tree, 'config', '-f', 'bare/config', `core.${key}`, value);
      return bare;
    },
  ],
  [
    'an empty .git before the real one',
    'status',
    () => {
      mkdirSync(join(tree, 'sub/.git'), { recursive: true });
      set('core.fsmonitor', payload);
      return join(tree, 'sub');
    },
  ],
  [
    'a linked working tree',
    'status',
    () => {
      git(tree, 'worktree', 'add', '-q', join(root, 'other'), '-b', 'w');
      set('core.fsmonitor', payload);
      return join(root, 'other');
    },
  ],
];

describe('a repository in which an agent writes', () => {
  it.each(prepared)('is not trusted with %s (git %s)', (_, run, make) => {
    const made = make();
    const directory = typeof made === 'string' ? made : tree;
    expect(level(directory)).toBe('pinned');
    // The attack is real: what is told apart here is what git does.
    git(directory, ...run.split(' '));
    expect(existsSync(join(root, 'started'))).toBe(true);
  });

  it.each([
    ['nothing special', () => undefined],
    ['the monitor that git brings', () => set('core.fsmonitor', 'true')],
    ['a helper that git brings', () => set('credential.helper', 'store')],
    [
      'an alias, which cannot take the place of a command',
      () => set('alias.status', `!${payload}`),
    ],
    ['settings of editors', () => set('branch.main.vscode-merge-base', 'origin/main')],
    ['hooks of the project', () => set('core.hooksPath', '.husky/_')],
    ['a hook at commits', () => hook('pre-commit')],
    ['large files', () => set('filter.lfs.process', 'git-lfs filter-process')],
    ['a remote', () => set('remote.o.url', 'git@example.org:a/b.git')],
  ])('is trusted with %s, and status starts nothing', (_, make) => {
    make();
    expect(level()).toBe('open');
    git(tree, 'status');
    expect(existsSync(join(root, 'started'))).toBe(false);
  });

  it('is not trusted where another one may have been put before it', () => {
    mkdirSync(join(tree, 'sub'));
    expect(level(join(tree, 'sub'))).toBe('open');
    expect(level(join(tree, 'sub'), [stage('cp a b')])).toBe('open');
    expect(level(join(tree, 'sub'), [stage('cp -r x/. .')])).toBe('pinned');
    expect(level(join(tree, 'sub'), [stage('tar xf a')])).toBe('pinned');
    expect(level(join(tree, 'not-there'))).toBe('open');
    expect(level(join(tree, 'not-there'), [stage('cp -r x y')])).toBe('pinned');
  });
});

describe('settings that git prints', () => {
  const shown = (...words: readonly string[]): string => {
    const record = recordOf('git');
    if (record === null) throw new Error('git has no record');
    const reading = readArguments(
      record,
      words.map((text) => ({ text, live: null })),
    );
    const at = { directory: tree, home: join(root, 'home'), files: nodeFiles() };
    return judgeShownSettings(reading, at).trust.level;
  };
  const listing = [
    'config --list',
    'config -l --show-origin',
    'config --get-regexp .',
    'config --get remote.o.url',
    'config list',
    'var -l',
    'remote -v',
    'remote get-url o',
  ].map((line) => line.split(' '));

  it.each([
    ['a login in an address', 'remote.o.url', 'https://me:CANARY@example.org/x.git'],
    ['a header with one', 'http.https://example.org/.extraheader', 'AUTHORIZATION: basic CANARY'],
    ['a token', 'hub.oauthtoken', 'CANARY'],
  ])('ask where they hold %s', (_, key, value) => {
    set(key, value);
    for (const words of listing) expect(shown(...words), words.join(' ')).toBe('pinned');
    expect(shown('config', '--get', 'user.name')).toBe('open');
    expect(execFileSync('git', ['config', '--list'], { cwd: tree, encoding: 'utf8' })).toContain(
      'CANARY',
    );
  });

  it('are no question where they hold none', () => {
    set('remote.o.url', 'https://example.org/x.git');
    for (const words of listing) expect(shown(...words), words.join(' ')).toBe('open');
  });
});

describe('a rule that writes every word out', () => {
  const nested = `${cwd}/nested`;
  const files = {
    [`${nested}/.git/HEAD`]: 'ref: refs/heads/main\n',
    [`${nested}/.git/config`]: '[core]\n\tfsmonitor = ./x\n',
    [`${nested}/.git/objects/x`]: 'x',
    [`${nested}/.git/refs/heads/main`]: 'x',
  };

  it.each([
    ['and no folder', {}],
    ['and a folder with all below it', { cwd: `${cwd}/**` }],
    ['and another folder', { cwd }],
  ])('%s does not cover a repository whose settings start a program', async (_name, more) => {
    const analyse = await analyserOn(files);
    const rules = [
      allow('git', ['status'], more),
      allow('cd', ['nested']),
      allow('pushd', ['nested']),
    ];
    for (const command of [
      'cd nested && git status',
      '(cd nested; git status)',
      'pushd nested; git status',
    ])
      expect(verdictOn(analyse(command), { rules, request: { command } }).decision).toBe('ask');
  });

  it('covers it where it names that very folder', async () => {
    const analyse = await analyserOn(files);
    const command = 'cd nested && git status';
    const rules = [allow('git', ['status'], { cwd: nested }), allow('cd', ['nested'])];
    expect(verdictOn(analyse(command), { rules, request: { command } }).decision).toBe('allow');
  });
});

it.each([
  [
    'a token in the place of a user',
    'remote -v',
    'https://ghp_0123456789abcdefghij0123@github.com/a/b',
    'pinned',
  ],
  [
    'the address that would be asked',
    'ls-remote --get-url',
    'https://a:b@github.com/a/b',
    'pinned',
  ],
  ['a user and no more', 'remote -v', 'https://somebody@github.com/a/b', 'open'],
])('git prints %s', (_name, line, url, expected) => {
  set('remote.origin.url', url);
  const record = recordOf('git');
  if (record === null) throw new Error('no record of git');
  const words = line.split(' ').map((text) => ({ text, live: null }));
  const found = judgeShownSettings(readArguments(record, words), {
    directory: tree,
    home: root,
    files: nodeFiles(),
  });
  expect(found.trust.level).toBe(expected);
});
