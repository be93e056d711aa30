import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { jjWords } from '../../../runner/boxes/workspace/jj.ts';
import { removeTree } from '../../../runner/boxes/workspace/run.ts';
import { strayWorkspaces } from '../../../runner/boxes/workspace/workspaces.ts';
import { git } from '../tools/support.ts';
import { down, place, standIn, up } from './workspace-support.ts';
import type { Place } from './workspace-support.ts';

describe('a folder as the workspace of a box', () => {
  it('is used as it is, and left as it is', async () => {
    const at = place();
    const link = join(at.folder, 'link');
    symlinkSync(at.repo, link);
    expect(await up(at, 'fix', { kind: 'directory', path: link })).toEqual({
      kind: 'directory',
      path: at.repo,
    });
    expect(await down(at, 'fix', { discard: true })).toEqual([]);
    expect(existsSync(join(at.repo, 'a.txt'))).toBe(true);
  });

  it.each([
    ['that is not there', (at: Place) => join(at.folder, 'none'), 'it is not there'],
    ['that is a file', (at: Place) => join(at.repo, 'a.txt'), 'it is not a folder'],
    ['of the system', () => '/etc', 'it belongs to the system'],
    ['that holds the home folder', (at: Place) => at.folder, 'it holds your home folder'],
    ['of Interlock', (at: Place) => join(at.repo, '.interlock'), 'it belongs to Interlock'],
    ['around one of Interlock', (at: Place) => at.repo, 'it belongs to Interlock'],
  ])('is refused for one %s', async (_, pathOf, why) => {
    const at = place();
    const interlockHome = join(at.repo, '.interlock');
    mkdirSync(interlockHome);
    const source = { kind: 'directory', path: pathOf(at) } as const;
    await expect(up(at, 'fix', source, { ...at.tools, interlockHome })).rejects.toThrow(why);
    expect(at.records.size).toBe(0);
  });
});

describe('the folder of a workspace that is removed', () => {
  it('takes nothing along that a link leads to, also where one comes into it meanwhile', async () => {
    const { folder } = place();
    const [tree, victim] = [join(folder, 'tree/a'), join(folder, 'victim')];
    const names = Array.from({ length: 200 }, (_, at) => String(at));
    for (const each of [tree, victim])
      for (const name of names) {
        mkdirSync(join(each, name), { recursive: true });
        writeFileSync(join(each, name, 'work'), '');
      }
    // Whoever is at work in it may keep it there.
    const removed = removeTree(join(folder, 'tree')).catch(() => undefined);
    while (readdirSync(tree).length === names.length) await nextTurn();
    renameSync(tree, join(folder, 'away'));
    symlinkSync(victim, tree);
    await removed;
    for (const name of names) expect(existsSync(join(victim, name, 'work'))).toBe(true);
  });

  it('goes also where its folders are shut', async () => {
    const { folder } = place();
    const tree = join(folder, 'tree');
    mkdirSync(join(tree, 'a/b'), { recursive: true });
    writeFileSync(join(tree, 'a/b/é\n'), '');
    symlinkSync('/', join(tree, 'a/root'));
    chmodSync(join(tree, 'a/b'), 0);
    chmodSync(join(tree, 'a'), 0);
    await removeTree(tree);
    await removeTree(tree);
    expect(existsSync(tree)).toBe(false);
  });
});

describe('a clone as the workspace of a box', () => {
  it('shares no file with the repository, has no hooks of anybody, and goes when nothing is in it', async () => {
    const at = place();
    const { path } = await up(at, 'fix', { kind: 'clone', from: at.repo });
    expect(git(path, 'log', '--format=%s')).toBe('b.txt\na.txt\n');
    expect(git(path, 'status', '--porcelain')).toBe('');
    expect(existsSync(join(path, '.git/hooks'))).toBe(false);
    const one = git(path, 'rev-parse', 'HEAD').trim();
    expect(existsSync(join(path, '.git/objects', one.slice(0, 2), one.slice(2)))).toBe(false);
    expect(await down(at, 'fix')).toEqual([]);
    expect(strayWorkspaces(at.tools.root, new Set())).toEqual([]);
  });

  it('stays with what its origin has not, until that was fetched there', async () => {
    const at = place();
    const { path } = await up(at, 'fix', { kind: 'clone', from: at.repo });
    writeFileSync(join(path, 'c.txt'), 'work\n');
    git(path, 'add', '.');
    expect(await down(at, 'fix')).toMatchObject([
      { where: path, why: expect.stringContaining('1 file') },
    ]);
    git(path, 'commit', '-qm', 'work');
    expect(await down(at, 'fix')).toMatchObject([
      { why: 'it has 1 commit that no server that it came from has' },
    ]);
    expect(strayWorkspaces(at.tools.root, new Set())).toEqual([path]);
    git(at.repo, 'fetch', '-q', path, 'main:taken');
    expect(await down(at, 'fix')).toEqual([]);
    expect(existsSync(path)).toBe(false);
  });

  it('runs nothing of what was written into it when it is looked at', async () => {
    const at = place();
    const { path } = await up(at, 'fix', { kind: 'clone', from: at.repo });
    const ran = join(at.folder, 'ran');
    const bad = join(at.folder, 'bad');
    writeFileSync(bad, `#!/bin/sh\n: > ${ran}\n`, { mode: 0o755 });
    writeFileSync(join(path, '.gitattributes'), '* filter=bad\n');
    writeFileSync(join(at.folder, 'included'), `[filter "bad"]\n\tclean = ${bad}\n`);
    for (const [key = '', value = ''] of [
      ['core.fsmonitor', bad],
      ['filter.bad.clean', bad],
      ['include.path', join(at.folder, 'included')],
      ['extensions.worktreeConfig', 'true'],
      ['core.worktree', at.repo],
    ])
      git(path, 'config', key, value);
    writeFileSync(join(path, '.git/config.worktree'), `[core]\n\tfsmonitor = ${bad}\n`);
    writeFileSync(join(path, 'a.txt'), 'other\n');
    expect(await down(at, 'fix')).toHaveLength(1);
    expect(existsSync(ran)).toBe(false);
  });

  it.each([
    'https://user:secret@example.com/repo.git',
    'https://token@example.com/repo.git',
    'ext::sh -c whoami',
    'http://example.com/repo.git',
    'file:///etc',
    'ssh://-oProxyCommand=x/y',
    '-u@host:x',
    'repo',
    '',
  ])('is refused from %j', async (from) => {
    const at = place();
    const failed = up(at, 'fix', { kind: 'clone', from });
    await expect(failed).rejects.toThrow(/address/u);
    await expect(failed).rejects.not.toThrow('secret');
  });

  it('is taken back where it fails', async () => {
    const at = place();
    const tools = standIn(at, 'git', 'echo "fatal: no such host" >&2; exit 128');
    const source = { kind: 'clone', from: 'https://example.invalid/a.git' } as const;
    await expect(up(at, 'fix', source, tools)).rejects.toThrow('fatal: no such host');
    expect(strayWorkspaces(at.tools.root, new Set())).toEqual([]);
  });
});

/** Keeps a list of workspaces in a file, and writes down how it was called. */
const fakeJj = (folder: string) => `
all="$*"; list=${folder}/list; echo "$all" >> ${folder}/calls
case "$all" in
  *'workspace list'*) cat $list ;;
  *'workspace add'*) while [ "$1" != --name ]; do shift; done; name=$2; path=$4
    mkdir -p $path/.jj; printf %s ${folder}/repo/.jj/repo > $path/.jj/repo; echo "$name: abc" >> $list ;;
  *status) [ ! -e ${folder}/large ] || echo 'Warning: Refused to snapshot some files:' >&2 ;;
  *'workspace forget'*) : > $list ;;
esac`;

describe('a workspace of jj (with a program that stands in for it)', () => {
  const withJj = () => {
    const at = place();
    mkdirSync(join(at.repo, '.jj/repo'), { recursive: true });
    writeFileSync(join(at.folder, 'list'), 'default: abc\n');
    const tools = standIn(at, 'jj', fakeJj(at.folder));
    return { ...at, tools, source: { kind: 'jj', repository: at.repo } as const };
  };

  it('is added and forgotten with its files taken into a commit first', async () => {
    const at = withJj();
    const { path } = await up(at, 'fix', at.source);
    expect(await down(at, 'fix')).toEqual([]);
    expect(existsSync(path)).toBe(false);
    const calls = readFileSync(join(at.folder, 'calls'), 'utf8').trim().split('\n');
    const what = calls.map((line) => /(?:workspace \w+|status)/u.exec(line)?.[0]);
    expect(what).toEqual([
      'workspace list',
      'workspace add',
      'status',
      'workspace list',
      'workspace forget',
    ]);
  });

  it('stays where jj did not take all files, or its link was changed', async () => {
    const at = withJj();
    const { path } = await up(at, 'fix', at.source);
    writeFileSync(join(at.folder, 'large'), '');
    expect(await down(at, 'fix')).toMatchObject([{ why: 'jj did not take all of its files' }]);
    writeFileSync(join(path, '.jj/repo'), '/elsewhere');
    expect(await down(at, 'fix')).toMatchObject([{ why: 'its .jj is not the one that jj made' }]);
    expect(await down(at, 'fix', { discard: true })).toEqual([]);
  });

  it('is refused where jj is not installed, there is no repository, or the name is taken', async () => {
    const at = withJj();
    const none = { ...at.tools, path: join(at.folder, 'none') };
    await expect(up(at, 'fix', at.source, none)).rejects.toThrow('jj is not installed');
    const outside = { kind: 'jj', repository: '/usr' } as const;
    await expect(up(at, 'fix', outside)).rejects.toThrow('in no repository of jj');
    writeFileSync(join(at.folder, 'list'), 'interlock-fix: abc\n');
    await expect(up(at, 'fix', at.source)).rejects.toThrow('has a workspace interlock-fix');
  });

  it('is asked for by words that start no program of a repository', () => {
    const always =
      '--repository /r --no-pager --color=never --config=core.fsmonitor="none" --config=fsmonitor.backend="none" --config=signing.behavior="drop"';
    const words = (call: Parameters<typeof jjWords>[0]) => jjWords(call).join(' ');
    expect(words({ what: 'add', folder: '/r', name: 'n', path: '/p' })).toBe(
      `${always} workspace add --name n -- /p`,
    );
    expect(words({ what: 'snapshot', folder: '/r' })).toBe(`${always} status`);
    expect(words({ what: 'forget', folder: '/r', name: 'n' })).toBe(
      `${always} --ignore-working-copy workspace forget -- n`,
    );
  });
});
