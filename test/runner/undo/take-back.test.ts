import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeBack } from '../../../runner/undo/take-back.ts';
import type { Change } from '../../../runner/undo/state.ts';
import { workbench } from './support.ts';

/** Everything in a folder, as text. */
function picture(folder: string): unknown {
  return Object.fromEntries(
    readdirSync(folder).map((name) => {
      const path = join(folder, name);
      const stat = lstatSync(path);
      const mode = (stat.mode & 0o777).toString(8);
      if (stat.isSymbolicLink()) return [name, `-> ${readlinkSync(path)}`];
      if (stat.isDirectory()) return [name, { mode, in: picture(path) }];
      return [name, `${mode} ${readFileSync(path, 'utf8')}`];
    }),
  );
}

describe('taking back', () => {
  it('puts everything back as it was, and taking that back brings the change again', () => {
    const { workspace, write, run, undo } = workbench();
    write('src/a.txt', 'one');
    write('src/run.sh', 'run');
    chmodSync(join(workspace, 'src/run.sh'), 0o755);
    write('old/x/y.txt', 'y');
    mkdirSync(join(workspace, 'empty'));
    symlinkSync('src', join(workspace, 'link'));
    chmodSync(join(workspace, 'old'), 0o750);
    const before = picture(workspace);
    const id = run(() => {
      write('src/a.txt', 'two');
      chmodSync(join(workspace, 'src/run.sh'), 0o644);
      rmSync(join(workspace, 'old'), { recursive: true });
      rmSync(join(workspace, 'empty'), { recursive: true });
      rmSync(join(workspace, 'link'));
      write('link/now/a.txt', 'a folder');
      renameSync(join(workspace, 'src/a.txt'), join(workspace, 'moved.txt'));
      write('old', 'a file now');
    });
    const after = picture(workspace);
    const first = undo(id);
    expect(new Set(Object.values(first.results))).toEqual(new Set(['taken-back']));
    expect(picture(workspace)).toEqual(before);
    undo(first.newId);
    expect(picture(workspace)).toEqual(after);
    expect(undo(first.newId).results).toMatchObject({ 'moved.txt': 'already' });
  });

  it('leaves what was changed again since, file by file', () => {
    const { workspace, write, run, undo } = workbench();
    write('a.txt', 'one');
    write('b.txt', 'one');
    const id = run(() => {
      write('a.txt', 'two');
      write('b.txt', 'two');
      write('made/x.txt', 'x');
      rmSync(join(workspace, 'nothing'), { force: true });
    });
    write('a.txt', 'three');
    write('made/mine.txt', 'mine');
    expect(undo(id).results).toEqual({
      'a.txt': 'newer',
      'b.txt': 'taken-back',
      'made/x.txt': 'taken-back',
      made: 'newer',
    });
    expect(picture(workspace)).toMatchObject({
      'a.txt': expect.stringContaining('three') as string,
      'b.txt': expect.stringContaining('one') as string,
      made: { in: { 'mine.txt': expect.stringContaining('mine') as string } },
    });
  });

  it('takes back the files that are named, and only says what it would do where asked', () => {
    const { workspace, write, run, undo, keeper } = workbench();
    write('a.txt', 'one');
    write('b.txt', 'one');
    const id = run(() => {
      write('a.txt', 'two');
      write('b.txt', 'two');
    });
    const dry = keeper.takeBack(id, { newId: 'dry', paths: null, dryRun: true });
    expect(dry?.results.map(({ result }) => result)).toEqual(['taken-back', 'taken-back']);
    expect(keeper.entry('dry')).toBeNull();
    expect(undo(id, ['b.txt']).results).toEqual({ 'b.txt': 'taken-back' });
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('two');
    expect(readFileSync(join(workspace, 'b.txt'), 'utf8')).toBe('one');
  });

  it('never writes into a file that has another name elsewhere', () => {
    const { folder, workspace, write, run, undo } = workbench();
    const outside = join(folder, 'outside.txt');
    writeFileSync(outside, 'two');
    write('a.txt', 'one');
    const id = run(() => {
      rmSync(join(workspace, 'a.txt'));
      linkSync(outside, join(workspace, 'a.txt'));
    });
    expect(undo(id).results).toEqual({ 'a.txt': 'taken-back' });
    expect(readFileSync(outside, 'utf8')).toBe('two');
    expect(readFileSync(join(workspace, 'a.txt'), 'utf8')).toBe('one');
  });
});

describe('a folder exchanged for a link to elsewhere', () => {
  const attack = () => {
    const bench = workbench();
    const { folder, workspace, write } = bench;
    const elsewhere = join(folder, 'ssh');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'id'), 'the key');
    write('keys/id', 'harmless');
    write('keys/extra', 'extra');
    return {
      ...bench,
      elsewhere,
      exchange: () => {
        renameSync(join(workspace, 'keys'), join(workspace, 'aside'));
        symlinkSync(elsewhere, join(workspace, 'keys'));
      },
    };
  };

  it('is a change like another, and what it leads to is neither kept, shown, written nor removed', () => {
    const { workspace, elsewhere, run, changesOf, undo, exchange } = attack();
    const id = run(exchange);
    expect(changesOf(id)).toContain('fl keys');
    expect(changesOf(id)).toContain('f- keys/id');
    undo(id);
    expect(readFileSync(join(elsewhere, 'id'), 'utf8')).toBe('the key');
    expect(readdirSync(elsewhere)).toEqual(['id']);
    expect(readFileSync(join(workspace, 'keys/id'), 'utf8')).toBe('harmless');
  });

  it('leads nowhere when it is put there between the look and the writing', () => {
    const { workspace, elsewhere, keeper, write, run, exchange } = attack();
    const id = run(() => {
      write('keys/id', 'changed');
      rmSync(join(workspace, 'keys/extra'));
      write('keys/added', 'added');
    });
    writeFileSync(join(elsewhere, 'added'), 'of the person');
    const changes = keeper.entry(id)?.changes as readonly Change[];
    const seen = new Map(keeper.knownIn(workspace));
    exchange();
    const { results } = takeBack(changes, {
      root: workspace,
      dryRun: false,
      known: (path) => seen.get(path) ?? null,
      content: (hash) => keeper.content(hash),
    });
    expect(Object.fromEntries(results.map(({ path, result }) => [path, result]))).toEqual({
      'keys/added': 'unsafe',
      'keys/extra': 'unsafe',
      'keys/id': 'unsafe',
    });
    expect(picture(elsewhere)).toEqual({ added: '644 of the person', id: '644 the key' });
  });

  it('leads nowhere when it is the workspace itself', () => {
    const { folder, workspace, elsewhere, keeper, write, run } = attack();
    const id = run(() => write('keys/id', 'changed'));
    renameSync(workspace, join(folder, 'gone'));
    mkdirSync(join(elsewhere, 'keys'));
    symlinkSync(elsewhere, workspace);
    expect(() => keeper.takeBack(id, { newId: 'x', paths: null, dryRun: false })).toThrow(/link/);
    expect(readdirSync(join(elsewhere, 'keys'))).toEqual([]);
  });

  it('is not read through while files are kept', () => {
    const { workspace, run, keeper, exchange, elsewhere } = attack();
    run(exchange);
    const kept = [...keeper.knownIn(workspace)].map(([path]) => path);
    expect(kept).toContain('keys');
    expect(kept).not.toContain('keys/id');
    expect(existsSync(join(elsewhere, 'id'))).toBe(true);
  });

  it('takes the place of a file, and the link goes, not the file it leads to', () => {
    const { folder, workspace, write, run, undo } = workbench();
    const outside = join(folder, 'bashrc');
    writeFileSync(outside, 'of the person');
    const mode = statSync(outside).mode;
    write('a.txt', 'one');
    const id = run(() => {
      rmSync(join(workspace, 'a.txt'));
      symlinkSync(outside, join(workspace, 'a.txt'));
      symlinkSync(outside, join(workspace, 'b.txt'));
    });
    undo(id);
    expect(readFileSync(outside, 'utf8')).toBe('of the person');
    expect(statSync(outside).mode).toBe(mode);
    expect(lstatSync(join(workspace, 'a.txt')).isFile()).toBe(true);
    expect(readdirSync(workspace)).toEqual(['a.txt']);
  });
});
