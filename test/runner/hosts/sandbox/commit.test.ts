import { existsSync, lstatSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { as, begun, historyBox, person } from './git-support.ts';
import { inside, isRoot, whyNot } from './support.ts';

const { git } = person();
const box = historyBox;

describe.skipIf(whyNot !== null)('Git in a sandbox', () => {
  test('a commit in a plain repository is there outside, and nothing is left to commit', async () => {
    const { workspace, host } = box();
    begun(workspace);
    const { stdout, stderr, exitCode } = await inside(
      host,
      `${as} echo two > b && git add b && git commit -q -m second && git log --format=%s`,
      workspace,
    );
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: 'second\nfirst\n',
      stderr: '',
      exitCode: 0,
    });
    expect(git(workspace, 'log', '--format=%s')).toBe('second\nfirst');
    expect(git(workspace, 'status', '--porcelain')).toBe('');
    expect(git(workspace, 'fsck', '--strict')).toBe('');
  });

  test('a commit in a linked worktree is there outside, in both work trees', async () => {
    const { folder, host } = box();
    const [main, linked] = [join(folder, 'main'), join(folder, 'linked')];
    begun(main);
    git(main, 'worktree', 'add', '-q', '-b', 'topic', linked);
    const { stderr } = await inside(
      host,
      `${as} echo two > b && git add b && git commit -q -m second`,
      linked,
    );
    expect(stderr).toBe('');
    expect(git(linked, 'log', '--format=%s')).toBe('second\nfirst');
    expect(git(main, 'log', '--format=%s', 'topic')).toBe('second\nfirst');
    for (const tree of [main, linked]) expect(git(tree, 'status', '--porcelain')).toBe('');
  });

  test.each([
    ['what is only added', 'echo x > b; git add b', 'status --porcelain', 'A  b'],
    ['what is taken out', 'git rm -q a', 'status --porcelain', 'D  a'],
    ['a new branch', 'git branch topic', 'branch --format=%(refname:short)', 'main\ntopic'],
    ['a switch', 'git switch -q -c topic', 'symbolic-ref --short HEAD', 'topic'],
    ['a detached head', 'git checkout -q --detach', 'rev-parse --abbrev-ref HEAD', 'HEAD'],
    ['a renamed branch', 'git branch -m other', 'branch --format=%(refname:short)', 'other'],
    ['a tag', 'git tag -a v1 -m one && git tag v2', 'tag', 'v1\nv2'],
    [
      'two stashes',
      'echo 2 > a; git stash -q -m s1; echo 3 > a; git stash -q -m s2',
      'stash list --format=%gs',
      'On main: s2\nOn main: s1',
    ],
    [
      'a merge',
      'git switch -q -c t && git commit -q --allow-empty -m t && git switch -q main && git commit -q --allow-empty -m m && git merge -q --no-edit t',
      'log --format=%s -1',
      "Merge branch 't'",
    ],
    [
      'a rebase',
      'git switch -q -c t && echo t > t && git add t && git commit -q -m t && git switch -q main && echo m > m && git add m && git commit -q -m m && git switch -q t && git rebase -q main',
      'log --format=%s',
      't\nm\nfirst',
    ],
    ['an amended commit', 'git commit -q --amend -m other', 'log --format=%s', 'other'],
    [
      'a file of many bytes, packed',
      'head -c 3000000 /dev/urandom > big && git add big && git commit -q -m big && git gc -q --prune=now',
      'log --format=%s',
      'big\nfirst',
    ],
    [
      'branches after all refs were packed',
      'git branch x && git pack-refs --all && git commit -q --allow-empty -m two',
      'for-each-ref --format=%(refname:short)=%(subject)',
      'main=two\nx=first',
    ],
  ])('%s is there outside', async (_, text, question, answer) => {
    const { workspace, host } = box();
    begun(workspace);
    const { stderr, exitCode } = await inside(host, `${as} ${text}`, workspace);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(git(workspace, ...question.split(' '))).toBe(answer);
    expect(git(workspace, 'fsck', '--strict', '--no-dangling')).toBe('');
    // And the next command sees what the person sees.
    const again = await inside(
      host,
      `git ${question.replaceAll(/(?=[()])/g, '\\')}; git status --porcelain`,
      workspace,
    );
    const state = git(workspace, 'status', '--porcelain');
    expect(again.stdout.trim()).toBe([answer, state].filter((one) => one !== '').join('\n'));
  });

  test('a commit of a thousand files goes over as a pack', async () => {
    const { workspace, host } = box();
    begun(workspace);
    const { stderr } = await inside(
      host,
      `${as} mkdir d && for i in $(seq 1000); do echo $i > d/$i; done; git add d && git commit -q -m many`,
      workspace,
    );
    expect(stderr).toBe('');
    expect(git(workspace, 'status', '--porcelain')).toBe('');
    expect(git(workspace, 'count-objects', '-v')).toContain('packs: 1');
  });

  test('what is in the middle inside stays there until it is done', async () => {
    const { workspace, host } = box();
    begun(workspace);
    const diverge =
      'git switch -q -c t; echo t > a; git commit -qam t; git switch -q main; echo m > a; git commit -qam m';
    await inside(host, `${as} ${diverge}; git merge t`, workspace);
    expect(git(workspace, 'log', '--format=%s')).toBe('m\nfirst');
    expect(existsSync(join(workspace, '.git', 'MERGE_HEAD'))).toBe(false);
    const { stderr, stdout } = await inside(
      host,
      `${as} git status | grep 'still merging'; git status | grep -c unmerged; echo both > a; git add a; git commit -q --no-edit`,
      workspace,
    );
    expect(stderr).toBe('');
    expect(stdout.trim()).not.toBe('0');
    expect(git(workspace, 'log', '--format=%s', '-1')).toBe("Merge branch 't'");
    expect(git(workspace, 'status', '--porcelain')).toBe('');
  });

  test.runIf(isRoot)('a runner of root takes over as the owner of the workspace', async () => {
    const owner = 65_534;
    const { workspace, host } = box({ owner });
    const { git: theirs } = person(owner);
    begun(workspace, owner);
    const { stderr, stdout } = await inside(
      host,
      `${as} id -u; echo two > b && git add b && git commit -q -m second`,
      workspace,
    );
    expect({ stderr, stdout }).toEqual({ stderr: '', stdout: `${owner}\n` });
    expect(theirs(workspace, 'log', '--format=%s')).toBe('second\nfirst');
    expect(theirs(workspace, 'status', '--porcelain')).toBe('');
  });

  test('a branch that somebody else has moved in the meantime stays, and what was made of it is kept', async () => {
    const { workspace, host } = box();
    begun(workspace);
    const running = inside(
      host,
      `${as} git commit -q --allow-empty -m inside; : > ready; until [ -e go ]; do sleep 0.02; done`,
      workspace,
    );
    while (!existsSync(join(workspace, 'ready'))) await new Promise((wait) => setTimeout(wait, 10));
    git(workspace, 'commit', '-q', '--allow-empty', '-m', 'outside');
    writeFileSync(join(workspace, 'go'), '');
    const { stderr } = await running;
    const [, kept = ''] = /kept as (refs\/interlock\/\S+\/heads\/main)\./.exec(stderr) ?? [];
    expect(git(workspace, 'log', '--format=%s')).toBe('outside\nfirst');
    expect(git(workspace, 'log', '--format=%s', kept)).toBe('inside\nfirst');
    const next = await inside(host, 'git log --format=%s', workspace);
    expect(next).toMatchObject({ stdout: 'outside\nfirst\n', stderr: '' });
  });

  test('a repository that is begun inside is there outside, without its settings and hooks', async () => {
    const { workspace, host } = box();
    const { stderr } = await inside(
      host,
      `${as} git init -q -b main
       echo a > a && git add a && git commit -q -m first
       git config core.fsmonitor 'touch ${workspace}/ran'; echo x > .git/hooks/pre-commit`,
      workspace,
    );
    expect(stderr).toBe('');
    expect(git(workspace, 'log', '--format=%s')).toBe('first');
    expect(git(workspace, 'status', '--porcelain')).toBe('');
    expect(readFileSync(join(workspace, '.git', 'config'), 'utf8')).not.toContain('fsmonitor');
    expect(existsSync(join(workspace, '.git', 'hooks'))).toBe(false);
    // Inside, they go on to hold.
    expect((await inside(host, 'git config core.fsmonitor', workspace)).stdout).toContain('touch');
  });

  test('a plain folder stays one', async () => {
    const { workspace, host } = box();
    await inside(host, 'echo a > a; git status; mv .git away; rm -rf .git; true', workspace);
    expect(existsSync(join(workspace, '.git'))).toBe(false);
    expect(existsSync(join(workspace, 'away'))).toBe(false);
  });

  test('what is only looked at is taken over once, and not after each look', async () => {
    const { workspace, host } = box();
    begun(workspace);
    utimesSync(join(workspace, 'a'), 1, 1);
    const status = async () => inside(host, 'git status --porcelain', workspace);
    const index = () => lstatSync(join(workspace, '.git/index'), { bigint: true }).ctimeNs;
    // Git has to look into the file, and writes into its index that it did.
    expect((await status()).stderr).toBe('');
    const after = index();
    await status();
    // Each taking over gives the index a second name, which its change time tells.
    expect(index()).toBe(after);
  });
});
