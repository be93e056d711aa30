import { describe, expect, it } from 'vitest';
import { openRunnerSession } from '../../../shared/ipc/protocol/runner-session.ts';
import { serveApprovals } from '../../../shared/ipc/protocol/serve.ts';
import type { ApproverSession } from '../../../shared/ipc/protocol/context.ts';
import type { V1Context, V1Handlers } from '../../../shared/ipc/protocol/v1.ts';
import type { ViolationCode } from '../../../shared/ipc/protocol/violation.ts';
import type { MemoryDuplex } from '../../support/memory-transport.ts';
import { memoryPair } from '../../support/memory-transport.ts';
import type { PeerCredentials } from '../../../shared/ipc/peer.ts';
import type { FakeClock } from '../../support/fake-clock.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { sampleAsk } from '../../support/sample-ask.ts';
import { optionsFor, settle, token } from '../../support/sessions.ts';

interface Served {
  readonly client: MemoryDuplex;
  readonly clock: FakeClock;
  readonly lines: string[];
  readonly sessions: ApproverSession[];
  readonly violations: ViolationCode[];
  readonly ended: string[];
}

interface ServeChange {
  readonly v1?: Partial<V1Handlers> | null;
  readonly peer?: PeerCredentials | null;
}

const allowing: V1Handlers = {
  decide: () => Promise.resolve('allow-once'),
  onExec: () => Promise.reject(new Error('not here')),
};

function served(change: ServeChange = {}): Served {
  const pair = memoryPair(change.peer === undefined ? {} : { peer: change.peer });
  const [client, server] = pair;
  const clock = fakeClock();
  const result: Served = {
    client,
    clock,
    lines: [],
    sessions: [],
    violations: [],
    ended: [],
  };
  serveApprovals(server, {
    v2: {
      ...optionsFor(clock, result.violations),
      onSession: (session) => result.sessions.push(session),
    },
    v1: change.v1 === null ? null : { ...allowing, ...change.v1 },
  });
  client.onEnd(() => result.ended.push('end'));
  client.onClose(({ code }) => result.ended.push(code));
  return result;
}

/** A client that only listens for lines: what a version-1 client reads. */
function listening(change: ServeChange = {}): Served {
  const result = served(change);
  result.client.onLine((line) => result.lines.push(line));
  return result;
}

const types = (lines: readonly string[]): unknown[] =>
  lines.map((line) => (JSON.parse(line) as { type: unknown }).type);

const request = JSON.stringify({ type: 'request', token, id: 'r', request: { command: 'ls' } });

describe('one socket for both versions', () => {
  it('opens a session for a runner of version 2', async () => {
    const { client, clock, sessions, violations } = served();
    const runner = await openRunnerSession(client, optionsFor(clock, []));
    const decided: string[] = [];
    runner.onDecision(({ decision }) => decided.push(decision));
    await settle();
    sessions[0]?.onAsk(({ id }, askDigest) =>
      sessions[0]?.decide({ id, askDigest, decision: 'deny' }),
    );
    runner.ask(sampleAsk());
    await settle();
    expect(decided).toEqual(['deny']);
    expect(violations).toEqual([]);
  });

  it('answers a version-1 client, which skips the challenge, and ends', async () => {
    const { client, clock, ended, lines, sessions, violations } = listening();
    client.send(request);
    await settle();
    expect(types(lines)).toEqual(['challenge', 'decision']);
    expect(JSON.parse(lines[1] ?? '')).toEqual({
      type: 'decision',
      id: 'r',
      decision: 'allow-once',
    });
    expect(ended).toEqual(['end']);
    client.end();
    await settle();
    expect(sessions).toEqual([]);
    expect(violations).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('answers a version-1 client that has ended its side already', async () => {
    const { client, lines } = listening();
    client.send(request);
    client.end();
    await settle();
    expect(types(lines)).toEqual(['challenge', 'decision']);
  });

  it('reads one frame of a version-1 client, and no second', async () => {
    let asked = 0;
    const decide = (): Promise<'deny'> => {
      asked += 1;
      return Promise.resolve('deny');
    };
    const { client, lines } = listening({ v1: { decide } });
    client.send(request);
    client.send(request);
    await settle();
    expect(asked).toBe(1);
    expect(types(lines)).toEqual(['challenge', 'decision']);
  });

  it('writes a line each second while a person thinks, and stops when the client is gone', async () => {
    const contexts: V1Context[] = [];
    const decide: V1Handlers['decide'] = (_request, _offered, context) => {
      contexts.push(context);
      return new Promise((resolve) => {
        context.signal.addEventListener('abort', () => {
          resolve(null);
        });
      });
    };
    const { client, clock, lines } = listening({ v1: { decide } });
    client.send(request);
    await settle();
    clock.advance(2_000);
    await settle();
    expect(types(lines)).toEqual(['challenge', 'waiting', 'waiting']);
    expect(contexts[0]?.signal.aborted).toBe(false);
    client.crash();
    await settle();
    expect(contexts[0]?.signal.aborted).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('takes a question back after fifteen seconds, when no version-1 client listens any more', async () => {
    let aborted = false;
    const decide: V1Handlers['decide'] = (_request, _offered, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          aborted = true;
          resolve(null);
        });
      });
    const { client, clock, lines } = listening({ v1: { decide } });
    client.send(request);
    await settle();
    clock.advance(14_999);
    await settle();
    expect(aborted).toBe(false);
    clock.advance(1);
    await settle();
    expect(aborted).toBe(true);
    expect(types(lines).at(-1)).toBe('decision');
    expect(clock.pending).toBe(0);
  });

  it('sends a version-1 client away where version 1 is off', async () => {
    const { client, lines, violations } = listening({ v1: null });
    client.send(request);
    await settle();
    expect(types(lines)).toEqual(['challenge']);
    expect(violations).toEqual(['wrong-version']);
  });

  it.each([{ uid: 1001, pid: 4 }, null])('denies the peer %j unheard', async (peer) => {
    const { client, ended, lines, violations } = listening({ peer });
    client.send(request);
    await settle();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ type: 'decision', decision: 'deny' });
    expect(violations).toEqual(['foreign-peer']);
    expect(ended).toEqual(['end']);
  });

  it('says nothing to a foreign peer where version 1 is off', async () => {
    const { lines, violations } = listening({ peer: { uid: 1001, pid: 4 }, v1: null });
    await settle();
    expect(lines).toEqual([]);
    expect(violations).toEqual(['foreign-peer']);
  });

  it.each<[ViolationCode, string]>([
    ['bad-json', '{"type":"request"'],
    ['bad-json', ''],
    ['bad-frame', '"request"'],
    ['unexpected-frame', '{"type":"shout"}'],
    ['unexpected-frame', '{}'],
    ['frame-too-long', JSON.stringify({ type: 'request', token, id: 'x'.repeat(256_000) })],
  ])('closes without a word over %s', async (code, line) => {
    const { client, clock, ended, lines, violations } = listening();
    client.send(line);
    await settle();
    expect(types(lines)).toEqual(['challenge']);
    expect(violations).toEqual([code]);
    expect(ended).toContain('closed-by-peer');
    expect(clock.pending).toBe(0);
  });

  it('closes on a client that connects and says nothing', async () => {
    const { clock, ended, violations } = listening();
    await settle();
    clock.advance(10_000);
    await settle();
    expect(violations).toEqual(['handshake-timeout']);
    expect(ended).toContain('closed-by-peer');
  });
});
