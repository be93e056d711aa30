import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createHistories } from '../../../../runner/hosts/sandbox/history/store.ts';
import { systemClock } from '../../../../shared/home/clock.ts';
import { fakeClock } from '../../../support/fake-clock.ts';
import { as, begun, historyBox, person } from './git-support.ts';
import type { SandboxChange } from '../../../../runner/hosts/sandbox/changes.ts';
import { cli } from '../../cli/support.ts';
import { run } from '../support.ts';
import { command, inside, isRoot, launcher, whyNot } from './support.ts';

const { git } = person();
const uid = process.geteuid?.() ?? -1;
const owners = isRoot ? [0, 65_534] : [uid];

/** A repository that runs a command of its own wherever Git is used in it. */
const nested = (name: string, runs: string) =>
  `git init -q ${name} && git -C ${name} commit -q --allow-empty -m x && git -C ${name} config core.fsmonitor "${runs}"`;

describe.skipIf(whyNot !== null)('histories inside of a workspace', () => {
  test.each(
    owners.flatMap(
      (owner) =>
        [
          [owner, 'a submodule in the index', `${nested('n', '$RUN')}; git add n`],
          [owner, 'a submodule in a commit', `${nested('n', '$RUN')}; git add n; git commit -qm x`],
          [owner, 'a repository far below', nested('a1/b1/c1/n', '$RUN')],
          [
            owner,
            'a file that leads to one',
            `${nested('m', '$RUN')}; mv m/.git m/data; mkdir n; echo "gitdir: ../m/data" > n/.git`,
          ],
          [
            owner,
            'a bare one',
            `mkdir n; cd n; git init -q --bare .; git config core.bare false; git config core.worktree ..; git config core.fsmonitor "$RUN"`,
          ],
        ] as const,
    ),
  )('as the user %i: %s is not obeyed outside', async (owner, _, attack) => {
    const { folder, workspace, host } = historyBox({ owner });
    const theirs = person(owner).git;
    begun(workspace, owner);
    const sign = join('/tmp', `interlock-sign-${process.pid}-${folder.slice(-6)}`);
    const { stderr } = await inside(
      host,
      `${as} export RUN='touch ${sign}'; mkdir -p a1/b1/c1; ${attack}`,
      workspace,
    );
    expect(stderr).toContain('was made in the sandbox and is called');
    theirs(workspace, 'add', '-A');
    theirs(workspace, 'status');
    for (const name of ['n', 'm', 'a1/b1/c1/n'])
      if (existsSync(join(workspace, name))) theirs(join(workspace, name), 'status');
    expect(existsSync(sign)).toBe(false);
  });

  test("a person's own ones are held, and can be committed to", async () => {
    const { workspace, host } = historyBox();
    begun(workspace);
    begun(join(workspace, 'a1', 'b1', 'c1'));
    const own = join(workspace, 'a1/b1/c1');
    const settings = readFileSync(join(own, '.git/config'), 'utf8');
    const { stderr } = await inside(
      host,
      `${as} cd a1/b1/c1; git config core.fsmonitor x; git config --unset core.fsmonitor; git commit -q --allow-empty -m two; mv .git away 2>/dev/null; cd ..; mv c1 c2 2>/dev/null; cd ../..; mv a1 a2 2>/dev/null; true`,
      workspace,
    );
    expect(stderr).toBe('');
    expect(git(own, 'log', '--format=%s')).toBe('two\nfirst');
    expect(readFileSync(join(own, '.git/config'), 'utf8')).toBe(settings);
  });
});

describe.skipIf(whyNot !== null)('taking over', () => {
  test('what a background process commits is there when it ends', async () => {
    const { workspace, host } = historyBox();
    begun(workspace);
    const first = await inside(
      host,
      `${as} git commit -q --allow-empty -m now; (until [ -e go ]; do sleep 0.05; done; git commit -q --allow-empty -m later; : > made) > /dev/null 2>&1 &`,
      workspace,
    );
    expect(first.stderr).toBe('');
    expect(git(workspace, 'log', '--format=%s')).toBe('now\nfirst');
    const other = await inside(
      host,
      `${as} git tag beside; : > go; until [ -e made ]; do sleep 0.05; done`,
      workspace,
    );
    expect(other.stderr).toBe('');
    expect(git(workspace, 'tag')).toBe('beside');
    for (
      let tries = 0;
      tries < 200 && git(workspace, 'log', '--format=%s', '-1') !== 'later';
      tries += 1
    )
      await new Promise((wait) => setTimeout(wait, 50));
    expect(git(workspace, 'log', '--format=%s')).toBe('later\nnow\nfirst');
    expect(git(workspace, 'status', '--porcelain', '-uno')).toBe('');
  });

  test.each([
    ['after', ['ended', 'closed']],
    ['before', ['closed', 'ended']],
  ] as const)('is done when a command has ended that is gone %s it is told', async (_, order) => {
    const { folder, workspace } = historyBox();
    begun(workspace);
    const directory = join(folder, 'layers');
    const histories = createHistories({ clock: systemClock, launcher, directory, uid });
    const owner = { uid, gid: process.getegid?.() ?? -1, name: 'n', home: '/' };
    const layer = histories.take('one', { common: join(workspace, '.git'), own: '' }, owner);
    const left = git(workspace, 'commit-tree', '-p', 'HEAD', '-m', 'left', 'HEAD^{tree}');
    mkdirSync(join(layer?.upper ?? '', 'refs', 'heads'), { recursive: true });
    writeFileSync(join(layer?.upper ?? '', 'refs', 'heads', 'left'), `${left}\n`);
    const told = order.map((name) => histories[name]('one'));
    await Promise.all(told.map(async (each) => each));
    expect(git(workspace, 'rev-parse', 'left')).toBe(left);
    expect(await histories.ended('one')).toEqual([]);
    await histories.settled();
  });

  test('in the middle of a merge the next command waits for the box of the one before, whose layer has it', async () => {
    const { folder, workspace } = historyBox();
    begun(workspace);
    const clock = fakeClock();
    const directory = join(folder, 'layers');
    const histories = createHistories({ clock, launcher, directory, uid });
    const owner = { uid, gid: process.getegid?.() ?? -1, name: 'n', home: '/' };
    const place = { common: join(workspace, '.git'), own: '' };
    const layer = histories.take('one', place, owner);
    writeFileSync(join(layer?.upper ?? '', 'MERGE_HEAD'), git(workspace, 'rev-parse', 'HEAD'));
    const told = histories.ended('one');
    clock.advance(200);
    await expect.poll(() => clock.pending).toBe(1);
    histories.closed('one');
    await told;
    expect(histories.take('two', place, owner)).toEqual(layer);
    histories.closed('two');
    expect(await histories.ended('two')).toEqual([]);
    await histories.settled();
  });

  test.each([
    ['', false],
    [', killed while it wrote what it keeps of it', true],
  ])(
    'what a killed runner has left is there after the next one has begun, once%s',
    async (_, isAside) => {
      const { folder, workspace, host } = historyBox();
      begun(workspace);
      const directory = join(folder, 'crashed');
      const options = { clock: systemClock, launcher, directory, uid };
      // A runner that ends here: its command has ended, and nobody looks at the layer.
      const before = createHistories(options);
      const owner = { uid, gid: process.getegid?.() ?? -1, name: 'n', home: '/' };
      const layer = before.take('one', { common: join(workspace, '.git'), own: '' }, owner);
      expect(layer).not.toBeNull();
      await inside(
        host,
        `${as} git commit -q --allow-empty -m left; cp -a .git/. copy`,
        workspace,
      ).catch(() => null);
      git(workspace, 'update-ref', 'refs/heads/kept', 'HEAD');
      const left = git(
        workspace,
        'commit-tree',
        '-p',
        'HEAD',
        '-m',
        'by the killed',
        'HEAD^{tree}',
      );
      mkdirSync(join(layer?.upper ?? '', 'refs', 'heads'), { recursive: true });
      writeFileSync(join(layer?.upper ?? '', 'refs', 'heads', 'left'), `${left}\n`);
      const slot = join(layer?.upper ?? '', '..');
      if (isAside) renameSync(join(slot, 'record.json'), join(slot, 'record-was.json'));
      for (const again of [createHistories(options), createHistories(options)]) {
        await again.recover();
        expect(git(workspace, 'rev-parse', 'left')).toBe(left);
      }
      expect(existsSync(join(layer?.upper ?? '', 'refs', 'heads'))).toBe(false);
    },
  );

  test('a folder of the layer that a command has made a link is not followed when it is emptied', async () => {
    const { folder, workspace, host } = historyBox();
    begun(workspace);
    const out = join(folder, 'out');
    for (const name of ['heads', 'tags']) mkdirSync(join(out, name), { recursive: true });
    for (const name of ['heads/x', 'HEAD']) writeFileSync(join(out, name), 'mine');
    await inside(
      host,
      `rm -rf .git/refs .git/logs; ln -s ${out} .git/refs; ln -s ${out} .git/logs; : > .git/packed-refs`,
      workspace,
    );
    await inside(host, 'git status', workspace);
    expect(readdirSync(out).toSorted()).toEqual(['HEAD', 'heads', 'tags']);
    expect(readFileSync(join(out, 'heads/x'), 'utf8')).toBe('mine');
  });

  test("a lock that the person's Git holds is waited for, and then left alone", async () => {
    const { workspace, host } = historyBox();
    begun(workspace);
    const lock = join(workspace, '.git', 'index.lock');
    const running = inside(
      host,
      `${as} echo b > b; git add b; : > ready; until [ -e go ]; do sleep 0.02; done`,
      workspace,
    );
    while (!existsSync(join(workspace, 'ready'))) await new Promise((wait) => setTimeout(wait, 10));
    writeFileSync(lock, '');
    writeFileSync(join(workspace, 'go'), '');
    expect((await running).stderr).toContain('another Git holds its lock');
    expect(existsSync(lock)).toBe(true);
    expect(git(workspace, 'ls-files')).toBe('a');
  });

  test.each([
    ['a repository with sha256', ['init', '-q', '-b', 'main', '--object-format=sha256']],
    ['an empty repository', ['init', '-q', '-b', 'main']],
  ])('works in %s', async (_, words) => {
    const { workspace, host } = historyBox();
    git(workspace, ...words);
    const { stderr } = await inside(
      host,
      `${as} echo a > a; git add a; git commit -q -m first`,
      workspace,
    );
    expect(stderr).toBe('');
    expect(git(workspace, 'log', '--format=%s')).toBe('first');
    expect(git(workspace, 'status', '--porcelain')).toBe('');
  });

  test('works in a clone that borrows objects, and in one without all commits', async () => {
    const { folder, host } = historyBox();
    const [source, borrowing, shallow] = ['source', 'borrowing', 'shallow'].map((name) =>
      join(folder, name),
    );
    if (source === undefined || borrowing === undefined || shallow === undefined) return;
    begun(source);
    git(source, 'commit', '-q', '--allow-empty', '-m', 'second');
    git(folder, 'clone', '-q', '--shared', source, borrowing);
    git(folder, 'clone', '-q', '--depth=1', `file://${source}`, shallow);
    for (const clone of [borrowing, shallow]) {
      const { stderr } = await inside(
        host,
        `${as} echo b > b; git add b; git commit -q -m third`,
        clone,
      );
      expect(stderr).toBe('');
      expect(git(clone, 'log', '--format=%s', '-2')).toBe('third\nsecond');
      expect(git(clone, 'status', '--porcelain')).toBe('');
    }
  });

  test('a bare repository is not a workspace', async () => {
    const { workspace, host } = historyBox();
    git(workspace, 'init', '-q', '--bare', '.');
    await expect(inside(host, 'true', workspace)).rejects.toMatchObject({
      refusal: { code: 'host-unavailable' },
    });
  });

  test('a .git that is a link is none, wherever it leads', async () => {
    const { workspace, folder, host } = historyBox();
    begun(join(folder, 'real'));
    symlinkSync(join(folder, 'real', '.git'), join(workspace, '.git'));
    await expect(inside(host, 'true', workspace)).rejects.toMatchObject({
      refusal: { code: 'host-unavailable' },
    });
  });
});

describe.skipIf(whyNot !== null)('what a person may ask for afterwards', () => {
  test('what acts later and was written inside is listed once, by session', async () => {
    const { folder, workspace, host } = historyBox();
    mkdirSync(join(workspace, 'lib'));
    writeFileSync(join(workspace, 'lib', 'Makefile'), 'all:\n');
    writeFileSync(join(workspace, 'package.json'), '{}');
    await new Promise((wait) => setTimeout(wait, 50));
    const at = async (session: string, text: string) =>
      run(host, { ...command(text, workspace), session }).ended;
    await at(
      'one',
      'echo x >> lib/Makefile; echo x > .envrc; echo x > plain.txt; mkdir -p node_modules/x; echo {} > node_modules/x/package.json',
    );
    // The file system's clock is coarse: what changed just before a command may be its own.
    await new Promise((wait) => setTimeout(wait, 50));
    await at('two', 'echo y >> .envrc');
    const home = join(folder, 'interlock');
    mkdirSync(join(home, 'sandbox'), { recursive: true, mode: 0o700 });
    renameSync(join(folder, 'changes.jsonl'), join(home, 'sandbox', 'changes.jsonl'));
    const listed = async (...words: readonly string[]) =>
      (
        JSON.parse(
          (await cli({ home }, 'sandbox', 'changes', '--json', ...words)).out,
        ) as SandboxChange[]
      ).map(({ path, session }) => [path.slice(workspace.length + 1), session]);
    expect(await listed()).toEqual(
      expect.arrayContaining([
        ['.envrc', 'two'],
        ['lib/Makefile', 'one'],
      ]),
    );
    expect(await listed('--session', 'two')).toEqual([['.envrc', 'two']]);
    const { out } = await cli({ home }, 'sandbox', 'changes');
    expect(out.trim().split('\n')).toHaveLength(2);
    expect(out).toContain('.envrc, which decides what runs');
  });

  test('what Git keeps inside alone is dropped by a reset', async () => {
    const { folder, workspace, host } = historyBox({ layersIn: 'interlock/sandbox/layers' });
    begun(workspace);
    await inside(host, 'git config a.b kept; git branch x', workspace);
    expect((await inside(host, 'git config a.b', workspace)).stdout).toBe('kept\n');
    const home = join(folder, 'interlock');
    const reset = async (place: string) =>
      (await cli({ home, cwd: place }, 'sandbox', 'reset')).out;
    expect(await reset(home)).toContain('Nothing was kept');
    expect(await reset(workspace)).toContain(`Dropped what was kept for ${workspace}/.git`);
    expect((await inside(host, 'git config a.b', workspace)).stdout).toBe('');
    expect(git(workspace, 'branch', '--format=%(refname:short)')).toBe('main\nx');
  });
});
