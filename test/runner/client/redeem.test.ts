import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HomePaths } from '../../../shared/home/paths.ts';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import { makeHome, root, startRunnerProcess } from '../service/support.ts';

const client = join(root, 'dist/native/interlock-client');
const program = [process.execPath, join(root, 'dist/runner/cli/main.js')];

/** The same to whoever looks from outside. */
const ways: readonly (readonly [name: string, words: readonly string[]])[] = [
  ['Node', program],
  ...(existsSync(client) ? [['the native client', [client, ...program]] as const] : []),
];

interface Scene {
  readonly paths: HomePaths;
  readonly runner: { readonly child: ChildProcess };
  readonly work: string;
}

async function setScene(): Promise<Scene> {
  const paths = await makeHome({ security: 'full', ask: 'off' });
  const runner = await startRunnerProcess(paths);
  const work = join(paths.home, '..', 'work "ü\\');
  mkdirSync(work);
  return { paths, runner, work };
}

async function ticketFor({ paths, work }: Scene, command: string): Promise<string> {
  const { ticket = '' } = await runnerClient({ socketPath: paths.runnerSocket }).permit({
    command,
    cwd: work,
  });
  return ticket;
}

interface End {
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly told: string;
  readonly end: string;
}

interface Started {
  readonly child: ChildProcess;
  /** It has written something. */
  readonly begun: Promise<unknown>;
  readonly ended: Promise<End>;
}

/** Starts `interlock run --ticket`; its descriptor 3 is open for the folder where one is wanted. */
function start(
  by: readonly string[],
  { paths, work }: Pick<Scene, 'paths' | 'work'>,
  words: readonly string[],
  stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'pipe'],
): Started {
  const [file = '', ...rest] = by;
  const child = spawn(file, [...rest, 'run', '--ticket', ...words], {
    cwd: work,
    stdio,
    env: { PATH: process.env['PATH'] ?? '', HOME: paths.home, INTERLOCK_HOME: paths.home },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stdout, stderr, told] = [1, 2, 3].map((fd) => collect(child.stdio[fd] as Readable | null));
  const begun = new Promise((resolve) => void child.stdout?.once('data', resolve));
  const ended = once(child, 'close').then(([code, signal]) => ({
    stdout: Buffer.concat(stdout ?? []),
    stderr: Buffer.concat(stderr ?? []).toString(),
    told: Buffer.concat(told ?? []).toString(),
    end: String(code ?? signal),
  }));
  return { child, begun, ended };
}

function collect(stream: Readable | null): Buffer[] {
  const parts: Buffer[] = [];
  stream?.on('data', (part: Buffer) => void parts.push(part));
  return parts;
}

const text = ({ stdout, stderr, end }: End): string => `${end}|${stdout.toString()}|${stderr}`;

/** Each way in turn, in one scene: what is said names the way. */
async function inEach(act: (by: readonly string[]) => Promise<void>): Promise<void> {
  for (const [way, by] of ways)
    await act(by).catch((error: unknown) => {
      throw new Error(`started by ${way}`, { cause: error });
    });
}

describe('interlock run --ticket is the same however it is started', () => {
  test('hands on what the command writes, and ends as it does', async () => {
    const scene = await setScene();
    await inEach(async (by) => {
      const run = async (command: string, ...more: string[]): Promise<End> =>
        start(by, scene, [await ticketFor(scene, command), ...more]).ended;

      expect(text(await run('echo out; echo err >&2; exit 3'))).toBe('3|out\n|err\n');
      expect(text(await run('kill -TERM $$'))).toBe('143||');
      expect((await run("printf '\\377\\000x'")).stdout).toEqual(Buffer.from([0xff, 0, 0x78]));
      expect((await run('head -c 9000000 /dev/zero')).stdout.length).toBe(9_000_000);
      expect(text(await run('no-such-program-here'))).toMatch(/^127\|\|.*not found/u);
      expect(await run('cd / && pwd', '--tell-folder')).toMatchObject({ told: '/', end: '0' });
    });
  });

  test('keeps the order of both streams where they lead to one place', async () => {
    const scene = await setScene();
    await inEach(async (by) => {
      const ticket = await ticketFor(
        scene,
        'for i in 1 2 3 4 5; do echo $i; echo $i >&2; done; exit 1',
      );
      const both = join(scene.work, 'both');
      writeFileSync(both, '');
      const [file = '', ...words] = by;
      const done = spawnSync(
        '/bin/sh',
        ['-c', 'exec "$@" >both 2>&1', 'sh', file, ...words, 'run', '--ticket', ticket],
        { cwd: scene.work, env: { HOME: scene.paths.home, INTERLOCK_HOME: scene.paths.home } },
      );
      expect(done.status).toBe(1);
      expect(readFileSync(both, 'utf8')).toBe('1\n1\n2\n2\n3\n3\n4\n4\n5\n5\n');
    });
  });

  test('is refused in the same words', async () => {
    const scene = await setScene();
    await inEach(async (by) => {
      const used = await ticketFor(scene, 'true');
      expect((await start(by, scene, [used]).ended).end).toBe('0');
      expect(text(await start(by, scene, [used]).ended)).toMatch(
        /^126\|\|interlock: replay-detected: .*\n {2}\S.*\n$/u,
      );
      const elsewhere = { ...scene, work: scene.paths.home };
      expect(text(await start(by, elsewhere, [await ticketFor(scene, 'true')]).ended)).toMatch(
        /^126\|\|interlock: binding-drift: /u,
      );
      expect(text(await start(by, scene, ['short']).ended)).toMatch(/^125\|\|.*is not a ticket/u);
      expect(text(await start(by, scene, ['A'.repeat(43)]).ended)).toMatch(
        /^126\|\|interlock: stale-on-recovery: /u,
      );
      expect(text(await start(by, scene, [used, '--cwd', '/']).ended)).toMatch(
        /^125\|\|.*nothing can be added/u,
      );
    });
  });

  test('stops the command when it is ended by a signal', async () => {
    const scene = await setScene();
    const statuses = { SIGTERM: '143', SIGINT: '130', SIGHUP: '129' } as const;
    await inEach(async (by) => {
      for (const [signal, status] of Object.entries(statuses)) {
        const ticket = await ticketFor(scene, 'echo up; exec sleep 1000');
        const { child, begun, ended } = start(by, scene, [ticket]);
        await begun;
        child.kill(signal as keyof typeof statuses);
        expect((await ended).end).toBe(status);
        await nothingRuns(scene);
      }
    });
  });

  test('stops the command when nobody reads any more, or it is killed', async () => {
    const scene = await setScene();
    await inEach(async (by) => {
      const { child, begun, ended } = start(by, scene, [await ticketFor(scene, 'yes')]);
      await begun;
      child.stdout?.destroy();
      expect((await ended).end).toBe('141');
      await nothingRuns(scene);
      const other = start(by, scene, [await ticketFor(scene, 'echo up; exec sleep 1000')]);
      await other.begun;
      other.child.kill('SIGKILL');
      await nothingRuns(scene);
    });
  });

  test('says that the runner went away, before and after the command began', async () => {
    const scene = await setScene();
    const started = [];
    for (const [, by] of ways)
      started.push(start(by, scene, [await ticketFor(scene, 'echo up $$; sleep 1000')]));
    for (const { begun } of started) endAfterwards(String(await begun));
    scene.runner.child.kill('SIGKILL');
    for (const { ended } of started)
      expect(text(await ended)).toMatch(
        /^125\|up \d+\n\|interlock: The runner went away before .*\n {2}S/u,
      );
    await inEach(async (by) => {
      expect(text(await start(by, scene, ['A'.repeat(43)]).ended)).toMatch(
        /^125\|\|interlock: No runner is listening/u,
      );
    });
  });

  test('does not speak to a socket of which others could be the owner', async () => {
    const paths = await makeHome();
    const work = paths.home;
    const calls: string[] = [];
    const server = createServer((socket) => {
      calls.push('came');
      socket.destroy();
    });
    spawnSync('chmod', ['770', paths.home]);
    server.listen(paths.runnerSocket);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    await inEach(async (by) => {
      const end = await start(by, { paths, work }, ['A'.repeat(43)]).ended;
      expect(text(end)).toMatch(/^126\|\|interlock: config-invalid: Others may write/u);
    });
    expect(calls).toEqual([]);
  });

  test('does not wait for a runner that hangs while everything is locked', async () => {
    const scene = await setScene();
    const started = [];
    for (const [, by] of ways)
      started.push(start(by, scene, [await ticketFor(scene, 'echo up $$; sleep 1000')]));
    for (const { begun } of started) endAfterwards(String(await begun));
    scene.runner.child.kill('SIGSTOP');
    onTestFinished(() => void scene.runner.child.kill('SIGKILL'));
    mkdirSync(join(scene.paths.lockout, '..'), { recursive: true });
    writeFileSync(scene.paths.lockout, '{"version":1,"locked":true}', { mode: 0o600 });
    for (const { ended } of started)
      expect(text(await ended)).toMatch(/^126\|up \d+\n\|interlock: lockout-active: /u);
  });
});

/** A command whose runner is gone is nobody's: what it has started ends with the test. */
function endAfterwards(said: string): void {
  const group = Number(/^up (\d+)$/m.exec(said)?.[1]);
  expect(group).toBeGreaterThan(1);
  onTestFinished(() => {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  });
}

/** Waits until the runner has no command any more. */
async function nothingRuns({ paths }: Scene): Promise<void> {
  const runner = runnerClient({ socketPath: paths.runnerSocket });
  await expect.poll(async () => (await runner.status()).running).toEqual([]);
}
