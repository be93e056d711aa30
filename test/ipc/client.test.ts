import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runnerClient } from '../../shared/ipc/runner-client.ts';
import { RunnerUnreachableError } from '../../shared/ipc/runner-call.ts';
import { refusalOf } from '../../shared/base/refusal.ts';
import { fakeRunner, json, refusal } from '../runner/cli/fake-runner.ts';
import type { Answer, FakeRunner } from '../runner/cli/fake-runner.ts';
import { leaveStaleSocket } from '../operations/health/stale-socket.ts';

let folder: string;
let socketPath: string;
let runner: FakeRunner | null = null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'il-client-'));
  socketPath = join(folder, 's');
});
afterEach(async () => {
  await runner?.close();
  runner = null;
  rmSync(folder, { recursive: true, force: true });
});

async function withRunner(answer: Answer): Promise<FakeRunner> {
  runner = await fakeRunner(socketPath, answer);
  return runner;
}

const failureOf = async (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );

describe('the client of the runner', () => {
  it('calls each path with its body', async () => {
    const fake = await withRunner((_seen, response) => {
      json(response, 200, { ok: true, pending: [], events: [], session: 's', dropped: 0 });
    });
    const client = runnerClient({ socketPath });
    await client.status();
    await client.pending();
    await client.pendingAsk('a/1');
    await client.check({ argv: ['ls'], cwd: '/' });
    await client.lockout('smoke');
    await client.pause();
    await client.resume();
    await client.events('s 1');
    await client.history({ offset: 0, limit: 10, search: 'git & co' });
    expect(fake.seen.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['GET', '/v1/status', null],
      ['GET', '/v1/pending', null],
      ['GET', '/v1/pending/a%2F1', null],
      ['POST', '/v1/check', { argv: ['ls'], cwd: '/' }],
      ['POST', '/v1/lockout', { reason: 'smoke' }],
      ['POST', '/v1/pause', {}],
      ['POST', '/v1/resume', {}],
      ['GET', '/v1/events?session=s%201', null],
      ['GET', '/v1/history?offset=0&limit=10&search=git+%26+co', null],
    ]);
  });

  it('rejects with the refusal that the runner gave', async () => {
    await withRunner((_seen, response) => refusal(response, 'lockout-active', 'Locked.'));
    const error = await failureOf(runnerClient({ socketPath }).resume());
    expect(refusalOf(error)).toEqual({
      code: 'lockout-active',
      message: 'Locked.',
      hint: 'Do this instead.',
    });
  });

  it.each([
    ['a code that nobody knows', { ok: false, refusal: { code: 'nonsense', message: 'x' } }],
    ['no refusal at all', { error: 'x' }],
  ])('takes an error answer with %s for an invalid request', async (_what, body) => {
    await withRunner((_seen, response) => json(response, 500, body));
    const error = await failureOf(runnerClient({ socketPath }).status());
    expect(refusalOf(error)?.code).toBe('invalid-request');
  });

  it('gives up on a runner that does not answer', async () => {
    await withRunner(() => undefined);
    const error = await failureOf(runnerClient({ socketPath, timeoutMs: 30 }).status());
    expect(error).toBeInstanceOf(RunnerUnreachableError);
  });

  it.each([
    ['nothing', () => undefined, 'does not exist'],
    ['a socket that was left behind', () => leaveStaleSocket(socketPath), 'left behind'],
  ])('says what it found in the place of a runner: %s', async (_what, prepare, sentence) => {
    prepare();
    const error = await failureOf(runnerClient({ socketPath }).status());
    expect(error).toBeInstanceOf(RunnerUnreachableError);
    expect((error as RunnerUnreachableError).message).toContain(sentence);
    expect((error as RunnerUnreachableError).hint).toContain('interlock up');
  });

  it('refuses a file in the place of a runner', async () => {
    writeFileSync(socketPath, '');
    const error = await failureOf(runnerClient({ socketPath }).status());
    expect(refusalOf(error)).toMatchObject({
      code: 'config-invalid',
      message: expect.stringContaining('is not a socket') as string,
    });
  });

  it.each(['HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nwhat', 'SSH-2.0-OpenSSH_9.2\r\n'])(
    'does not take %j for a runner',
    async (text) => {
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.resume();
        socket.end(text);
      });
      server.listen(socketPath);
      await once(server, 'listening');
      const error = await failureOf(runnerClient({ socketPath }).status());
      expect(error).toBeInstanceOf(RunnerUnreachableError);
      server.close();
      await once(server, 'close');
    },
  );
});
