import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as netConnect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createNonceMemory } from '../../../shared/ipc/protocol/context.ts';
import { openRunnerSession } from '../../../shared/ipc/protocol/runner-session.ts';
import type { ServeOptions } from '../../../shared/ipc/protocol/serve.ts';
import { serveApprovals } from '../../../shared/ipc/protocol/serve.ts';
import type { ApproverSession } from '../../../shared/ipc/protocol/context.ts';
import type { V1Context } from '../../../shared/ipc/protocol/v1.ts';
import { connect, listen } from '../../../shared/ipc/transport/ipc.ts';
import type { Listener } from '../../../shared/ipc/transport/ipc.ts';
import { ownUid } from '../../../shared/home/paths.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { sampleAsk } from '../../support/sample-ask.ts';
import { token } from '../../support/sessions.ts';

const clock = fakeClock();
const uid = ownUid();
let folder: string;
let listener: Listener;
let violations: string[];
const nonces = createNonceMemory(clock);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'both-'));
  violations = [];
});

afterEach(async () => {
  await listener.dispose();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(change: Partial<ServeOptions['v2']>, v1: ServeOptions['v1'] = null) {
  listener = await listen(join(folder, 's'), (duplex) => {
    serveApprovals(duplex, {
      v2: {
        token,
        uid,
        clock,
        nonces,
        onViolation: ({ code }) => violations.push(code),
        onSession: () => {},
        ...change,
      },
      v1,
    });
  });
}

const dial = async (change: { readonly uid?: number; readonly token?: string } = {}) =>
  openRunnerSession(await connect(listener.path, { timeoutMs: 5_000 }), {
    token,
    uid,
    clock,
    nonces,
    ...change,
  });

/** Sends one line the way old clients do, ends its side, and reads until the server ends too. */
async function halfClose(line: string): Promise<unknown[]> {
  const socket = netConnect({ path: listener.path, allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.end(line);
  await once(socket, 'end');
  const lines = Buffer.concat(chunks).toString().trim().split('\n');
  return lines.map((text) => JSON.parse(text) as unknown);
}

const request = JSON.stringify({ type: 'request', token, id: 'r', request: { command: 'ls' } });

describe('the protocol over a real socket', () => {
  it('asks, decides, and ends', async () => {
    await serve({
      onSession(session) {
        session.onAsk(({ id }, askDigest) => {
          session.decide({ id, askDigest, decision: 'deny', note: 'no' });
        });
      },
    });
    const runner = await dial();
    const decision = await new Promise((resolve) => {
      runner.onDecision(resolve);
      runner.ask(sampleAsk());
    });
    expect(decision).toMatchObject({ id: 'ask-1', decision: 'deny', note: 'no' });
    runner.dispose();
    expect(violations).toEqual([]);
  });

  it('tells the runner when the approver dies between ask and answer', async () => {
    const asked = new Promise<ApproverSession>((resolve) => {
      void serve({
        onSession(session) {
          session.onAsk(() => {
            resolve(session);
          });
        },
      });
    });
    await new Promise((resolve) => setImmediate(resolve));
    const runner = await dial();
    const heard: unknown[] = [];
    runner.onDecision((decision) => heard.push(decision));
    const closed = new Promise<string>((resolve) => {
      runner.onClose(({ code }) => {
        resolve(code);
      });
    });
    runner.ask(sampleAsk());
    await asked;
    await listener.dispose();
    expect(await closed).toBe('closed-by-peer');
    expect(heard).toEqual([]);
    expect(() => runner.ask(sampleAsk({ id: 'ask-2' }))).toThrow('approver-unavailable');
  });

  it('refuses a runner with another token, and a runner refuses such an approver', async () => {
    await serve({});
    await expect(dial({ token: 'some-other-token-of-32-bytes-or-so' })).rejects.toThrow();
    expect(violations).toEqual(['bad-mac']);
  });

  it('refuses an approver that runs as another user', async () => {
    await serve({});
    await expect(dial({ uid: uid + 1 })).rejects.toThrow('hmac-fail');
  });

  it('refuses a runner that runs as another user', async () => {
    await serve({ uid: uid + 1 });
    await expect(dial()).rejects.toThrow('approver-unavailable');
    expect(violations).toEqual(['foreign-peer']);
  });

  it('denies a version-1 client that runs as another user', async () => {
    const decide = (): Promise<never> => Promise.reject(new Error('asked'));
    await serve({ uid: uid + 1 }, { decide, onExec: decide });
    const [answer, ...more] = await halfClose(`${request}\n`);
    expect(answer).toMatchObject({ type: 'decision', decision: 'deny' });
    expect(more).toEqual([]);
  });

  it.each([`${request}\n`, request])(
    'answers a version-1 client that half-closes',
    async (line) => {
      const decide = async (): Promise<'allow-once'> => {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return 'allow-once';
      };
      await serve({}, { decide, onExec: () => Promise.reject(new Error('no')) });
      expect((await halfClose(line)).at(-1)).toEqual({
        type: 'decision',
        id: 'r',
        decision: 'allow-once',
      });
    },
  );

  it('notices a half-closed version-1 client that is gone, by writing to it', async () => {
    const asked = new Promise<V1Context>((resolve) => {
      void serve(
        {},
        {
          decide: (_request, _offered, context) => {
            resolve(context);
            return new Promise(() => {});
          },
          onExec: () => Promise.reject(new Error('no')),
        },
      );
    });
    await new Promise((resolve) => setImmediate(resolve));
    const socket = netConnect({ path: listener.path, allowHalfOpen: true });
    socket.end(request);
    const context = await asked;
    socket.destroy();
    while (!context.signal.aborted) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(context.signal.aborted).toBe(true);
  });
});
