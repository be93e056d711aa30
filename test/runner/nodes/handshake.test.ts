import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newDevice } from '../../../runner/nodes/device.ts';
import {
  joinGateway,
  pairWithGateway,
  receiveNode,
  tokenHash,
} from '../../../runner/nodes/handshake.ts';
import type {
  Channel,
  GatewaySide,
  NodeSide,
  PairingOffer,
} from '../../../runner/nodes/handshake.ts';
import type { KnownNode } from '../../../runner/nodes/handshake.ts';
import { createTalk, Rejection } from '../../../runner/nodes/talk.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { memoryWires } from '../../support/memory-links.ts';

const nonce = (): string => randomBytes(32).toString('base64url');
const channelOf = (): Channel => ({ certificate: randomBytes(32), binding: randomBytes(32) });
const state = { version: '1.2.3', policyHash: 'a'.repeat(64) };
const settled = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const gatewayDevice = newDevice().device;
const nodeDevice = newDevice().device;
const token = nonce();

/** A gateway that knows one node, and the two ends of a line to it. */
function meeting(given: Partial<GatewaySide> = {}) {
  const wires = memoryWires();
  const clock = fakeClock();
  const channel = channelOf();
  const atGateway = createTalk(wires.atGateway, clock);
  const atNode = createTalk(wires.atNode, clock);
  wires.toGateway.to = atGateway;
  wires.toNode.to = atNode;
  const nodes = new Map<string, KnownNode>([
    [nodeDevice.id, { key: nodeDevice.publicKey, tokenHash: tokenHash(token), state: 'approved' }],
  ]);
  const withdrawn: string[] = [];
  const received = receiveNode(atGateway, {
    device: gatewayDevice,
    displayName: 'desk',
    channel,
    nonce,
    find: (id) => nodes.get(id) ?? null,
    approve: async () => Promise.reject(new Rejection('declined', 'Nobody is here.')),
    withdraw: (offer) => withdrawn.push(offer.id),
    ...given,
  });
  received.catch(() => undefined);
  const side: NodeSide = { device: nodeDevice, channel, nonce, state };
  const join = async (changed: Partial<Parameters<typeof joinGateway>[1]> = {}) =>
    joinGateway(atNode, {
      ...side,
      gateway: { key: gatewayDevice.publicKey },
      token,
      ...changed,
    });
  return { wires, clock, channel, atGateway, atNode, nodes, withdrawn, received, side, join };
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'came together',
    (error: unknown) => (error instanceof Rejection ? error.code : String(error)),
  );
}

describe('a node that is paired', () => {
  it('comes together with its gateway, and both know who the other is', async () => {
    const on = meeting();
    expect(await on.join()).toEqual({ displayName: 'desk' });
    expect(await on.received).toEqual({ kind: 'joined', id: nodeDevice.id, ...state });
  });

  it('does so with clocks that are years apart: no time is part of it', async () => {
    const wires = memoryWires();
    const [then, now] = [fakeClock(1_000_000_000_000), fakeClock(4_000_000_000_000)];
    const channel = channelOf();
    const [atGateway, atNode] = [createTalk(wires.atGateway, then), createTalk(wires.atNode, now)];
    wires.toGateway.to = atGateway;
    wires.toNode.to = atNode;
    const received = receiveNode(atGateway, {
      device: gatewayDevice,
      displayName: 'desk',
      channel,
      nonce,
      find: () => ({
        key: nodeDevice.publicKey,
        tokenHash: tokenHash(token),
        state: 'approved',
      }),
      approve: async () => '',
      withdraw: () => undefined,
    });
    const gateway = { key: gatewayDevice.publicKey };
    await joinGateway(atNode, { device: nodeDevice, channel, nonce, state, gateway, token });
    expect((await received).kind).toBe('joined');
  });

  it('is not let in with a stolen token and another key', async () => {
    const on = meeting();
    const thief = newDevice().device;
    const posing = { ...thief, id: nodeDevice.id };
    expect(await codeOf(on.join({ device: posing }))).toBe('unproven');
    expect(await codeOf(on.received)).toBe('unproven');
  });

  it('is not let in with its own key and the token of another node, or of an earlier pairing', async () => {
    const on = meeting();
    expect(await codeOf(on.join({ token: nonce() }))).toBe('unproven');
  });

  it('is not let in under an id that nobody approved', async () => {
    const on = meeting();
    expect(await codeOf(on.join({ device: newDevice().device }))).toBe('unknown');
  });

  it('is told that it was removed, once it has proven who it is', async () => {
    const on = meeting();
    on.nodes.set(nodeDevice.id, {
      key: nodeDevice.publicKey,
      tokenHash: tokenHash(token),
      state: 'removed',
    });
    expect(await codeOf(on.join())).toBe('removed');
  });

  it('sends its token to nobody who cannot prove to be its gateway', async () => {
    const on = meeting({ device: newDevice().device });
    expect(await codeOf(on.join())).toBe('unproven');
    await settled();
    expect(on.wires.toGateway.seen.join(' ')).not.toContain(token);
  });

  it('cannot be relayed: what it signs holds on its own connection alone', async () => {
    const on = meeting();
    expect(await codeOf(on.join({ channel: { ...on.channel, binding: randomBytes(32) } }))).toBe(
      'unproven',
    );
  });

  it('cannot be replayed: what it once said opens no second connection', async () => {
    const first = meeting();
    await first.join();
    await first.received;
    const channel = first.channel;
    const second = meeting({ channel });
    for (const text of first.wires.toGateway.seen) second.wires.toGateway.put(text);
    expect(await codeOf(second.received)).toBe('unproven');
  });
});

describe('a gateway, before anything is proven', () => {
  it.each([
    ['a frame of a link', '{"type":"run","run":1,"digest":"x","task":{}}', 'bad-frame'],
    ['a sign of life', '{"type":"beat","version":"1","policyHash":null}', 'bad-frame'],
    ['a proof that nobody asked for', '{"type":"proof","token":"x"}', 'bad-frame'],
    [
      'another version',
      JSON.stringify({ type: 'pair', protocol: 2, commitment: nonce() }),
      'version',
    ],
    [
      'a field too many',
      JSON.stringify({ type: 'pair', protocol: 1, commitment: nonce(), x: 1 }),
      'bad-frame',
    ],
    ['a long frame', JSON.stringify({ type: 'pair', x: 'x'.repeat(5_000) }), 'bad-frame'],
    ['no JSON', 'GET / HTTP/1.1', 'bad-frame'],
  ])('ends over %s', async (_, text, code) => {
    const on = meeting();
    on.wires.toGateway.put(text);
    expect(await codeOf(on.received)).toBe(code);
  });

  it('ends over frames that nobody asked for yet', async () => {
    const on = meeting();
    const text = JSON.stringify({ type: 'join', protocol: 1, id: nodeDevice.id, nonce: nonce() });
    for (let n = 0; n < 5; n += 1) on.wires.toGateway.put(text);
    expect(await codeOf(on.received)).toBe('bad-frame');
  });

  it('does not wait for one who says nothing', async () => {
    const on = meeting();
    await settled();
    on.clock.advance(10_000);
    expect(await codeOf(on.received)).toBe('too-slow');
  });
});

describe('a pairing', () => {
  const pairing = (confirm: (code: string) => Promise<boolean> = async () => true) => {
    const offers: PairingOffer[] = [];
    const on = meeting({
      approve: async (offer) => {
        offers.push(offer);
        return token;
      },
    });
    const codes: string[] = [];
    const keeps: unknown[] = [];
    const start = async (changed: Partial<Parameters<typeof pairWithGateway>[1]> = {}) =>
      pairWithGateway(on.atNode, {
        ...on.side,
        displayName: 'build machine',
        confirm: async ({ code }) => {
          codes.push(code);
          return confirm(code);
        },
        keep: (kept) => keeps.push(kept),
        ...changed,
      });
    return { ...on, offers, codes, keeps, start };
  };

  it('shows one code on both sides and leaves the node with key and token of the gateway', async () => {
    const on = pairing();
    const kept = await on.start();
    expect(await on.received).toEqual({ kind: 'paired', id: nodeDevice.id });
    expect(kept).toEqual({ key: gatewayDevice.publicKey, displayName: 'desk', token });
    expect(on.keeps).toEqual([kept]);
    expect(on.offers).toMatchObject([
      { id: nodeDevice.id, key: nodeDevice.publicKey, displayName: 'build machine', ...state },
    ]);
    expect(on.offers.map(({ code }) => code)).toEqual(on.codes);
  });

  it('shows two codes where somebody stands between with a certificate of their own', async () => {
    const on = pairing();
    const channel = { ...on.channel, certificate: randomBytes(32) };
    expect(await codeOf(on.start({ channel }))).toBe('unproven');
    await settled();
    expect(on.codes).toHaveLength(1);
    expect(on.offers).toEqual([]);
  });

  it('is nothing on either side where the person at the node says that the codes differ', async () => {
    const on = pairing(async () => false);
    expect(await codeOf(on.start())).toBe('declined');
    expect(await codeOf(on.received)).toBe('lost');
    expect(on.keeps).toEqual([]);
    expect(on.withdrawn).toEqual([nodeDevice.id]);
  });

  it('is taken back at the gateway where the node cannot write it down', async () => {
    const on = pairing();
    const keep = (): void => {
      throw new Error('the disk is full');
    };
    await expect(on.start({ keep })).rejects.toThrow('the disk is full');
    expect(await codeOf(on.received)).toBe('lost');
    expect(on.withdrawn).toEqual([nodeDevice.id]);
  });

  it('shows the name of the other machine as one line, whatever it calls itself', async () => {
    const on = pairing();
    const displayName = `build\n7KQ2-M0XD  ana\u202e${'\u0007'.repeat(30)}`;
    await on.start({ displayName });
    const [{ displayName: shown } = { displayName: '' }] = on.offers;
    expect(shown).toMatch(/^build 7KQ2-M0XD ana/u);
    expect(shown).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(shown.length).toBeLessThanOrEqual(200);
  });

  it('is not offered for a key that the node does not have', async () => {
    const on = pairing();
    const borrowed = { ...newDevice().device, publicKey: nodeDevice.publicKey };
    expect(await codeOf(on.start({ device: borrowed }))).toBe('unproven');
    expect(on.offers).toEqual([]);
  });

  it('hears why a gateway says no', async () => {
    const on = meeting();
    const result = pairWithGateway(on.atNode, {
      ...on.side,
      displayName: 'build',
      confirm: async () => new Promise(() => undefined),
      keep: () => undefined,
    });
    await expect(result).rejects.toMatchObject({ code: 'declined', message: 'Nobody is here.' });
  });
});
