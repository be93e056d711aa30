import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyPush } from '../../../app/bridge/state-push.ts';
import type { StatePush } from '../../../app/bridge/state-push.ts';
import type { AppState } from '../../../app/bridge/types.ts';
import { checkHostMessage } from '../bridge/host-message-schema.ts';
import { redirectPath } from '../../../app/console/link.ts';
import { runConsole } from '../../../app/console/run.ts';
import type { RunConsoleOptions } from '../../../app/console/run.ts';
import { systemClock } from '../../../shared/home/clock.ts';
import { sampleAsk } from '../../support/sample-ask.ts';
import { testHome } from '../host/support.ts';
import type { TestHome } from '../host/support.ts';
import { connectPage, send, swap, tokenIn } from './support.ts';

let home: TestHome;
let ends: (() => Promise<void>)[] = [];
beforeEach(async () => {
  home = await testHome();
});
afterEach(async () => {
  for (const end of ends) await end();
  ends = [];
  await home.close();
});

async function run(change: Partial<RunConsoleOptions> = {}) {
  const pageDirectory = join(home.paths.home, 'page');
  mkdirSync(pageDirectory, { recursive: true, mode: 0o700 });
  writeFileSync(join(pageDirectory, 'index.html'), '<!doctype html>');
  const lines: string[] = [];
  const { home: here, env, packageRoot } = home.optionsFor();
  const running = await runConsole({
    home: here,
    env,
    packageRoot,
    pageDirectory,
    clock: systemClock,
    random: randomBytes,
    open: false,
    socketPath: null,
    print: (line) => lines.push(line),
    log: () => undefined,
    ...change,
  });
  if (running !== null) ends.push(() => running.close());
  const link = lines[0]?.replace('console: ', '') ?? '';
  return { running, lines, link, port: URL.canParse(link) ? Number(new URL(link).port) : 0 };
}

describe('interlock ui --console', () => {
  it('prints one link, keeps it where only its owner reads it, and drops it once used', async () => {
    const { lines, link, port } = await run();
    expect(lines).toHaveLength(1);
    expect(readFileSync(home.paths.consoleLink, 'utf8')).toBe(`${link}\n`);
    for (const path of [home.paths.consoleLink, redirectPath(home.paths)]) {
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(redirectPath(home.paths), 'utf8')).toContain(`url=${link}`);
    expect((await swap(port, tokenIn(link))).status).toBe(200);
    expect(existsSync(home.paths.consoleLink)).toBe(false);
    expect(existsSync(redirectPath(home.paths))).toBe(false);
  });

  it('shows a page what a runner asks, without the token of the policy', async () => {
    const { link, port } = await run();
    const page = await connectPage(port, link);
    const runner = await home.connectRunner();
    const now = Date.now();
    const askDigest = runner.ask(sampleAsk({ id: 'a1', createdAt: now, expiresAt: now + 60_000 }));
    const decided = new Promise((resolve) => runner.onDecision(resolve));
    let state: AppState | null = null;
    while (state === null || state.queue.length === 0) {
      const message = await page.next();
      expect(checkHostMessage(message)).toMatchObject({ ok: true });
      expect(JSON.stringify(message)).not.toContain(home.policy().socket?.token);
      if (message?.['type'] !== 'connection') state = applyPush(state, message as StatePush);
    }
    expect(state.queue).toMatchObject([{ askDigest }]);
    const answer = { id: 'a1', askDigest, decision: 'deny' };
    page.socket.send(JSON.stringify({ type: 'call', id: 1, name: 'answer', args: answer }));
    expect(await decided).toEqual(answer);
  });

  it('started again prints a fresh link of the first, and ends', async () => {
    const first = await run();
    const second = await run();
    expect(second.running).toBeNull();
    expect(second.port).toBe(first.port);
    expect(second.link).not.toBe(first.link);
    expect((await swap(first.port, tokenIn(second.link))).status).toBe(200);
    expect((await swap(first.port, tokenIn(first.link))).status).toBe(200);
  });

  it('started beside another shell says so', async () => {
    await home.start({ shell: 'terminal' });
    const { lines, running } = await run();
    expect(running).toBeNull();
    expect(lines).toEqual([`already running: terminal (pid ${process.pid})`]);
  });

  it('leaves no socket and no link behind', async () => {
    const { running, port } = await run({ socketPath: join(home.paths.home, 'console.sock') });
    await running?.close();
    ends = [];
    for (const path of [
      home.paths.approvalsSocket,
      home.paths.consoleLink,
      redirectPath(home.paths),
      join(home.paths.home, 'console.sock'),
    ]) {
      expect(existsSync(path)).toBe(false);
    }
    await expect(send(port, '/')).rejects.toThrow('ECONNREFUSED');
  });

  it('does not start without its page, and frees the home again', async () => {
    await expect(run({ pageDirectory: home.paths.home })).rejects.toThrow('index.html');
    await home.start();
  });

  it('does not take the place of what is not a socket', async () => {
    await expect(run({ socketPath: home.paths.config })).rejects.toThrow('is a file, not a socket');
    expect(existsSync(home.paths.config)).toBe(true);
    await home.start();
  });
});
