import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectionServer } from '../../../app/host/connections.ts';
import { systemClock } from '../../../shared/home/clock.ts';
import type { ApproverSession } from '../../../shared/ipc/protocol/context.ts';
import { openRunnerSession } from '../../../shared/ipc/protocol/runner-session.ts';
import { connect, listen } from '../../../shared/ipc/transport/ipc.ts';
import type { Listener } from '../../../shared/ipc/transport/ipc.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { memoryPair } from '../../support/memory-transport.ts';
import type { MemoryDuplex } from '../../support/memory-transport.ts';
import { optionsFor, settle, token } from '../../support/sessions.ts';

/** A server over connections in memory, each from a process that the test names. */
function served(limits = { inAll: 8, perProcess: 3, kept: 2 }) {
  const clock = fakeClock();
  const sessions: ApproverSession[] = [];
  const serve = connectionServer(
    {
      uid: 1000,
      clock,
      log: () => undefined,
      token: async () => token,
      onBreach: () => undefined,
      onSession: (session) => {
        session.onAsk(() => undefined);
        sessions.push(session);
      },
      version1: () => null,
    },
    limits,
  );
  const open = (pid: number | null) => {
    const [client, server] = memoryPair({ peer: { uid: 1000, pid } });
    const seen = { client, closed: false };
    client.onClose(() => (seen.closed = true));
    serve(server);
    return seen;
  };
  const runner = async (pid: number): Promise<MemoryDuplex> => {
    const { client } = open(pid);
    const session = await openRunnerSession(client, optionsFor(clock, []));
    session.onDecision(() => undefined);
    return client;
  };
  return { open, runner, sessions, clock };
}

describe('connections that prove nothing', () => {
  it('lose their places to the next, and keep no runner out', async () => {
    const { open, runner, sessions } = served();
    const crowd = Array.from({ length: 40 }, (_, index) => open(100 + index));
    await runner(7);
    await settle();
    expect(sessions).toHaveLength(1);
    expect(crowd.filter(({ closed }) => !closed).length).toBeLessThanOrEqual(6);
  });

  it('of one process have few places, whoever else is there', async () => {
    const { open } = served();
    const other = open(5);
    const many = Array.from({ length: 20 }, () => open(6));
    await settle();
    expect(many.filter(({ closed }) => !closed)).toHaveLength(3);
    expect(many.at(-1)?.closed).toBe(false);
    expect(other.closed).toBe(false);
  });

  it('take no place of a runner that was here before', async () => {
    const { open, runner, sessions } = served();
    (await runner(7)).destroy();
    await settle();
    const halfOpen = open(7);
    for (let pid = 100; pid < 140; pid += 1) open(pid);
    await settle();
    expect(halfOpen.closed).toBe(false);
    await runner(7);
    expect(sessions).toHaveLength(2);
  });

  it('are closed when their time is over, and a session is not', async () => {
    const { open, runner, clock, sessions } = served();
    const silent = open(100);
    await runner(7);
    clock.advance(11_000);
    await settle();
    expect(silent.closed).toBe(true);
    expect(sessions).toHaveLength(1);
  });
});

describe('on a real socket', () => {
  let folder: string;
  let listener: Listener | null = null;
  let crowd: Socket[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'il-crowd-'));
  });
  afterEach(async () => {
    for (const socket of crowd) socket.destroy();
    crowd = [];
    await listener?.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it('300 half-open connections keep no runner from its approver', async () => {
    const path = join(folder, 's');
    const uid = process.geteuid?.() ?? -1;
    const sessions: ApproverSession[] = [];
    listener = await listen(
      path,
      connectionServer({
        uid,
        clock: systemClock,
        log: () => undefined,
        token: async () => token,
        onBreach: () => undefined,
        onSession: (session) => {
          session.onAsk(() => undefined);
          sessions.push(session);
        },
        version1: () => null,
      }),
    );
    crowd = Array.from({ length: 300 }, () => {
      const socket = createConnection(path);
      socket.on('error', () => undefined);
      socket.write('{"type":"he');
      return socket;
    });
    const duplex = await connect(path, { timeoutMs: 5_000 });
    const session = await openRunnerSession(duplex, { token, uid });
    session.onDecision(() => undefined);
    expect(sessions).toHaveLength(1);
    session.dispose();
  });
});
