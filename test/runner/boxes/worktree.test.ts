import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile } from '../../../shared/base/index.ts';
import { workspaceSchema } from '../../../runner/boxes/workspace/record.ts';
import { run, withLock } from '../../../runner/boxes/workspace/run.ts';
import { prepareWorkspace } from '../../../runner/boxes/workspace/workspaces.ts';
import { git } from '../tools/support.ts';
import { down, leftOf, path, place, standIn, up, worktree } from './workspace-support.ts';
import type { Place } from './workspace-support.ts';

const commitIn = (tree: string, name: string) => {
  writeFileSync(join(tree, name), 'work\n');
  git(tree, 'add', '.');
  git(tree, 'commit', '-qm', name);
};

/** The blob of a file in the index, in hex. */
function blobOf(tree: string, name: string): string {
  return git(tree, 'ls-files', '--stage', '--', name).split(' ')[1] ?? '';
}

/** Puts another blob in the place of one: the times and sizes beside it stay. */
function replaceInIndex(file: string, from: string, to: string): void {
  const index = readFileSync(file);
  Buffer.from(to, 'hex').copy(index, index.indexOf(Buffer.from(from, 'hex')));
  const end = index.length - 20;
  createHash('sha1').update(index.subarray(0, end)).digest().copy(index, end);
  writeFileSync(file, index);
}

describe('the worktree of a box', () => {
  it('has the files of HEAD on a branch of its own, is known to Git as locked, and leaves nothing', async () => {
    const at = place();
    const record = await up(at, 'fix', worktree(at));
    expect(compile(workspaceSchema)(JSON.parse(JSON.stringify(record))).ok).toBe(true);
    expect(readFileSync(join(record.path, 'b.txt'), 'utf8')).toBe('b.txt\n');
    expect(git(record.path, 'status', '--porcelain')).toBe('');
    expect(git(record.path, 'branch', '--show-current')).toBe('interlock-fix\n');
    expect(git(at.repo, 'worktree', 'list', '--porcelain')).toContain('locked interlock box fix (');
    expect(await down(at, 'fix')).toEqual([]);
    expect(leftOf(at)).toEqual([]);
    expect(existsSync(join(at.repo, '.git/worktrees'))).toBe(false);
    expect(await down(at, 'fix')).toEqual([]);
  });

  it('is made twenty times at once in one repository, and given back at once', async () => {
    const at = place();
    const names = Array.from({ length: 20 }, (_, index) => `box${String(index)}`);
    await Promise.all(names.map((name) => up(at, name, worktree(at))));
    expect(leftOf(at)).toHaveLength(3 * names.length);
    expect(await Promise.all(names.map((name) => down(at, name)))).toEqual(names.map(() => []));
    expect(leftOf(at)).toEqual([]);
  });

  it.each([
    [
      'a changed file',
      (tree: string) => writeFileSync(join(tree, 'a.txt'), 'other\n'),
      '1 file with changes',
    ],
    [
      'a changed file of which the index says nothing',
      (tree: string) => {
        const before = blobOf(tree, 'a.txt');
        writeFileSync(join(tree, 'a.txt'), 'other\n');
        utimesSync(join(tree, 'a.txt'), 1_000, 1_000);
        git(tree, 'add', 'a.txt');
        const index = git(
          tree,
          'rev-parse',
          '--path-format=absolute',
          '--git-path',
          'index',
        ).trim();
        replaceInIndex(index, blobOf(tree, 'a.txt'), before);
      },
      '1 file with changes',
    ],
    [
      'a changed file that Git is not to look at',
      (tree: string) => {
        git(tree, 'update-index', '--assume-unchanged', 'a.txt');
        writeFileSync(join(tree, 'a.txt'), 'something else\n');
      },
      '1 file that Git was told not to look at',
    ],
    ['a new file', (tree: string) => writeFileSync(join(tree, 'new'), ''), '1 file with changes'],
    ['a deleted file', (tree: string) => rmSync(join(tree, 'a.txt')), '1 file with changes'],
    [
      'a commit on no branch',
      (tree: string) => {
        git(tree, 'checkout', '-q', '--detach');
        commitIn(tree, 'c.txt');
      },
      '1 commit that no branch has',
    ],
    [
      'a merge that is not done',
      (tree: string) => {
        git(tree, 'checkout', '-q', '--detach', 'HEAD~1');
        writeFileSync(join(tree, 'b.txt'), 'mine\n');
        git(tree, 'add', '.');
        git(tree, 'commit', '-qm', 'other b');
        expect(() => git(tree, 'merge', 'main')).toThrow();
      },
      'MERGE_HEAD',
    ],
    [
      'a history of somebody else’s in place of its own',
      (tree: string) => {
        rmSync(join(tree, '.git'));
        git(tree, 'init', '-q');
      },
      'not the one that Git made',
    ],
  ])('stays where it is with %s, and is the person’s to remove', async (_, work, why) => {
    const at = place();
    const { path: tree } = await up(at, 'fix', worktree(at));
    work(tree);
    const kept = await down(at, 'fix');
    expect(kept).toEqual([{ what: 'folder', where: tree, why: expect.stringContaining(why) }]);
    expect(git(at.repo, 'worktree', 'list', '--porcelain')).not.toContain('locked');
    await expect(up(at, 'fix', worktree(at))).rejects.toThrow('is there already');
    expect(await down(at, 'fix', { discard: true })).toEqual([]);
    expect(leftOf(at)).toEqual([]);
  });

  it('leaves a branch with commits that nothing else has, and goes on with it the next time', async () => {
    const at = place();
    const { path: tree } = await up(at, 'fix', worktree(at));
    commitIn(tree, 'c.txt');
    git(tree, 'config', 'branch.interlock-fix.remote', 'origin');
    expect(await down(at, 'fix')).toEqual([
      { what: 'branch', where: 'interlock-fix', why: 'it has 1 commit that nothing else has' },
    ]);
    expect(leftOf(at)).toEqual(['refs/heads/interlock-fix']);
    await up(at, 'fix', worktree(at));
    expect(existsSync(join(tree, 'c.txt'))).toBe(true);
    expect(await down(at, 'fix')).toHaveLength(1);
    git(at.repo, 'merge', '-q', '--ff-only', 'interlock-fix');
    await up(at, 'fix', worktree(at));
    expect(await down(at, 'fix')).toEqual([]);
    expect(leftOf(at)).toEqual([]);
    expect(readFileSync(join(at.repo, '.git/config'), 'utf8')).not.toContain('interlock');
  });

  it('keeps a branch that is to be kept, one of the person’s own, and one that is in use', async () => {
    const at = place();
    await up(at, 'fix', worktree(at));
    expect(await down(at, 'fix', { keepBranch: true })).toMatchObject([{ what: 'branch' }]);
    git(at.repo, 'branch', 'interlock-mine');
    await up(at, 'mine', worktree(at));
    expect(await down(at, 'mine')).toMatchObject([
      { why: 'Interlock cannot tell that it has made it' },
    ]);
    git(at.repo, 'checkout', '-q', 'interlock-fix');
    await expect(up(at, 'fix', worktree(at))).rejects.toThrow(`checked out in ${at.repo}`);
    expect(leftOf(at)).toEqual(['refs/heads/interlock-fix', 'refs/heads/interlock-mine']);
  });

  it('is not taken away where the person has locked it', async () => {
    const at = place();
    const { path: tree } = await up(at, 'fix', worktree(at));
    git(at.repo, 'worktree', 'unlock', tree);
    git(at.repo, 'worktree', 'lock', '--reason', 'mine', tree);
    expect(await down(at, 'fix', { discard: true })).toMatchObject([
      { why: 'somebody has locked it: mine' },
    ]);
    expect(existsSync(tree)).toBe(true);
  });

  it('begins at the HEAD of a bare repository, of a detached one and of another worktree', async () => {
    const at = place();
    const bare = join(at.folder, 'bare.git');
    git(at.folder, 'clone', '-q', '--bare', at.repo, bare);
    const { path: one } = await up(at, 'bare', { kind: 'worktree', repository: bare });
    expect(existsSync(join(one, 'b.txt'))).toBe(true);
    git(at.repo, 'checkout', '-q', '--detach', 'HEAD~1');
    const { path: two } = await up(at, 'detached', worktree(at));
    expect(existsSync(join(two, 'b.txt'))).toBe(false);
    const { path: three } = await up(at, 'nested', { kind: 'worktree', repository: two });
    expect(git(three, 'rev-parse', 'HEAD')).toBe(git(two, 'rev-parse', 'HEAD'));
    for (const name of ['nested', 'bare', 'detached']) expect(await down(at, name)).toEqual([]);
    expect(leftOf(at)).toEqual([]);
    expect(git(bare, 'branch', '--list', 'interlock-*')).toBe('');
  });

  it('says what is not in it, and what cannot be', async () => {
    const at = place();
    writeFileSync(join(at.repo, 'a.txt'), 'not committed\n');
    writeFileSync(join(at.repo, '.gitmodules'), '');
    const keep = () => undefined;
    const { notes } = await prepareWorkspace('fix', worktree(at), at.tools, keep);
    expect(notes).toEqual([
      `What is not committed in ${realpathSync(at.repo)} is not in the box's worktree.`,
      'Its submodules are not fetched: git submodule update --init in the box.',
    ]);
    const empty = join(at.folder, 'empty');
    git(at.folder, 'init', '-q', empty);
    const inEmpty = { kind: 'worktree', repository: empty } as const;
    await expect(up(at, 'empty', inEmpty)).rejects.toThrow('no commit yet');
    const nowhere = { kind: 'worktree', repository: at.tools.root } as const;
    await expect(up(at, 'none', nowhere)).rejects.toThrow('in no Git repository');
    git(at.repo, 'config', 'extensions.partialClone', 'origin');
    await expect(up(at, 'partial', worktree(at))).rejects.toThrow('extensions.partialclone');
  });

  it('is lost with nothing that lies in a submodule', async () => {
    const at = place();
    const module = join(at.folder, 'module');
    git(at.folder, 'clone', '-q', at.repo, module);
    const allow = ['-c', 'protocol.file.allow=always'] as const;
    git(at.repo, ...allow, 'submodule', '--quiet', 'add', module, 'sub');
    git(at.repo, 'commit', '-qm', 'submodule');
    const { path: tree } = await up(at, 'fix', worktree(at));
    git(tree, ...allow, 'submodule', '--quiet', 'update', '--init');
    writeFileSync(join(tree, 'sub', 'new'), '');
    const changed = 'it has in the submodule sub: 1 file with changes that are not committed';
    expect(await down(at, 'fix')).toMatchObject([{ why: changed }]);
    rmSync(join(tree, 'sub', 'new'));
    expect(await down(at, 'fix')).toEqual([]);
    expect(leftOf(at)).toEqual([]);
  });
});

describe('the housekeeping of worktrees', () => {
  it('starts nothing that a repository, its files or the person’s settings name', async () => {
    const at = place();
    const ran = join(at.folder, 'ran');
    const bad = join(at.folder, 'bad');
    writeFileSync(bad, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`, { mode: 0o755 });
    const hooks = join(at.repo, '.git/hooks');
    mkdirSync(hooks, { recursive: true });
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change'])
      symlinkSync(bad, join(hooks, hook));
    writeFileSync(join(at.repo, '.gitattributes'), '* filter=bad diff=bad\n');
    git(at.repo, '-c', `core.hooksPath=/dev/null`, 'add', '.');
    git(at.repo, '-c', `core.hooksPath=/dev/null`, 'commit', '-qm', 'attributes');
    const settings = [
      ['core.fsmonitor', bad],
      ['core.alternateRefsCommand', bad],
      ...['clean', 'smudge', 'process'].map((what) => [`filter.bad.${what}`, bad]),
      ['filter.bad.required', 'true'],
      ['diff.bad.textconv', bad],
    ];
    for (const [key = '', value = ''] of settings) {
      git(at.repo, 'config', key, value);
      git(at.repo, 'config', '--file', join(at.folder, '.gitconfig'), key, value);
    }
    const { path: tree } = await up(at, 'fix', worktree(at));
    expect(readFileSync(join(tree, 'a.txt'), 'utf8')).toBe('a.txt\n');
    writeFileSync(join(tree, 'a.txt'), 'changed\n');
    expect(await down(at, 'fix')).toHaveLength(1);
    expect(await down(at, 'fix', { discard: true })).toEqual([]);
    expect(existsSync(ran)).toBe(false);
  });

  /** A Git that stops, with all that comes after it, at one call. */
  const stopping = (at: Place, step: number, when: 'before' | 'after') => {
    const real = `PATH=${path} git "$@"`;
    const count = join(at.folder, 'count');
    return standIn(
      at,
      'git',
      `echo >> ${count}; n=$(wc -l < ${count}); [ $n -lt ${String(step)} ] && { ${real}; exit $?; }
[ $n = ${String(step)} ] && [ ${when} = after ] && ${real}; exit 137`,
    );
  };

  it.each([
    [3, 'before'],
    [5, 'before'],
    [5, 'after'],
    [6, 'before'],
    [6, 'after'],
    [8, 'before'],
    [8, 'after'],
  ] as const)(
    'leaves nothing where the making stopped at call %i of Git, %s it',
    async (step, when) => {
      const at = place();
      await up(at, 'fix', worktree(at), stopping(at, step, when)).catch(() => undefined);
      expect(await down(at, 'fix')).toEqual([]);
      expect(leftOf(at)).toEqual([]);
      expect(git(at.repo, 'status', '--porcelain')).toBe('');
    },
  );

  it.each([
    [6, 'before'],
    [6, 'after'],
    [11, 'before'],
    [11, 'after'],
  ] as const)(
    'leaves nothing where the release stopped at call %i of Git, %s it',
    async (step, when) => {
      const at = place();
      await up(at, 'fix', worktree(at));
      const tools = stopping(at, step, when);
      await down({ ...at, tools }, 'fix').catch(() => undefined);
      expect(await down(at, 'fix')).toEqual([]);
      expect(leftOf(at)).toEqual([]);
    },
  );

  it.each([1, 3, 6])('leaves nothing where Git is killed after %i ms', async (ms) => {
    const at = place();
    const killed = `exec timeout -s KILL 0.00${String(ms)} env PATH=${path} git "$@"`;
    const script = `case "$*" in *worktree*|*reset*) ${killed};; esac; PATH=${path} exec git "$@"`;
    const tools = standIn(at, 'git', script);
    await up(at, 'fix', worktree(at), tools).catch(() => undefined);
    await down({ ...at, tools }, 'fix').catch(() => undefined);
    expect(await down(at, 'fix')).toEqual([]);
    expect(leftOf(at)).toEqual([]);
    expect(git(at.repo, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['nothing', {}],
    ['an empty lock', { locked: '' }],
    ['its lock, and where it leads not yet', { gitdir: '' }],
  ])('leaves nothing where Git was killed with %s written', async (_, files) => {
    const at = place();
    const record = await up(at, 'fix', worktree(at));
    const own = join(at.repo, '.git/worktrees/fix');
    const { locked = readFileSync(join(own, 'locked'), 'utf8') } = files as { locked?: string };
    rmSync(own, { recursive: true });
    mkdirSync(own);
    for (const [name, text] of Object.entries({ ...files, ...('gitdir' in files && { locked }) }))
      writeFileSync(join(own, name), text);
    at.records.set('fix', { ...record, ready: false } as typeof record);
    expect(await down(at, 'fix')).toEqual([]);
    expect(leftOf(at)).toEqual([]);
  });

  it('waits for a Git that goes on after its runner has died', async () => {
    const at = place();
    const file = join(at.folder, 'lock');
    const [started, go] = [join(at.folder, 'started'), join(at.folder, 'go')];
    const order: string[] = [];
    const env = { PATH: path };
    const words = ['-c', `: > ${started}; until [ -e ${go} ]; do sleep 0.02; done`];
    const running: Promise<unknown>[] = [];
    await withLock(file, async (lock) => {
      running.push(
        run({ program: 'sh', words, cwd: '/', env, locks: [lock] }).then(() => order.push('end')),
      );
      await expect.poll(() => existsSync(started)).toBe(true);
      // Who is killed does not take the name of the lock away.
      linkSync(file, `${file}.kept`);
    });
    renameSync(`${file}.kept`, file);
    const next = withLock(file, async () => order.push('next'));
    writeFileSync(go, '');
    await Promise.all([next, ...running]);
    expect(order).toEqual(['end', 'next']);
  });
});
