import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runnerClient } from '../../../shared/ipc/runner-client.ts';
import { cli, packageRoot, temporaryHome } from './support.ts';

const program = join(packageRoot, 'dist', 'runner', 'cli', 'main.js');

let place: ReturnType<typeof temporaryHome>;
const children: ChildProcess[] = [];

beforeEach(() => {
  if (!existsSync(program)) throw new Error('Build first: npm run build.');
  place = temporaryHome();
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
  }
  place.remove();
});

/** A real `interlock` process, what it has said so far, and its end. */
function start(...args: readonly string[]) {
  const { DISPLAY: _display, WAYLAND_DISPLAY: _wayland, ...env } = process.env;
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...env, INTERLOCK_HOME: place.home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    ended,
    said: () => text,
    until: async (words: string) => {
      for (let look = 0; look < 400; look += 1) {
        if (text.includes(words)) return;
        await delay(25);
      }
      throw new Error(`"${words}" was not said, but: ${text}`);
    },
  };
}

const socket = (name: string): string => join(place.home, name);

describe('interlock up', { timeout: 60_000 }, () => {
  it('starts everything, lets a second one find it, and stops it all', async () => {
    const first = start('up');
    await first.until('Ctrl-C stops');
    expect(first.said()).toMatch(/^console {3}http:\/\/localhost:\d+\/#/mu);
    const client = runnerClient({ socketPath: socket('runner.sock') });
    const { pid } = await client.status();

    const second = start('up');
    expect(await second.ended).toBe(0);
    expect(second.said()).toContain(`already running, pid ${String(pid)}`);
    expect(second.said()).toMatch(/^console {3}http:\/\/localhost:\d+\/#/mu);
    expect((await client.status()).pid).toBe(pid);

    const denied = await cli({ home: place.home }, 'run', '--security', 'deny', '--', 'true');
    expect(denied.exitCode).toBe(126);
    expect(denied.err).toContain('policy-deny');

    first.child.kill('SIGINT');
    expect(await first.ended).toBe(0);
    expect(existsSync(socket('runner.sock'))).toBe(false);
    expect(existsSync(socket('exec-approvals.sock'))).toBe(false);
  });

  it('starts a runner that was killed again, and says so', async () => {
    const up = start('up');
    await up.until('Ctrl-C stops');
    const client = runnerClient({ socketPath: socket('runner.sock') });
    const { pid } = await client.status();
    process.kill(pid, 'SIGKILL');
    await up.until('starting it again');
    let next = pid;
    for (let look = 0; look < 400 && next === pid; look += 1) {
      await delay(25);
      next = await client.status().then(
        (status) => status.pid,
        () => pid,
      );
    }
    expect(next).not.toBe(pid);
  });

  it('passes bytes and status of a real command through', async () => {
    const up = start('up');
    await up.until('Ctrl-C stops');
    await cli({ home: place.home }, 'approvals', 'allow', '--', 'printf', '...');
    const run = start('run', '-c', String.raw`printf 'one\ntwo\n'`);
    expect(await run.ended).toBe(0);
    expect(run.said()).toBe('one\ntwo\n');
    const missing = start('run', '--', 'no-such-program-here');
    expect(await missing.ended).toBe(127);
  });

  it('takes a waiting ask back on Ctrl-C', async () => {
    const up = start('up');
    await up.until('Ctrl-C stops');
    const client = runnerClient({ socketPath: socket('runner.sock') });
    const waiting = async (count: number): Promise<void> => {
      for (let look = 0; look < 400; look += 1) {
        if ((await client.pending()).length === count) return;
        await delay(25);
      }
      throw new Error(`there are never ${String(count)} asks`);
    };
    const run = start('run', '--', 'rm', '-rf', join(place.folder, 'nothing'));
    await waiting(1);
    run.child.kill('SIGINT');
    expect(await run.ended).toBe(130);
    await waiting(0);
  });
});

describe('interlock runner', { timeout: 60_000 }, () => {
  it('wants a home first', async () => {
    const runner = start('runner');
    expect(await runner.ended).toBe(125);
    expect(runner.said()).toContain('interlock init');
  });

  it('runs alone in the foreground and stops on a signal', async () => {
    await cli({ home: place.home }, 'init');
    const runner = start('runner');
    await runner.until('The runner listens');
    runner.child.kill('SIGTERM');
    expect(await runner.ended).toBe(0);
    expect(existsSync(socket('runner.sock'))).toBe(false);
  });

  it('fails as itself, not as a refused command, where it cannot listen', async () => {
    await cli({ home: place.home }, 'init');
    mkdirSync(socket('runner.sock'));
    const runner = start('runner');
    expect(await runner.ended).toBe(125);
    expect(runner.said()).toContain('is a folder, not a socket');
  });
});
