import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { namedBoxes } from '../../../runner/boxes/boxes.ts';
import { logBytes, openLog, tailLog } from '../../../runner/boxes/logs.ts';
import type { LogReader } from '../../../runner/boxes/logs.ts';
import type { BoxRuntime } from '../../../runner/boxes/runtime.ts';
import { launcherPath } from '../../../runner/hosts/sandbox/launch.ts';
import { packageRoot } from '../../../runner/version.ts';
import { temporaryFolder } from '../hosts/support.ts';
import { canBox, home, inBox } from './support.ts';

const launcher = launcherPath(packageRoot());
const most = 128 * 1024;

/** What keeps a log, in a folder of its own; `lines` go through a shell before it begins. */
function keeping(folder: string, before = '') {
  const fd = openSync(folder, 'r');
  const child = spawn('/bin/sh', ['-c', `${before} exec "$0" --log 0 ${String(most)}`, launcher], {
    stdio: ['pipe', 'ignore', 'ignore', fd],
  });
  closeSync(fd);
  const input = child.stdio[0] as Writable;
  input.on('error', () => {});
  const ended = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  const write = async (text: string): Promise<void> =>
    new Promise((resolve) => void input.write(text, () => resolve()));
  return { child, input, ended, write };
}

function reading(folder: string): LogReader {
  const log = openLog(folder, 0);
  if (log === null) throw new Error('no log');
  onTestFinished(() => log.close());
  return log;
}

describe.runIf(canBox)('what keeps the log of a window', () => {
  it('keeps two files that do not grow past their cap, and the newest of what came', async () => {
    const folder = temporaryFolder();
    const { input, ended, write } = keeping(folder);
    const line = `${'x'.repeat(1_023)}\n`;
    for (let kib = 0; kib < 600; kib += 1) await write(line);
    await write('the last\n');
    input.end();
    expect(await ended).toBe(0);
    expect(readdirSync(folder).toSorted()).toEqual(['0', '0.1']);
    for (const name of ['0', '0.1'])
      expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(most);
    expect(statSync(join(folder, '0')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, '0'), 'utf8')).toMatch(/the last\n$/u);
  });

  it('follows no link, and writes to no file that has another name', async () => {
    const folder = temporaryFolder();
    const victim = join(folder, 'victim');
    writeFileSync(victim, 'mine');
    for (const make of [symlinkSync, linkSync]) {
      make(victim, join(folder, '0'));
      const { ended } = keeping(folder);
      expect(await ended).toBe(125);
      expect(readFileSync(victim, 'utf8')).toBe('mine');
      rmSync(join(folder, '0'));
    }
    mkdirSync(join(folder, '0'));
    expect(await keeping(folder).ended).toBe(125);
  });

  it('goes on reading where the disk takes no more, and says how much was lost', async () => {
    const folder = temporaryFolder();
    // The soft limit of a file stands in for a full disk, and can be lifted.
    const { child, input, ended, write } = keeping(folder, 'ulimit -S -f 8;');
    const limit = Number(
      execFileSync('/bin/sh', ['-c', 'ulimit -S -f 8; head -c 100000 /dev/zero >f; wc -c <f'], {
        cwd: temporaryFolder(),
        stdio: ['ignore', 'pipe', 'ignore'],
      }).toString(),
    );
    expect(limit).toBeGreaterThan(0);
    // The limit falls into the middle of a piece.
    await write('y'.repeat(100));
    for (let kib = 0; kib < 100; kib += 1) await write('y'.repeat(1_024));
    await expect.poll(() => statSync(join(folder, '0')).size).toBe(limit);
    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited']);
    // What it has not read by now it reads before this.
    await write('after\n');
    input.end();
    expect(await ended).toBe(0);
    const text = readFileSync(join(folder, '0'), 'utf8');
    const lost = Number(/\n\[interlock: (\d+) bytes lost\]\n/u.exec(text)?.[1]);
    expect(text.replaceAll(/[^y]/gu, '').length + lost).toBe(100 * 1_024 + 100 + countOf(text));
    expect(text.endsWith('after\n')).toBe(true);
  });

  it('ends when its files are taken away', async () => {
    const folder = temporaryFolder();
    const { ended, write } = keeping(folder);
    await write('a');
    await expect.poll(() => readdirSync(folder)).toEqual(['0']);
    rmSync(join(folder, '0'));
    for (let kib = 0; kib < 2 * 128; kib += 1) await write('z'.repeat(1_024));
    expect(await ended).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });
});

/** Letters "y" of the sentence itself: it says "bytes". */
function countOf(text: string): number {
  return (/\[interlock: \d+ bytes lost\]/u.exec(text)?.[0].match(/y/gu) ?? []).length;
}

describe('reading the log of a window', () => {
  it('goes on in the file that comes next, also where one was missed', () => {
    const folder = temporaryFolder();
    const at = (name: string): string => join(folder, name);
    expect(openLog(folder, 0)).toBeNull();
    writeFileSync(at('0'), 'one\ntw');
    const log = reading(folder);
    expect([log.read(), log.rest()]).toEqual([['one'], 'tw']);
    writeFileSync(at('0'), 'o\n', { flag: 'a' });
    renameSync(at('0'), at('0.1'));
    writeFileSync(at('0'), 'three\n');
    expect(log.read()).toEqual(['two', 'three']);
    expect(log.read()).toEqual([]);
    // Twice between two looks.
    writeFileSync(at('0'), 'four\n', { flag: 'a' });
    renameSync(at('0'), at('0.1'));
    writeFileSync(at('next'), 'five\n');
    renameSync(at('next'), at('0.1'));
    writeFileSync(at('0'), 'six\n');
    expect(log.read()).toEqual(['four', 'five', 'six']);
    expect(reading(folder).read()).toEqual(['five', 'six']);
  });

  it('shows lines as they stood in the end, and nothing that moves a cursor', () => {
    const folder = temporaryFolder();
    const text = '\u001B[31mred\u001B[0m\r\n10%\r100%\r\n\u001B]0;title\u0007plain\n';
    writeFileSync(join(folder, '0'), text);
    expect(reading(folder).read()).toEqual(['red', '100%', 'plain']);
  });

  it('shows a line that does not end in parts, and follows no link', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '0'), 'w'.repeat(20_000));
    const log = reading(folder);
    expect(log.read().join('')).toHaveLength(20_000);
    expect(log.rest()).toBe('');
    symlinkSync('/etc/hostname', join(folder, '1'));
    expect(openLog(folder, 1)?.read()).toEqual([]);
  });
});

describe('the end of a log', () => {
  it('is its last lines, across two files, with the one that is being written', () => {
    const folder = temporaryFolder();
    expect(tailLog(folder, 0, 3)).toBeNull();
    writeFileSync(join(folder, '0.1'), 'one\ntwo\nth');
    expect(tailLog(folder, 0, 3)).toEqual(['one', 'two', 'th']);
    writeFileSync(join(folder, '0'), 'ree\n\u001B[31mfour\u001B[0m\r\n10%\r20%');
    expect(tailLog(folder, 0, 3)).toEqual(['three', 'four', '20%']);
  });

  it('is read without the rest, begins with a whole line, and follows no link', () => {
    const folder = temporaryFolder();
    const line = `${'x'.repeat(1_000)}\n`;
    writeFileSync(join(folder, '0'), line.repeat(4_000));
    const tail = tailLog(folder, 0, 1_000) ?? [];
    expect(tail.length).toBeLessThan(70);
    expect(new Set(tail)).toEqual(new Set(['x'.repeat(1_000)]));
    symlinkSync('/etc/hostname', join(folder, '1'));
    expect(tailLog(folder, 1, 3)).toBeNull();
  });
});

describe.runIf(canBox)('the logs of a named box', () => {
  /** A box of which each command is another, as `change` says. */
  const changed = (change: (argv: readonly string[], workspace: string) => readonly string[]) => {
    const { options, runtime, workspace } = home();
    const exec: BoxRuntime['exec'] = (name, command) =>
      runtime.exec(name, { ...command, argv: change(command.argv, workspace) });
    const told: string[] = [];
    const progress = (line: string): void => void told.push(line);
    const boxes = namedBoxes({ ...options, progress, runtime: { ...runtime, exec } });
    return { boxes, told, up: { name: 'one', templateName: 'isolated', workspace } };
  };
  const isWait = (argv: readonly string[]): boolean => argv.includes('wait-for');

  it('have all that is written once the box is up, however long their beginning takes', async () => {
    const { boxes, told, up } = changed((argv, workspace) => {
      if (isWait(argv)) writeFileSync(join(workspace, 'go'), '');
      const late = `while [ ! -e ${workspace}/go ]; do sleep 0.02; done;`;
      return argv.map((word) => (word.includes('pipe-pane') ? `${late} ${word}` : word));
    });
    await boxes.up(up);
    const asked = ['tmux', '-L', 'interlock', 'display', '-p', '-t', 'box:0', '#{pane_pipe}'];
    expect((await inBox(boxes, 'one', ...asked)).text.trim()).toBe('1');
    expect(told.filter((line) => line.includes('not all kept'))).toEqual([]);
    await boxes.down('one');
  });

  it('are said not to be kept where the box does not let them begin', async () => {
    const { boxes, told, up } = changed((argv) => (isWait(argv) ? ['/bin/false'] : argv));
    expect((await boxes.up(up)).state).toBe('running');
    expect(told.at(-1)).toContain('is not all kept');
    await boxes.down('one');
  });

  it('lie outside of it, hold what its windows wrote, and outlive a stop but not its end', async () => {
    const { options, runtime, records, paths, workspace } = home();
    let leftAlone = 0;
    const exec: BoxRuntime['exec'] = (name, command) => {
      const done = runtime.exec(name, command);
      const unref = (): void => {
        leftAlone += 1;
        done?.unref();
      };
      return done === null ? null : { ...done, unref };
    };
    const boxes = namedBoxes({ ...options, runtime: { ...runtime, exec } });
    await boxes.up({ name: 'one', templateName: 'isolated', workspace });
    // Whoever made the box does not have to wait for its end.
    expect(leftAlone).toBe(1);
    const tmux = ['tmux', '-L', 'interlock', 'send-keys', '-t', 'box:0'];
    await inBox(boxes, 'one', ...tmux, 'echo written-$((6*7))', 'Enter');
    const log = join(records.logsOf('one'), '0');
    await expect.poll(() => readFileSync(log, 'utf8')).toContain('written-42');
    expect(statSync(log).size).toBeLessThan(logBytes);
    const seen = await inBox(boxes, 'one', 'sh', '-c', `ls ${paths.home}; ls -A /tmp | grep log-`);
    expect(seen.text).not.toContain('log-');
    // Whoever ends it there ends it: nothing hangs, and nothing that was written goes.
    await inBox(boxes, 'one', 'sh', '-c', 'pkill -KILL -x cat');
    await inBox(boxes, 'one', ...tmux, 'echo not-kept-$((6*8))', 'Enter');
    const shows = async () =>
      (await inBox(boxes, 'one', 'tmux', '-L', 'interlock', 'capture-pane', '-p', '-t', 'box:0'))
        .text;
    await expect.poll(shows).toContain('not-kept-48');
    await boxes.stop('one');
    expect(readFileSync(log, 'utf8')).toContain('written-42');
    await boxes.start('one');
    await inBox(boxes, 'one', ...tmux, 'echo again-$((6*9))', 'Enter');
    await expect.poll(() => readFileSync(log, 'utf8')).toContain('again-54');
    expect(readFileSync(log, 'utf8')).toContain('written-42');
    await boxes.down('one');
    expect(readdirSync(records.directory)).toEqual(['.changed']);
  });
});
