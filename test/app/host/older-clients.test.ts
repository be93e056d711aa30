import { createHmac, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLog } from '../../../runner/service/log.ts';
import { startRunner } from '../../../runner/service/start-runner.ts';
import { testHome } from './support.ts';
import type { TestHome } from './support.ts';

let home: TestHome;
beforeEach(async () => {
  home = await testHome();
});
afterEach(() => home.close());

/** One line in, half-close, and all lines that come back: as older clients do it. */
function exchange(frame: object): Promise<readonly Record<string, unknown>[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: home.paths.approvalsSocket, allowHalfOpen: true });
    let text = '';
    socket.once('error', reject);
    socket.on('data', (part) => (text += part.toString('utf8')));
    socket.once('close', () => {
      const lines = text.split('\n').filter((line) => line !== '');
      resolve(lines.map((line) => JSON.parse(line) as Record<string, unknown>));
    });
    socket.once('end', () => socket.end());
    socket.end(`${JSON.stringify(frame)}\n`);
  });
}

const token = (): string => home.policy().socket?.token ?? '';
const request = (change: object = {}): object => ({
  type: 'request',
  token: token(),
  id: 'theirs',
  request: { command: 'rm -rf ~', cwd: '/tmp', agentId: 'main' },
  ...change,
});

/** A signed version-1 command. */
function execFrame(command: object): object {
  const requestJson = JSON.stringify(command);
  const nonce = randomBytes(16).toString('hex');
  const ts = Date.now();
  const hmac = createHmac('sha256', token()).update(`${nonce}:${ts}:${requestJson}`).digest('hex');
  return { type: 'exec', id: 'run', nonce, ts, hmac, requestJson };
}

function refused(error: object): unknown {
  return expect.objectContaining({
    type: 'exec-res',
    id: 'run',
    ok: false,
    error: expect.objectContaining(error),
  });
}

describe('an older client on the real socket', () => {
  it('is not answered any more once version 1 is off, without a restart of the approver', async () => {
    const { host, until } = await home.start();
    const waiting = exchange(request());
    const { queue } = await until((state) => state.queue.length === 1);
    writeFileSync(home.paths.config, '{"version":1,"approvals":{"v1":false}}\n', { mode: 0o600 });
    const lines = await exchange(request({ id: 'later' }));
    expect(lines.map(({ type }) => type)).toEqual(['challenge']);
    const [{ ask, askDigest } = { ask: { id: '' }, askDigest: '' }] = queue;
    await host.handle('answer', { id: ask.id, askDigest, decision: 'allow-once' });
    expect(JSON.stringify(await waiting)).not.toContain('allow');
  });

  it('is answered by a person through the same queue', async () => {
    const { host, until } = await home.start();
    const answered = exchange(request());
    const { queue } = await until((state) => state.queue.length === 1);
    const [queued] = queue;
    expect(queued?.ask).toMatchObject({ agent: 'main', command: 'rm -rf ~', cwd: '/tmp' });
    expect(queued?.ask.risk.level).toBe('high');
    expect(queued?.ask.ancestry[0]?.pid).toBe(process.pid);
    await host.handle('answer', {
      id: queued?.ask.id,
      askDigest: queued?.askDigest,
      decision: 'allow-once',
    });
    expect(await answered).toContainEqual({
      type: 'decision',
      id: 'theirs',
      decision: 'allow-once',
    });
  });

  it('is denied with a wrong token, and nobody is asked', async () => {
    const { host } = await home.start();
    const lines = await exchange(request({ token: 'wrong' }));
    expect(lines).toContainEqual({ type: 'decision', id: 'theirs', decision: 'deny' });
    host.subscribe(({ queue, missed }) => expect([...queue, ...missed]).toEqual([]));
  });

  it('is told in its own words that its command cannot run without a runner', async () => {
    await home.start();
    expect(await exchange(execFrame({ command: ['echo', 'hi'] }))).toContainEqual(
      refused({ code: 'UNAVAILABLE', reason: 'runner-gone' }),
    );
  });

  it('is told in its own words that its folder does not exist', async () => {
    await home.start();
    const env = { ...process.env, INTERLOCK_HOME: home.paths.home };
    const runner = await startRunner({ env, log: createLog(() => undefined, Date.now) });
    const cwd = join(home.paths.home, 'gone');
    const answers = await exchange(execFrame({ command: ['ls'], cwd }));
    // Before the home goes: it writes down how far the record has come.
    await runner.dispose();
    expect(answers).toContainEqual(refused({ code: 'UNAVAILABLE', reason: 'cwd-unavailable' }));
  });

  it('gets no answer where config.json turns it off', async () => {
    const config = { version: 1, approvals: { v1: false } };
    writeFileSync(home.paths.config, JSON.stringify(config), { mode: 0o600 });
    const { host } = await home.start();
    const lines = await exchange(request());
    expect(lines.map(({ type }) => type)).not.toContain('decision');
    host.subscribe(({ queue }) => expect(queue).toEqual([]));
  });

  it('gets no answer where config.json cannot be trusted', async () => {
    writeFileSync(home.paths.config, '{"version":1,"approvals":{"v1":"yes"}}');
    await home.start();
    const lines = await exchange(request());
    expect(lines.map(({ type }) => type)).not.toContain('decision');
  });
});
