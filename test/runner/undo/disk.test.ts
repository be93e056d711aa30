import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { settings, workbench } from './support.ts';

const mayMount = spawnSync('unshare', ['-m', 'true']).status === 0 && process.geteuid?.() === 0;

function mounted(path: string, options: string): { readonly remount: (how: string) => void } {
  const run = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync(args[0] ?? '', args.slice(1), { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  run('mount', '-t', 'tmpfs', '-o', options, 'tmpfs', path);
  onTestFinished(() => run('umount', path));
  return { remount: (how) => run('mount', '-o', `remount,${how}`, path) };
}

describe.runIf(mayMount)('with a disk of its own', () => {
  it('says that it is full before a command, and keeps again once there is room', () => {
    const { folder, workspace, open, write } = workbench();
    const directory = join(folder, 'small');
    mkdirSync(directory);
    const { remount } = mounted(directory, 'size=300k');
    const keeper = open({ directory });
    for (let at = 0; at < 40; at += 1) write(`f${at}`, String(at).padEnd(20_000, 'x'));
    const begin = (id: string) => keeper.before({ id, workspace, agent: 'main', command: id });
    expect(begin('one')).toEqual({ ok: false, why: 'the disk is full' });
    remount('size=20m');
    expect(begin('two')).toEqual({ ok: true });
    write('f1', 'other');
    keeper.after('two', false);
    expect(keeper.takeBack('two', { newId: 'back', paths: null, dryRun: false })?.results).toEqual([
      { path: 'f1', result: 'taken-back' },
    ]);
    expect(readFileSync(join(workspace, 'f1'), 'utf8')).toMatch(/^1x/);
    keeper.close();
  });

  it('does not take back what cannot be written, loses nothing, and does it later', () => {
    const { workspace, run, write, undo } = workbench();
    const { remount } = mounted(workspace, 'size=10m');
    write('a', 'one');
    const id = run(() => write('a', 'two'));
    remount('ro');
    expect(undo(id).results).toEqual({ a: 'failed' });
    expect(readFileSync(join(workspace, 'a'), 'utf8')).toBe('two');
    remount('rw');
    expect(undo(id).results).toEqual({ a: 'taken-back' });
    expect(readFileSync(join(workspace, 'a'), 'utf8')).toBe('one');
  });
});

describe('taking back', () => {
  it('goes on where an earlier one was killed in the middle', () => {
    const { workspace, run, write, open, undo } = workbench();
    for (const name of ['a', 'b', 'c']) write(name, 'one');
    const id = run(() => {
      for (const name of ['a', 'b', 'c']) write(name, 'two');
    });
    // It had come to the first file, and to the one that it makes beside the second.
    write('a', 'one');
    write('.interlock-0123456789abcdef01', 'on');
    const next = open();
    expect(undo(id, null, next).results).toEqual({
      a: 'already',
      b: 'taken-back',
      c: 'taken-back',
    });
    for (const name of ['a', 'b', 'c'])
      expect(readFileSync(join(workspace, name), 'utf8')).toBe('one');
    next.close();
  });

  it('brings a renamed folder back with all in it, also one that was renamed twice', () => {
    const { workspace, run, write, undo } = workbench();
    const at = (path: string) => join(workspace, path);
    write('src/deep/a', 'a');
    write('src/b', 'b');
    const first = run(() => renameSync(at('src'), at('lib')));
    const second = run(() => {
      renameSync(at('lib'), at('src'));
      renameSync(at('src/deep'), at('other'));
    });
    expect(new Set(Object.values(undo(second).results))).toEqual(new Set(['taken-back']));
    expect(readFileSync(at('lib/deep/a'), 'utf8')).toBe('a');
    expect(new Set(Object.values(undo(first).results))).toEqual(new Set(['taken-back']));
    expect(readFileSync(at('src/deep/a'), 'utf8')).toBe('a');
    expect([existsSync(at('lib')), existsSync(at('other'))]).toEqual([false, false]);
  });

  it('names a file of a gigabyte that it has not kept, without reading it', () => {
    const { workspace, run, undo, changesOf, keeper } = workbench();
    const large = join(workspace, 'large');
    writeFileSync(large, 'x');
    truncateSync(large, 1 << 30);
    run(() => undefined);
    const id = run(() => chmodSync(large, 0o600));
    const gone = run(() => rmSync(large));
    expect([changesOf(id), changesOf(gone)]).toEqual([['ff large'], ['f- large']]);
    expect(undo(gone).results).toEqual({ large: 'not-kept' });
    expect(keeper.bytes()).toBeLessThan(settings.fileBytes);
  });
});
