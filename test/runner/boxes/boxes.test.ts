import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namedBoxes } from '../../../runner/boxes/boxes.ts';
import { boxExit } from '../../../runner/boxes/errors.ts';
import { begin, stepsOf } from '../../../runner/boxes/lifecycle.ts';
import type { Journal, Operation } from '../../../runner/boxes/lifecycle.ts';
import type { BoxRecord } from '../../../runner/boxes/record.ts';
import { prepareSweep } from '../../../runner/lockout/sweep.ts';
import { refuse } from '../../../shared/base/index.ts';
import { allProcesses } from '../../../shared/operations/index.ts';
import { packageRoot } from '../../../runner/version.ts';
import { compile } from '../hosts/sandbox/support.ts';
import { canBox, home, inBox, lives } from './support.ts';

const up = { name: 'one', templateName: 'isolated' };

describe.runIf(canBox)('a named box', () => {
  it('runs commands in one root, and is found again by who never made it', async () => {
    const { boxes, options, workspace, keys } = home();
    const state = await boxes.up({ ...up, workspace });
    expect(state).toMatchObject({ state: 'running', network: 'none', agent: 'box-one' });
    expect(state.windows?.map(({ name }) => name)).toEqual(['shell']);
    expect([...keys]).toEqual(['box-one']);
    await inBox(boxes, 'one', 'touch', '/tmp/here');
    const another = namedBoxes(options);
    expect(await inBox(another, 'one', 'ls', '/tmp/here')).toEqual({ code: 0, text: '/tmp/here' });
    expect(await inBox(another, 'one', 'sh', '-c', 'hostname; exit 7')).toEqual({
      code: 7,
      text: 'one',
    });
    // Nothing of Interlock's own is there, the keeper's socket least of all.
    expect((await inBox(boxes, 'one', 'ls', options.paths.home)).code).toBe(2);
  });

  it('is not ended by what claims to be outside', async () => {
    const { boxes, workspace } = home();
    const fixture = join(packageRoot(), 'test/fixtures/sandbox/forged-signal.c');
    compile(join(workspace, 'forge'), [fixture], ['-static', '-w']);
    await boxes.up({ ...up, workspace });
    const forged = await inBox(boxes, 'one', join(workspace, 'forge'));
    expect(forged).toEqual({ code: 0, text: expect.stringMatching(/^sent [1-9]\d*$/u) as string });
    expect(await inBox(boxes, 'one', 'echo', 'on')).toEqual({ code: 0, text: 'on' });
  });

  it('keeps what Git did in it, and leaves nothing behind', async () => {
    const { boxes, records, paths, workspace, keys } = home();
    execFileSync('git', ['init', '-q', workspace]);
    writeFileSync(join(workspace, 'a'), 'a');
    await boxes.up({ ...up, workspace });
    const pid = records.read('one')?.keeper?.pid ?? 0;
    const git = 'git -c user.name=a -c user.email=a@b';
    expect(
      (await inBox(boxes, 'one', 'sh', '-c', `git add a && ${git} commit -qm inside`)).code,
    ).toBe(0);
    // Whoever makes a history in a folder decides what Git runs there.
    mkdirSync(join(workspace, 'sub'));
    expect((await inBox(boxes, 'one', 'git', 'init', '-q', 'sub')).code).toBe(0);
    expect(await boxes.down('one')).toEqual([expect.stringContaining('sub/.git')]);
    expect(readdirSync(join(workspace, 'sub'))).toEqual(['.git.sandbox']);
    const log = execFileSync('git', ['-C', workspace, 'log', '--format=%s'], { encoding: 'utf8' });
    expect(log.trim()).toBe('inside');
    expect(lives(pid)).toBe(false);
    expect(readdirSync(paths.boxesDirectory)).toEqual(['.changed']);
    expect(readdirSync(join(paths.sandboxLayers, 'boxes'))).toEqual([]);
    expect([...keys]).toEqual([]);
  });

  it('begins its windows in its folder, whatever tmux reads in the name of that', async () => {
    const { boxes, workspace } = home();
    const odd = join(workspace, '#{pid} #(id);');
    mkdirSync(odd);
    await boxes.up({ ...up, workspace: odd });
    const tmux = ['tmux', '-L', 'interlock', 'list-panes', '-s', '-F', '#{pane_start_path}'];
    expect(await inBox(boxes, 'one', ...tmux)).toEqual({ code: 0, text: odd });
    await boxes.down('one');
  });

  it('that cannot be started takes back what was made, and says so', async () => {
    const { boxes, options, records, runtime, workspace, keys } = home();
    const failing = namedBoxes({
      ...options,
      runtime: { ...runtime, exec: () => null },
    });
    const error = await failing.up({ ...up, workspace }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ exitCode: boxExit.failed });
    expect(String(error)).toContain(
      'Taken back: tmux and its windows, the box, a key for its agent, its workspace.',
    );
    expect(records.names()).toEqual([]);
    expect(runtime.runs('one', null)).toBe(false);
    expect([...keys]).toEqual([]);
    await expect(boxes.state('one')).rejects.toMatchObject({ exitCode: boxExit.noBox });
  });

  it('is not made where what was allowed to an earlier one of its name cannot be ended', async () => {
    const { boxes, options, records, workspace, keys } = home();
    const ended: string[] = [];
    const failing = namedBoxes({
      ...options,
      fresh: async (name) => {
        ended.push(name);
        return Promise.reject(new Error('the policy cannot be written'));
      },
    });
    await expect(failing.up({ ...up, workspace })).rejects.toThrow('cannot be written');
    expect([ended, records.names(), [...keys]]).toEqual([['one'], [], []]);
    await expect(boxes.state('one')).rejects.toMatchObject({ exitCode: boxExit.noBox });
  });

  const cuts = [
    ['up', 3],
    ['up', 4],
    ['start', 1],
    ['stop', 1],
    ['down', 0],
    ['down', 2],
  ] as const;
  it('whose "up", "start", "stop" or "down" was cut off is put in order by gc', async () => {
    const { boxes, records, workspace, keys } = home();
    for (const [operation, count] of cuts) {
      await boxes.up({ ...up, workspace });
      const record = records.read('one') as BoxRecord;
      records.write({ ...record, journal: cutOff(operation, count) });
      const said = await boxes.gc();
      const isForgotten = operation === 'up' || operation === 'down';
      expect(said, `${operation} ${String(count)}`).toHaveLength(1);
      expect(records.names(), `${operation} ${String(count)}`).toEqual(isForgotten ? [] : ['one']);
      expect(lives(record.keeper?.pid ?? 0), `${operation} ${String(count)}`).toBe(false);
      if (!isForgotten) await boxes.down('one');
      keys.clear();
    }
  }, 60_000);

  it('whose record is gone or damaged is ended by gc', async () => {
    const { boxes, records, workspace } = home();
    execFileSync('git', ['init', '-q', workspace]);
    const git = 'git -c user.name=a -c user.email=a@b commit --allow-empty -qm';
    for (const text of [null, '{"version":1']) {
      await boxes.up({ ...up, workspace });
      await inBox(boxes, 'one', 'sh', '-c', `${git} ${text === null ? 'gone' : 'damaged'}`);
      const pid = records.read('one')?.keeper?.pid ?? 0;
      const path = join(records.directory, 'one.json');
      if (text === null) execFileSync('rm', [path]);
      else writeFileSync(path, text);
      expect(await boxes.gc()).toEqual(['one: ended what no record was about.']);
      await expect.poll(() => lives(pid)).toBe(false);
      expect(readdirSync(records.directory)).toEqual(['.changed']);
    }
    const log = execFileSync('git', ['-C', workspace, 'log', '--format=%s'], { encoding: 'utf8' });
    expect(log.trim().split('\n')).toEqual(['damaged', 'gone']);
  });

  it('ends with its keeper and with its first process, and starts again', async () => {
    const { boxes, records, workspace } = home();
    await boxes.up({ ...up, workspace });
    const children = (pid: number): string =>
      execFileSync('cat', [`/proc/${String(pid)}/task/${String(pid)}/children`], {
        encoding: 'utf8',
      });
    const keeper = records.read('one')?.keeper?.pid ?? 0;
    process.kill(Number(children(keeper).trim().split(' ')[0]), 'SIGKILL');
    await expect.poll(() => lives(keeper)).toBe(false);
    expect((await boxes.state('one')).state).toBe('stopped');
    expect(await boxes.gc()).toEqual(['one: it had ended, and what it left was put in order.']);
    await boxes.start('one');
    const again = records.read('one')?.keeper?.pid ?? 0;
    const [first = 0] = children(again).trim().split(' ').map(Number);
    process.kill(again, 'SIGKILL');
    await expect.poll(() => lives(first)).toBe(false);
    expect((await boxes.start('one')).state).toBe('running');
  });

  it('ends with a lockout, at once where all in it obey', async () => {
    const { boxes, options, records, paths, workspace } = home();
    await boxes.up({ ...up, workspace });
    await boxes.up({ name: 'two', templateName: 'isolated', workspace });
    const pids = ['one', 'two'].map((name) => records.read(name)?.keeper?.pid ?? 0);
    const processes = allProcesses(paths, options.uid);
    const swept = await prepareSweep({ processes, running: [], graceMs: 5_000 })();
    expect(swept).toMatchObject({ left: 0, problem: null });
    expect(pids.map(lives)).toEqual([false, false]);
    expect((await boxes.states()).map(({ state }) => state)).toEqual(['stopped', 'stopped']);
  });

  it('does not begin in a lockout that came while it was being made', async () => {
    let isLocked = false;
    const requireOpen = (): void => {
      if (isLocked) throw refuse('lockout-active', 'Interlock is stopped.', 'Unlock it.');
    };
    const { options, records, runtime, workspace, keys } = home({ requireOpen });
    const boxes = namedBoxes({
      ...options,
      runtime: {
        ...runtime,
        // All that a lockout ends it has ended before the box's keeper is written down.
        create: async (spec) => {
          isLocked = true;
          return runtime.create(spec);
        },
      },
    });
    await expect(boxes.up({ ...up, workspace })).rejects.toThrow('Interlock is stopped.');
    expect(runtime.runs('one', null)).toBe(false);
    expect([records.names(), [...keys]]).toEqual([[], []]);
  });

  it('follows no link that has come into the path of its workspace', async () => {
    const { boxes, workspace } = home();
    const folder = join(workspace, 'sub');
    const elsewhere = join(workspace, 'elsewhere');
    for (const path of [folder, elsewhere]) mkdirSync(join(path, 'app'), { recursive: true });
    await boxes.up({ ...up, workspace: join(folder, 'app') });
    renameSync(folder, `${folder}.moved`);
    symlinkSync(elsewhere, folder);
    expect(() => boxes.exec('one', { argv: ['true'] })).toThrow('leads to another folder');
    // A history there was not made in the box.
    execFileSync('git', ['init', '-q', join(elsewhere, 'app', 'own')]);
    expect(await boxes.stop('one')).toEqual([expect.stringContaining('was not looked into')]);
    expect(readdirSync(join(elsewhere, 'app', 'own'))).toEqual(['.git']);
    await expect(boxes.start('one')).rejects.toThrow('leads to another folder');
    await expect(boxes.reset('one')).rejects.toThrow('leads to another folder');
    expect((await boxes.state('one')).state).toBe('stopped');
  });

  it('is no agent that is there already, and leaves its key alone', async () => {
    const { boxes, records, workspace, keys } = home();
    keys.add('box-one');
    await expect(boxes.up({ ...up, workspace })).rejects.toThrow('There is an agent "box-one"');
    await boxes.gc();
    expect([records.names(), [...keys]]).toEqual([[], ['box-one']]);
  });

  it("is changed to and from the machine's network only while it is stopped", async () => {
    const { boxes, workspace } = home();
    await boxes.up({ ...up, workspace });
    expect((await boxes.network('one', 'restricted')).network).toBe('restricted');
    await expect(boxes.network('one', 'full')).rejects.toThrow(
      'the kernel gives what runs no other one',
    );
    await boxes.stop('one');
    expect((await boxes.network('one', 'full')).state).toBe('stopped');
  });
});

function cutOff(operation: Operation, count: number): Journal {
  return stepsOf(operation)
    .slice(0, count)
    .reduce<Journal>((journal, step) => begin(journal, step), { operation, begun: [] });
}
