import { describe, expect, it } from 'vitest';
import { createBridgeClient } from '../../../app/bridge/bridge-client.ts';
import { bridgeVersion, encodeMessage, pageMessageLimit } from '../../../app/bridge/messages.ts';
import type { HostMessage } from '../../../app/bridge/messages.ts';
import { pushBetween } from '../../../app/bridge/state-push.ts';
import type { AppState } from '../../../app/bridge/types.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

const state: AppState = {
  revision: 1,
  now: 0,
  runner: null,
  queue: [],
  missed: [],
  policy: { hash: '', problem: null },
};

function connectedClient() {
  const sent: string[] = [];
  let restarts = 0;
  const client = createBridgeClient({
    send: (text) => void sent.push(text),
    restart: () => void (restarts += 1),
  });
  const say = (message: HostMessage): void => client.receive(encodeMessage(message));
  client.opened();
  say({ type: 'connection', connected: true, version: bridgeVersion });
  return { client, sent, say, restarts: () => restarts };
}

describe('a page', () => {
  it('refuses calls before the host has greeted it', async () => {
    const client = createBridgeClient({
      send: () => expect.unreachable(),
      restart: () => expect.unreachable(),
    });
    client.opened();
    const answer = await client.bridge.call('resume', {});
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'host-unavailable' } });
  });

  it('matches results to calls by their id, in whatever order they come', async () => {
    const { client, sent, say } = connectedClient();
    const first = client.bridge.call('health', {});
    const second = client.bridge.call('resume', {});
    const ids = sent.map((text) => (JSON.parse(text) as { id: number }).id);
    say({ type: 'result', id: ids[1] ?? 0, answer: { ok: true, result: {} } });
    say({ type: 'result', id: ids[0] ?? 0, answer: { ok: true, result: { checks: [] } } });
    await expect(first).resolves.toEqual({ ok: true, result: { checks: [] } });
    await expect(second).resolves.toEqual({ ok: true, result: {} });
  });

  it('refuses the calls that were open when the connection broke', async () => {
    const { client } = connectedClient();
    const call = client.bridge.call('health', {});
    client.closed();
    await expect(call).resolves.toMatchObject({ ok: false });
  });

  it('refuses a call that the transport could not take', async () => {
    const client = createBridgeClient({
      send: () => {
        throw new Error('closed');
      },
      restart: () => expect.unreachable(),
    });
    client.receive(encodeMessage({ type: 'connection', connected: true, version: bridgeVersion }));
    await expect(client.bridge.call('health', {})).resolves.toMatchObject({ ok: false });
  });

  it('gives a late subscriber the last state at once', () => {
    const { client, say } = connectedClient();
    say({ type: 'state', state });
    const seen: number[] = [];
    client.bridge.subscribe(({ revision }) => seen.push(revision));
    say({ type: 'state', state: { ...state, revision: 2 } });
    expect(seen).toEqual([1, 2]);
  });

  it('puts changes on the state that it has', () => {
    const { client, say, restarts } = connectedClient();
    const queue = [queuedAsk()];
    say({ type: 'state', state });
    say(pushBetween(state, { ...state, revision: 2, queue }));
    const seen: AppState[] = [];
    client.bridge.subscribe((next) => seen.push(next));
    expect(seen).toEqual([{ ...state, revision: 2, queue }]);
    expect(restarts()).toBe(0);
  });

  it('begins anew when a change was made for a state that it does not have', () => {
    const { client, say, restarts } = connectedClient();
    say({ type: 'state', state });
    say({ type: 'change', change: { base: 7, revision: 8, now: 0 } });
    const seen: number[] = [];
    client.bridge.subscribe(({ revision }) => seen.push(revision));
    expect(seen).toEqual([1]);
    expect(restarts()).toBe(1);
  });

  it('does not send what the host would cut it off for', async () => {
    const { client, sent } = connectedClient();
    const command = 'é'.repeat(pageMessageLimit / 2);
    const answer = await client.bridge.call('simulate', { agent: 'a', command, cwd: '/' });
    expect(answer).toMatchObject({ ok: false, refusal: { code: 'invalid-request' } });
    expect(sent).toEqual([]);
  });

  it('remembers why the host said goodbye, until it is opened again', () => {
    const { client, say } = connectedClient();
    const connections: boolean[] = [];
    client.bridge.onConnection((connected) => connections.push(connected));
    say({ type: 'connection', connected: false, reason: 'idle' });
    expect(client.farewell()).toBe('idle');
    expect(connections).toEqual([true, false]);
    client.opened();
    expect(client.farewell()).toBeNull();
  });

  it('does not work with a host of another version', async () => {
    const { client, say } = connectedClient();
    say({ type: 'connection', connected: true, version: bridgeVersion + 1 });
    expect(client.farewell()).toBe('version');
    await expect(client.bridge.call('health', {})).resolves.toMatchObject({ ok: false });
  });

  it.each(['', '{', 'null', '[]', '{"type":"state"}', '{"type":"other"}', '{"type":"result"}'])(
    'ignores what is not a message: %s',
    (text) => {
      const { client } = connectedClient();
      client.bridge.subscribe(() => expect.unreachable());
      client.receive(text);
      expect(client.farewell()).toBeNull();
    },
  );
});
