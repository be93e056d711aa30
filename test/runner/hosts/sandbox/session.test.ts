import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Host, HostTask } from '../../../../runner/hosts/host.ts';
import { run } from '../support.ts';
import { box, command, compile, inside, isRoot, ownWord, processesWith, rungs } from './support.ts';

const fixtures = join(import.meta.dirname, '../../../fixtures/sandbox');
const owners = isRoot ? [0, 65_534] : [process.geteuid?.() ?? -1];

const server = (port: number) =>
  `node -e 'require("http").createServer((q, a) => a.end("served")).listen(${port}, "127.0.0.1", () => console.log("up"))'`;
const client = (port: number) =>
  `node -e 'fetch("http://127.0.0.1:${port}").then((a) => a.text()).then(console.log, (e) => console.log(e.cause.code))'`;

const says = async (host: Host, task: HostTask) => {
  const running = run(host, task);
  const outcome = await running.ended;
  return { ...outcome, ...running.output() };
};

describe.skipIf(!rungs.includes('session'))('the commands of a session', () => {
  describe.each(owners)('for the user %i', (owner) => {
    const session = (settings = {}) => box(settings, { rung: 'session', owner });

    test('reach what an earlier one has left running, by address and by number', async () => {
      const { workspace, host } = session();
      const first = await inside(host, `${server(8080)} & echo "pid $!"; sleep 0.3`, workspace);
      const pid = /pid (\d+)/.exec(first.stdout)?.[1] ?? '';
      expect(first).toMatchObject({ exitCode: 0 });
      expect(first.behind).toBeUndefined();
      const text = `until ${client(8080)} | grep served; do sleep 0.1; done; kill ${pid} && ps ax`;
      expect((await inside(host, text, workspace)).stdout).toContain('served');
      const last = await inside(host, `${client(8080)}; kill -0 ${pid}`, workspace);
      expect(last.stdout).toBe('ECONNREFUSED\n');
      expect(last.exitCode).not.toBe(0);
      await expect.poll(() => host.groups()).toEqual([]);
    });

    test('say what an unasked one has left running there, and nothing else says so', async () => {
      const { workspace, host } = session();
      const ask = () => host.boxOf?.('claude', 'one') ?? null;
      expect(ask()).toBeNull();
      await inside(host, `${server(8090)} & sleep 0.3`, workspace);
      // Those that somebody allowed are beside others.
      expect(ask()).toBeNull();
      const task: HostTask = {
        ...command(`${server(8091)} & echo "pid $!"; sleep 0.3`, workspace),
        unasked: true,
      };
      const { stdout } = await says(host, task);
      const pid = Number(/pid (\d+)/.exec(stdout)?.[1]);
      await expect.poll(() => [...(ask()?.ports() ?? [])]).toEqual([8091]);
      const found = ask();
      expect([pid, 1, process.pid, pid + 1000].map((one) => found?.has(one))).toEqual([
        true,
        false,
        false,
        false,
      ]);
      for (const [agent, name] of [
        ['other', 'one'],
        ['claude', 'two'],
      ] as const)
        expect(host.boxOf?.(agent, name)).toBeNull();
      await says(host, { ...command(`kill ${pid}`, workspace), unasked: true });
      await expect.poll(ask).toBeNull();
      // The kernel takes a moment to close what a process that was ended had open.
      await expect.poll(() => found?.ports().size).toBe(0);
    });

    test('have no way to what keeps their box, to its first process, or to one that begins', async () => {
      const { workspace, host } = session();
      compile(join(workspace, 'neighbour'), [join(fixtures, 'box-attacker.c')], ['-static', '-w']);
      chmodSync(join(workspace, 'neighbour'), 0o755);
      // Goes on while the next ones begin.
      const attacker = run(host, command('exec ./neighbour', workspace));
      await attacker.says('looking');
      for (let round = 0; round < 20; round += 1)
        expect(await inside(host, 'true', workspace)).toMatchObject({ exitCode: 0 });
      await inside(host, 'touch enough', workspace);
      await attacker.ended;
      const lines = attacker.output().stdout.trim().split('\n');
      expect(lines.filter((line) => line.startsWith('THROUGH'))).toEqual([]);
      expect(Number(/^others (\d+)$/m.exec(attacker.output().stdout)?.[1])).toBeGreaterThan(5);
      expect(lines).toContain('end');
      expect(await inside(host, 'echo still', workspace)).toMatchObject({ stdout: 'still\n' });
    });

    test('a stop takes what one has started along, wherever it went, and nothing of the others', async () => {
      const { workspace, host } = session();
      const [other, mine] = [ownWord(), ownWord()];
      await inside(host, `sleep ${other} & setsid sleep ${other} & exit 0`, workspace);
      const deaf = `trap "" TERM HUP; sleep ${mine}`;
      const text = `(setsid sh -c '${deaf}; sleep ${mine}' &) ; trap "" TERM; echo up; sleep ${mine}; sleep ${mine}`;
      const running = run(host, command(text, workspace), { timeoutMs: 60_000, killAfterMs: 100 });
      await running.says('up');
      await expect.poll(() => processesWith(mine).length).toBeGreaterThan(2);
      running.stop();
      expect(await running.ended).toMatchObject({ ending: 'stopped' });
      await expect.poll(() => processesWith(mine)).toEqual([]);
      expect(processesWith(other)).toHaveLength(2);
      host.stopStrays();
      await expect.poll(() => processesWith(other)).toEqual([]);
    });

    test('nobody hides from a stop by ending its first thread, or by a file that cannot be read', async () => {
      const { workspace, host } = session();
      const word = ownWord();
      compile(
        join(workspace, 'hidden'),
        [join(fixtures, 'hidden.c')],
        ['-static', '-w', '-pthread'],
      );
      // Whoever may start a program that belongs to another and not read it is shown to nobody.
      chmodSync(join(workspace, 'hidden'), 0o711);
      const running = run(host, command(`./hidden ${word} & ./hidden ${word} & wait`, workspace), {
        killAfterMs: 50,
      });
      await running.says('hidden\nhidden');
      const written = () => statSync(join(workspace, word)).size;
      await expect.poll(written).toBeGreaterThan(20);
      running.stop();
      await running.ended;
      await expect.poll(() => host.groups()).toEqual([]);
      const last = written();
      // Its box is still there, and gives it the time in which it would write on.
      await inside(host, 'sleep 0.1', workspace);
      expect(written()).toBe(last);
    });
  });

  const session = (settings = {}) => box(settings, { rung: 'session' });
  const of = (text: string, cwd: string, about: Partial<HostTask>): HostTask => ({
    ...command(text, cwd),
    ...about,
  });

  test('share nothing with another session or agent, or with what was allowed', async () => {
    const { workspace, host } = session();
    const word = ownWord();
    await says(host, of(`sleep ${word} & exit 0`, workspace, { session: 'a' }));
    const look = 'ps ax -o args | grep -c "^sleep" ';
    const count = async (about: Partial<HostTask>) =>
      (await says(host, of(look, workspace, about))).stdout.trim();
    expect(await count({ session: 'a' })).toBe('1');
    expect(await count({ session: 'b' })).toBe('0');
    expect(await count({ session: 'a', agent: 'another' })).toBe('0');
    expect(await count({ session: 'a', unasked: true })).toBe('0');
  });

  test('a session that is over takes its box along, and leaves those of others', async () => {
    const { workspace, host } = session();
    const [a, b] = [ownWord(), ownWord()];
    await says(host, of(`sleep ${a} & exit 0`, workspace, { session: 'a' }));
    await says(host, of(`sleep ${b} & exit 0`, workspace, { session: 'b' }));
    host.endSession?.('claude', 'a');
    await expect.poll(() => processesWith(a)).toEqual([]);
    expect(processesWith(b)).toHaveLength(1);
    expect((await says(host, of('echo new', workspace, { session: 'a' }))).stdout).toBe('new\n');
    host.stopStrays();
    await expect.poll(() => processesWith(b)).toEqual([]);
  });

  test('a lockout stops all of them, a fork bomb too, and what begins later gets a box', async () => {
    const { workspace, host } = session({ processes: 100 });
    const word = ownWord();
    const bomb = run(
      host,
      command(`b() { b | b & sleep ${word}; }; trap "" TERM; echo up; b; wait`, workspace),
      { killAfterMs: 200 },
    );
    await bomb.says('up');
    await expect.poll(() => processesWith(word).length).toBeGreaterThan(10);
    host.signalAll?.();
    bomb.stop();
    await bomb.ended;
    await expect.poll(() => processesWith(word)).toEqual([]);
    expect((await inside(host, 'echo after', workspace)).stdout).toBe('after\n');
  });

  test('keep their temporary files, so that a terminal server of an earlier one is found', async () => {
    const folder = realpathSync(mkdtempSync(join(userInfo().homedir, 'il-session-')));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const workspace = join(folder, 'work');
    mkdirSync(workspace);
    const settings = { readWrite: [workspace] };
    // A folder of the PATH below /tmp would be mounted there, and then /tmp is no longer shared.
    const { host } = box(settings, { rung: 'session', path: ['/usr/bin', '/bin'] });
    const { stdout } = await inside(
      host,
      'echo kept > /tmp/file; echo kept > /var/tmp/f',
      workspace,
    );
    expect(stdout).toBe('');
    expect((await inside(host, 'cat /tmp/file /var/tmp/f', workspace)).stdout).toBe('kept\nkept\n');
    expect((await says(host, of('ls -A /tmp', workspace, { session: 'two' }))).stdout).toBe('');
    if (!existsSync('/usr/bin/tmux')) return;
    await inside(host, 'tmux -f /dev/null new -d -s work "echo in tmux; sleep 60"', workspace);
    const text =
      'until tmux capture-pane -p -t work | grep "in tmux"; do sleep 0.1; done; tmux kill-server';
    expect((await inside(host, text, workspace)).stdout).toContain('in tmux');
  });

  test('where the project lies in /tmp, nothing is kept there: it could be moved while a root is built', async () => {
    const { workspace, host } = session();
    expect(workspace.startsWith('/tmp/')).toBe(true);
    await inside(host, 'echo kept > /tmp/file', workspace);
    expect((await inside(host, 'ls /tmp', workspace)).stdout).not.toContain('file');
  });

  test('get no descriptor that is not theirs', async () => {
    const { workspace, host } = session();
    const holding = run(host, command('echo up; sleep 30', workspace), { killAfterMs: 50 });
    await holding.says('up');
    const { stdout } = await inside(host, 'ls -l /proc/self/fd | grep -c -- "->"', workspace);
    // Its three, and the folder that it lists.
    expect(stdout).toBe('4\n');
    holding.stop();
    await holding.ended;
  });

  test('write to a pipe by its name, as on the gateway, and do not wait for what holds it open', async () => {
    const { workspace, host } = session();
    const word = ownWord();
    const { stdout, stderr } = await inside(
      host,
      `echo out > /dev/stdout; echo err > /dev/stderr; sleep ${word} & exit 0`,
      workspace,
    );
    expect({ stdout, stderr }).toEqual({ stdout: 'out\n', stderr: 'err\n' });
    expect(processesWith(word)).toHaveLength(1);
  });
});
