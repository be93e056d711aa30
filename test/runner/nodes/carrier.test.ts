import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { compile, s } from '../../../shared/base/index.ts';
import { ownUid } from '../../../shared/home/index.ts';
import { openGatewayCertificate } from '../../../runner/nodes/certificate.ts';
import type { GatewayCertificate } from '../../../runner/nodes/certificate.ts';
import { newDevice } from '../../../runner/nodes/device.ts';
import { dial } from '../../../runner/nodes/dial.ts';
import { createNodeGateway } from '../../../runner/nodes/gateway.ts';
import { joinGateway, pairWithGateway } from '../../../runner/nodes/handshake.ts';
import { maxFrameBytes } from '../../../runner/nodes/link.ts';
import type { LinkEnd, NodeLink } from '../../../runner/nodes/link.ts';
import { listenForNodes, strangerMs } from '../../../runner/nodes/listener.ts';
import type { KeptNode } from '../../../runner/nodes/node-file.ts';
import { openRegistry } from '../../../runner/nodes/registry.ts';
import { stayAtGateway } from '../../../runner/nodes/stay.ts';
import type { Standing } from '../../../runner/nodes/stay.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const uid = ownUid();
const host = '127.0.0.1';
const nonce = (): string => randomBytes(32).toString('base64url');
const check = compile(s.string());
const state = () => ({ version: '1.0.0', policyHash: null });
let folder = '';
let certificate: GatewayCertificate;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-carrier-'));
  certificate = await openGatewayCertificate({ path: join(folder, 'cert'), uid, now: Date.now() });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Waits for what comes over sockets. */
async function until(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { interval: 2, timeout: 5_000 }).toBe(true);
}

/** A gateway that really listens, on a free port of loopback. Its clock stands still. */
async function listening({ port = 0, nodes = `nodes-${randomBytes(4).toString('hex')}` } = {}) {
  const clock = fakeClock();
  const links: NodeLink<string, string>[] = [];
  const heard: string[] = [];
  const ends: LinkEnd[] = [];
  const notes: string[] = [];
  const gateway = createNodeGateway<string, string>({
    device,
    displayName: 'desk',
    registry: openRegistry({ path: join(folder, nodes), uid }),
    clock,
    nonce,
    check,
    state,
    onPaired: () => undefined,
    onLink: (link) => {
      links.push(link);
      link.onFrame((frame) => heard.push(frame));
      link.onClose((end) => ends.push(end));
    },
    note: (code) => notes.push(code),
    onRemoved: () => undefined,
  });
  const listener = await listenForNodes({
    host,
    port,
    certificate,
    clock,
    onCaller: (caller) => gateway.receive(caller),
  });
  const close = async (): Promise<void> => {
    gateway.dispose();
    await listener.dispose();
  };
  onTestFinished(close);
  return { clock, gateway, links, heard, ends, notes, close, nodes, port: listener.port };
}
const { device } = newDevice();

/** Pairs a new machine for real, and has a person on both sides say yes. */
async function paired({ gateway, port }: Awaited<ReturnType<typeof listening>>): Promise<KeptNode> {
  const own = newDevice();
  const signal = new AbortController().signal;
  const { talk, channel } = await dial({
    host,
    port,
    certificate: null,
    clock: fakeClock(),
    signal,
  });
  const kept = await pairWithGateway(talk, {
    device: own.device,
    channel,
    nonce,
    state: state(),
    displayName: 'build',
    keep: () => undefined,
    confirm: async ({ code }) => {
      await until(() => gateway.pairings().length === 1);
      gateway.approve(code);
      return true;
    },
  });
  const { id } = own.device;
  return {
    device: own.device,
    file: {
      version: 1,
      id,
      displayName: 'build',
      key: own.pem,
      token: kept.token,
      pairedAt: 0,
      gateway: {
        host,
        port,
        displayName: kept.displayName,
        key: kept.key,
        certificate: Buffer.from(channel.certificate).toString('hex'),
      },
    },
  };
}

function addressOf({ file: { gateway } }: KeptNode) {
  if ('via' in gateway) throw new Error('it was paired over TCP');
  return gateway;
}

const chance = 0.123_456_7;

/** A node that stays connected; its waits between attempts, which chance made no whole numbers, are short. */
function staying(node: KeptNode) {
  const waits: number[] = [];
  const still = fakeClock();
  const after = (ms: number, run: () => void): (() => void) => {
    if (Number.isInteger(ms)) return still.after(ms, run);
    waits.push(ms);
    const timer = setTimeout(run, 5);
    return () => clearTimeout(timer);
  };
  const clock = { ...still, after };
  const stop = new AbortController();
  const links: NodeLink<string, string>[] = [];
  const standings: Standing[] = [];
  const done = stayAtGateway<string, string>({
    node,
    gateway: { key: node.file.gateway.key, address: null },
    isFinal: ({ isFinal }) => isFinal,
    clock,
    nonce,
    random: () => chance,
    check,
    state,
    signal: stop.signal,
    dial: async (signal) => dial({ ...addressOf(node), clock, signal }),
    onLink: (link) => links.push(link),
    onStanding: (standing) => standings.push(standing),
  });
  onTestFinished(async () => {
    stop.abort();
    await done;
  });
  const last = (): Standing | undefined => standings.at(-1);
  const leave = async (): Promise<void> => {
    stop.abort();
    await done;
  };
  return { waits, links, standings, last, done, leave };
}

it('pairs, carries frames both ways, and connects again after the link was lost', async () => {
  const on = await listening();
  const node = await paired(on);
  expect(on.gateway.nodes()).toMatchObject([{ displayName: 'build', online: false }]);
  const there = staying(node);
  await until(() => on.links.length === 1 && there.links.length === 1);
  expect(on.gateway.nodes()).toMatchObject([{ online: true, lastAddress: host }]);
  there.links[0]?.send('up');
  on.links[0]?.send('d'.repeat(1_000_000));
  const down: string[] = [];
  there.links[0]?.onFrame((frame) => down.push(frame));
  await until(() => on.heard.length === 1 && down.length === 1);
  expect([on.heard, down[0]?.length]).toEqual([['up'], 1_000_000]);

  await on.close();
  await until(() => there.last()?.connected === false);
  // Nobody is there: it waits longer each time, and does not give up.
  await until(() => there.waits.length > 8);
  const seconds = [1, 2, 4, 8, 16, 32, 60, 60].map((n) => n * 1_000 * (0.5 + chance / 2));
  expect(there.waits.slice(0, 8)).toEqual(seconds.map((ms) => expect.closeTo(ms, 6)));
  expect(there.standings.every(({ given }) => !given)).toBe(true);

  const again = await listening(on);
  await until(() => again.links.length === 1 && there.links.length === 2);
  there.links[1]?.send('up again');
  await until(() => again.heard.length === 1);
  expect([again.heard, on.heard]).toEqual([['up again'], ['up']]);
});

it('lets a removed node in no more, says so, and stops it from trying', async () => {
  const on = await listening();
  const node = await paired(on);
  const there = staying(node);
  await until(() => on.links.length === 1);
  on.gateway.remove('build');
  await until(() => there.last()?.connected === false);
  expect(there.last()?.problem).toContain('removed by a person');
  await there.done;
  expect(there.last()).toMatchObject({ given: true, connected: false });
  expect(on.gateway.linkTo(node.device.id)).toBeNull();
  expect(on.notes).toContain('node-refused');
});

it('has one connection a node: a second one takes the place of the first', async () => {
  const on = await listening();
  const node = await paired(on);
  staying(node);
  await until(() => on.links.length === 1);
  staying(node);
  await until(() => on.links.length === 2);
  expect(on.ends[0]?.detail).toBe('The same machine connected again.');
  expect(on.gateway.linkTo(node.device.id)).toBe(on.links[1]);
});

it('is not let in for ever by going round and round', async () => {
  const on = await listening();
  staying(await paired(on));
  for (let n = 1; n <= 20; n += 1) {
    await until(() => on.links.length === n);
    on.links.at(-1)?.close('Go.');
  }
  await until(() => on.notes.includes('node-refused'));
  expect(on.links).toHaveLength(20);
  on.clock.advance(5_000);
  await until(() => on.links.length === 21);
});

it('sends nothing to a gateway with another certificate, and gives up', async () => {
  const on = await listening();
  const node = await paired(on);
  const gateway = { ...node.file.gateway, certificate: 'ab'.repeat(32) };
  const there = staying({ ...node, file: { ...node.file, gateway } });
  await there.done;
  expect(there.last()).toMatchObject({ given: true });
  expect(there.last()?.problem).toContain('another certificate');
  expect(on.links).toEqual([]);
});

it('ends over a frame that is too long, without reading it', async () => {
  const on = await listening();
  const node = await paired(on);
  const there = staying(node);
  await until(() => there.links.length === 1 && on.links.length === 1);
  expect(there.links[0]?.send('x'.repeat(maxFrameBytes))).toBe(false);
  await until(() => on.ends.length === 1);
  await there.leave();
  await until(() => on.ends.length === on.links.length);
  const before = on.ends.length;

  // One who sends it all the same.
  const signal = new AbortController().signal;
  const dialled = await dial({ ...addressOf(node), clock: fakeClock(), signal });
  const { token, gateway } = node.file;
  const side = { device: node.device, channel: dialled.channel, nonce, state: state() };
  await joinGateway(dialled.talk, { ...side, gateway, token });
  await until(() => on.links.length === before + 1);
  dialled.wire.send(`"${'x'.repeat(maxFrameBytes)}"`);
  await until(() => on.ends.length === before + 1);
  expect(on.heard).toEqual([]);
});

describe('strangers', () => {
  const knock = async (port: number): Promise<{ readonly socket: Socket; isClosed: boolean }> => {
    const socket = connectTcp(port, host);
    const stranger = { socket, isClosed: false };
    socket.on('error', () => undefined);
    socket.on('close', () => {
      stranger.isClosed = true;
    });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return stranger;
  };

  it('get few places and little time, whatever they say', async () => {
    const on = await listening();
    const strangers: Awaited<ReturnType<typeof knock>>[] = [];
    for (let n = 0; n < 8; n += 1) strangers.push(await knock(on.port));
    strangers[0]?.socket.write('GET / HT');
    const oneTooMany = await knock(on.port);
    await until(() => oneTooMany.isClosed);
    on.clock.advance(strangerMs);
    await until(() => strangers.every(({ isClosed }) => isClosed));
    // Their places are free again.
    await paired(on);
  });

  it('cannot hold a place by a handshake that goes on and on', async () => {
    const on = await listening();
    const signal = new AbortController().signal;
    const { talk } = await dial({
      host,
      port: on.port,
      certificate: null,
      clock: fakeClock(),
      signal,
    });
    on.clock.advance(strangerMs);
    await until(() => talk.gone.aborted);
    expect(on.links).toEqual([]);
  });

  it.each([
    ['a plain request', 'GET / HTTP/1.1\r\nhost: x\r\n\r\n', {}],
    [
      'a page in a browser',
      'GET /interlock/node HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\norigin: https://evil.example\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-version: 13\r\nsec-websocket-protocol: interlock.node.1\r\n\r\n',
      {},
    ],
    [
      'another path',
      'GET /x HTTP/1.1\r\nhost: x\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n',
      {},
    ],
  ])('learn nothing: %s', async (_, text) => {
    const on = await listening();
    const socket = connectTls({ host, port: on.port, rejectUnauthorized: false });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    let answer = '';
    socket.on('data', (data: Buffer) => (answer += data.toString('latin1')));
    socket.write(text);
    await once(socket, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(answer).not.toMatch(/interlock/i);
  });

  it('who speak an older TLS are turned away', async () => {
    const on = await listening();
    const socket = connectTls({
      host,
      port: on.port,
      rejectUnauthorized: false,
      maxVersion: 'TLSv1.2',
    });
    onTestFinished(() => void socket.destroy());
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toMatch(/alert|protocol version/iu);
  });
});
