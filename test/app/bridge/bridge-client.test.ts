import { describe, expect, it } from 'vitest';
import { createBridgeClient } from '../../../app/bridge/bridge-client.ts';
import { bridgeVersion, encodeMessage } from '../../../app/bridge/messages.ts';
import type { HostMessage } from '../../../app/bridge/messages.ts';
import type { AppState } from '../../../app/bridge/types.ts';

const state: AppState = {
  revision: 1,
  now: 0,
  runner: null,
  queue: [],
  missed: [],
  policy: { hash: '', document: null, problem: null },
};

function connectedClient() {
  const sent: string[] = [];
  const client = createBridgeClient((text) => sent.push(text));
  const say = (message: HostMessage): void => client.receive(encodeMessage(message));
  client.opened();
  say({ type: 'connection', connected: true, version: bridgeVersion });
  return { client, sent, say };
}

describe('a page', () => {
  it('refuses calls before the host has greeted it', async () => {
    const client = createBridgeClient(() => expect.unreachable());
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

  it('refuses a call that the carrier could not take', async () => {
    const client = createBridgeClient(() => {
      throw new Error('closed');
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
