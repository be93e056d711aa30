import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../fuzz/random.ts';
import { changeTree } from '../../support/tree-changes.ts';
import { settings, workbench } from './support.ts';

describe('what a command changed', () => {
  it('is written down by path: added, changed and removed, folders and links too', () => {
    const { workspace, write, run, changesOf } = workbench();
    write('kept.txt', 'kept');
    write('src/a.txt', 'one');
    write('src/gone.txt', 'gone');
    symlinkSync('a.txt', join(workspace, 'src/link'));
    const id = run(() => {
      write('src/a.txt', 'two');
      write('new/deep/b.txt', 'b');
      mkdirSync(join(workspace, 'empty'));
      rmSync(join(workspace, 'src/gone.txt'));
      rmSync(join(workspace, 'src/link'));
      symlinkSync('b.txt', join(workspace, 'src/link'));
    });
    const expected = [
      '-f new/deep/b.txt',
      '-f new',
      '-f new/deep',
      '-f empty',
      'f- src/gone.txt',
      'ff src/a.txt',
      'll src/link',
    ];
    expect(changesOf(id)).toEqual(expected.toSorted());
  });

  it('is found where size and time of a file were made to look the same', () => {
    const { workspace, write, run, changesOf } = workbench();
    write('a.txt', 'one');
    const path = join(workspace, 'a.txt');
    utimesSync(path, 1_000, 1_000);
    const id = run(() => {
      writeFileSync(path, 'two');
      utimesSync(path, 1_000, 1_000);
    });
    expect(changesOf(id)).toEqual(['ff a.txt']);
  });

  it('is found where it was done by another name in a folder that is not kept', () => {
    const { workspace, write, run, changesOf } = workbench();
    write('a.txt', 'one');
    mkdirSync(join(workspace, 'node_modules'));
    const id = run(() => {
      const other = join(workspace, 'node_modules/x');
      linkSync(join(workspace, 'a.txt'), other);
      writeFileSync(other, 'two');
      rmSync(other);
    });
    expect(changesOf(id)).toEqual(['ff a.txt']);
  });

  it('does not hold what a person did between two commands', () => {
    const { workspace, write, run, changesOf, undo } = workbench();
    write('a.txt', 'one');
    write('sub/b.txt', 'one');
    run(() => undefined);
    write('a.txt', 'by a person');
    write('sub/deep/c.txt', 'by a person');
    renameSync(join(workspace, 'sub'), join(workspace, 'moved'));
    const id = run(() => appendFileSync(join(workspace, 'moved/deep/c.txt'), ', then a command'));
    expect(changesOf(id)).toEqual(['ff moved/deep/c.txt']);
    undo(id);
    expect(readFileSync(join(workspace, 'moved/deep/c.txt'), 'utf8')).toBe('by a person');
  });

  it('is told of both where two ran at once, and of the other one by name', () => {
    const { workspace, write, keeper } = workbench();
    write('a.txt', 'one');
    const begin = (id: string) => keeper.before({ id, workspace, agent: 'main', command: id });
    expect([begin('first'), begin('second')]).toEqual([{ ok: true }, { ok: true }]);
    write('a.txt', 'two');
    keeper.after('first', false);
    write('b.txt', 'of the second alone');
    keeper.after('second', false);
    expect(keeper.entry('first')?.changes).toMatchObject([{ path: 'a.txt', with: ['second'] }]);
    expect(keeper.entry('second')?.changes).toMatchObject([
      { path: 'a.txt', with: ['first'] },
      { path: 'b.txt' },
    ]);
    expect(keeper.entry('second')?.changes[1]).not.toHaveProperty('with');
  });

  it('grows with what it left running, until that ends', () => {
    const { workspace, write, keeper, run, changesOf } = workbench();
    keeper.before({ id: 'server', workspace, agent: 'main', command: 'server &' });
    write('log.txt', 'started');
    keeper.after('server', true);
    write('log.txt', 'more');
    const other = run(() => undefined);
    expect(changesOf(other)).toEqual([]);
    write('late.txt', 'late');
    keeper.after('server', false);
    expect(changesOf('server')).toEqual(['-f late.txt', '-f log.txt']);
  });

  it('is kept of a command that was cut off by the end of the runner', () => {
    const { workspace, directory, write, keeper, open, changesOf, undo } = workbench();
    write('a.txt', 'one');
    keeper.before({ id: 'cut', workspace, agent: 'main', command: 'cut' });
    write('a.txt', 'two');
    // Half a line, as a crash in the middle of a write leaves it.
    const [tree] = spawnSync('ls', [join(directory, 'trees')], { encoding: 'utf8' }).stdout.split(
      '\n',
    );
    appendFileSync(join(directory, 'trees', tree ?? ''), '["a.txt",{"kind":"fi');
    const again = open();
    expect(changesOf('cut', again)).toEqual(['ff a.txt']);
    expect(again.entry('cut')).toMatchObject({ isCutOff: true });
    expect(undo('cut', null, again).results).toEqual({ 'a.txt': 'taken-back' });
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('one');
    again.close();
  });
});

describe('what is kept', () => {
  it('is what Git tracks or does not ignore, and what was kept before stays', async () => {
    const { workspace, write, run, changesOf } = workbench();
    const git = (...words: string[]) => spawnSync('git', ['-C', workspace, ...words]);
    git('init', '-q');
    write('.gitignore', '*.log\n/out/\n!keep.log\n');
    write('sub/.gitignore', 'local\n');
    write('tracked.log', 'one');
    git('add', '-f', 'tracked.log', '.gitignore');
    write('a.txt', 'one');
    const id = run(() => {
      for (const path of ['x.log', 'keep.log', 'out/y', 'sub/local', 'sub/out/z', '.git/evil'])
        write(path, 'new');
      write('tracked.log', 'two');
      write('.gitignore', '*\n');
      write('a.txt', 'two');
    });
    // By the new rules nothing new is seen; what was known is.
    expect(changesOf(id)).toEqual(['ff .gitignore', 'ff a.txt', 'ff tracked.log']);
    write('.gitignore', '*.log\n/out/\n!keep.log\n');
    // By more than the times of files move at once.
    const age = (): number => Date.now() - statSync(join(workspace, '.gitignore')).ctimeMs;
    await expect.poll(age).toBeGreaterThan(50);
    const next = run(() => {
      write('.gitignore', '*.tmp\n');
      write('b.txt', 'b');
    });
    // What was there and left out before is nobody's change.
    expect(changesOf(next)).toEqual(['-f b.txt', 'ff .gitignore']);
  });

  it('is all but derived folders where there is no Git', () => {
    const { write, run, changesOf } = workbench();
    const id = run(() => {
      write('node_modules/x/index.js', 'x');
      write('target/debug/a', 'a');
      write('src/build.rs', 'x');
    });
    expect(changesOf(id)).toEqual(['-f src', '-f src/build.rs']);
  });

  it('has names that are no UTF-8', () => {
    const { workspace, run, changesOf, undo } = workbench();
    const name = Buffer.concat([Buffer.from(`${workspace}/`), Buffer.from([0x66, 0xff, 0x80])]);
    writeFileSync(name, 'one');
    const id = run(() => writeFileSync(name, 'two'));
    expect(changesOf(id)).toEqual(['ff f\u00ff\u0080']);
    expect(undo(id, ['f\\xff\\x80']).results).toEqual({ 'f\u00ff\u0080': 'taken-back' });
    expect(readFileSync(name, 'utf8')).toBe('one');
  });

  it('names what is too large, or no file, and does not lose it', () => {
    const { workspace, write, run, changesOf, undo } = workbench();
    write('large.bin', Buffer.alloc(settings.fileBytes + 1));
    spawnSync('mkfifo', [join(workspace, 'pipe')]);
    const id = run(() => {
      write('large.bin', Buffer.alloc(settings.fileBytes + 1, 1));
      rmSync(join(workspace, 'pipe'));
    });
    expect(changesOf(id)).toEqual(['ff large.bin', 'o- pipe']);
    expect(undo(id).results).toEqual({ 'large.bin': 'not-kept', pipe: 'not-kept' });
    expect(readFileSync(join(workspace, 'large.bin'))[0]).toBe(1);
  });

  it('is refused beyond the bounds, and can be kept once it fits', () => {
    const { workspace, write, open } = workbench();
    let files = 3;
    let maxBytes = 1 << 20;
    const keeper = open({ settings: () => ({ ...settings, files, maxBytes }) });
    for (const name of ['a', 'b', 'c', 'd']) write(name, name.repeat(1_000));
    const before = (id: string) => keeper.before({ id, workspace, agent: 'main', command: id });
    expect(before('one')).toEqual({
      ok: false,
      why: expect.stringContaining('undo.files') as string,
    });
    expect(keeper.check(workspace)).toMatchObject({ ok: false });
    // What was never looked at is looked at: a command must not be the first to find out.
    const another = open({
      settings: () => ({ ...settings, files: 3 }),
      directory: join(workspace, '../second'),
    });
    expect(another.check(workspace)).toMatchObject({ ok: false });
    another.close();
    files = 100;
    maxBytes = 1_500;
    expect(before('two')).toEqual({
      ok: false,
      why: expect.stringContaining('undo.maxBytes') as string,
    });
    maxBytes = 1 << 20;
    expect(before('three')).toEqual({ ok: true });
    write('a', 'changed');
    keeper.after('three', false);
    expect(keeper.entry('three')?.changes).toHaveLength(1);
    keeper.close();
  });

  it('goes when it is old, and the oldest first where room is needed', () => {
    let now = Date.now();
    let maxBytes = 1 << 30;
    const { workspace, write, run, keeper } = workbench({
      now: () => now,
      settings: () => ({ ...settings, maxBytes, fileBytes: 4 << 20 }),
    });
    write('a', 'one');
    const first = run(() => write('a', 'two'));
    now += settings.keepMs + 4_000_000;
    const second = run(() => write('big', Buffer.alloc(2 << 20, 1)));
    expect(keeper.entries().map(({ id }) => id)).toEqual([second]);
    expect(keeper.entry(first)).toBeNull();
    const third = run(() => write('big', Buffer.alloc(2 << 20, 2)));
    maxBytes = 5 << 20;
    const fourth = run(() => write('big', Buffer.alloc(2 << 20, 3)));
    const fifth = run(() => write('big', Buffer.alloc(2 << 20, 4)));
    const ids = keeper.entries().map(({ id }) => id);
    expect(ids).not.toContain(second);
    expect(ids).not.toContain(third);
    expect([fourth, fifth]).toContain(ids.at(-1));
    expect(existsSync(workspace)).toBe(true);
  });

  it('is not given out where it was damaged on the disk', () => {
    const { workspace, directory, write, keeper, run, open, undo } = workbench();
    write('a.txt', 'one');
    const id = run(() => write('a.txt', 'two'));
    keeper.close();
    const store = join(directory, 'store/segments');
    const [segment] = spawnSync('ls', [store], { encoding: 'utf8' })
      .stdout.split('\n')
      .filter((name) => name.endsWith('.seg'));
    const path = join(store, segment ?? '');
    const { size } = statSync(path);
    writeFileSync(path, Buffer.alloc(size, 'x'));
    const again = open();
    expect(undo(id, null, again).results).toEqual({ 'a.txt': 'damaged' });
    again.close();
    truncateSync(path, 0);
    const third = open();
    expect(undo(id, null, third).results).toEqual({ 'a.txt': 'damaged' });
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('two');
    third.close();
  });

  it('is looked at only where something was told of, before and after a command', () => {
    const { write, run, keeper, workspace, changesOf } = workbench();
    for (let at = 0; at < 50; at += 1) write(`src/${at % 5}/${at}.txt`, String(at));
    run(() => undefined);
    run(() => undefined);
    const looks = keeper.looks();
    const id = run(() => {
      write('src/1/1.txt', 'other');
      writeFileSync(join(workspace, 'src/2/.temporary'), 'new');
      renameSync(join(workspace, 'src/2/.temporary'), join(workspace, 'src/2/2.txt'));
      renameSync(join(workspace, 'src/3'), join(workspace, 'src/moved'));
    });
    expect(keeper.looks().whole - looks.whole).toBe(0);
    expect(keeper.looks().told - looks.told).toBe(2);
    const moved = Array.from({ length: 10 }, (_, at) => `${at * 5 + 3}.txt`);
    expect(changesOf(id)).toEqual(
      [
        'ff src/1/1.txt',
        'ff src/2/2.txt',
        'f- src/3',
        ...moved.flatMap((name) => [`f- src/3/${name}`, `-f src/moved/${name}`]),
        '-f src/moved',
      ].toSorted(),
    );
  });

  it('is looked at as a whole where a name came and went, by which another file may be changed', () => {
    const { write, run, keeper, workspace, changesOf } = workbench();
    const at = (path: string) => join(workspace, path);
    write('.gitignore', 'ignored/\n');
    write('src/a.txt', 'one');
    write('ignored/x', 'x');
    const ways: readonly (() => void)[] = [
      // A second name, in a folder that is not kept, in one that is new, moved over, moved away.
      () => {
        linkSync(at('src/a.txt'), at('ignored/b'));
        appendFileSync(at('ignored/b'), '1');
        rmSync(at('ignored/b'));
      },
      () => {
        mkdirSync(at('ignored/new'));
        linkSync(at('src/a.txt'), at('ignored/new/b'));
        appendFileSync(at('ignored/new/b'), '2');
        rmSync(at('ignored/new'), { recursive: true });
      },
      () => {
        linkSync(at('src/a.txt'), at('ignored/b'));
        appendFileSync(at('ignored/b'), '3');
        writeFileSync(at('ignored/c'), 'c');
        renameSync(at('ignored/c'), at('ignored/b'));
      },
      () => {
        linkSync(at('src/a.txt'), at('ignored/d'));
        appendFileSync(at('ignored/d'), '4');
      },
      () => appendFileSync(at('ignored/d'), '5'),
    ];
    run(() => undefined);
    for (const [index, way] of ways.entries())
      expect(changesOf(run(way)), String(index)).toContain('ff src/a.txt');
    expect(keeper.looks().told).toBeGreaterThan(0);
  });

  it.each([1, 2, 3])('is the same looked at bit by bit and as a whole (seed %i)', (seed) => {
    const { folder, workspace, write, keeper, open, told } = workbench();
    const whole = open({ directory: join(folder, 'whole') });
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    for (let at = 0; at < 30; at += 1) write(`d${at % 4}/e/${at}`, String(at));
    const pick = seeded(seed).below;
    for (let round = 0; round < 40; round += 1) {
      const beginning = { id: `round-${round}`, workspace, agent: 'main', command: 'x' };
      // The last one's changes may look as late as they are fresh.
      changeTree(workspace, outside, pick);
      if (!keeper.before(beginning, told()).ok || !whole.before(beginning).ok) break;
      for (let left = pick(6); left >= 0; left -= 1) changeTree(workspace, outside, pick);
      keeper.after(beginning.id, false, told());
      whole.after(beginning.id, false);
      const changes = (at: typeof keeper) =>
        (at.entry(beginning.id)?.changes ?? []).toSorted((a, b) => (a.path < b.path ? -1 : 1));
      expect(changes(keeper), `round ${round}`).toEqual(changes(whole));
    }
    expect(keeper.looks().told).toBeGreaterThan(keeper.looks().whole);
    whole.close();
  });

  it('counts what the kernel tells late of as the last command, by the time of its writing', () => {
    let now = Date.now();
    const { write, keeper, workspace, told, changesOf } = workbench({ now: () => now });
    const begin = (id: string, where = told()) =>
      keeper.before({ id, workspace, agent: 'main', command: id }, where);
    const changedAt = (path: string) => statSync(join(workspace, path)).ctimeMs;
    write('a.txt', 'one');
    write('b.txt', 'one');
    begin('late');
    write('a.txt', 'two');
    now = Math.ceil(changedAt('a.txt'));
    keeper.after('late', false, { folders: [], mayHide: false });
    while (changedAt('b.txt') <= now) write('b.txt', 'by a person');
    begin('next');
    keeper.after('next', false, told());
    expect(changesOf('late')).toEqual(['ff a.txt']);
    expect(changesOf('next')).toEqual([]);
  });
});
