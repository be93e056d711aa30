import 'reflect-metadata';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as tls } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { devicePaths, socketPath, subprotocolsFor } from '../../../app/bridge/console-session.ts';
import { mostNewcomers, openDeviceServer } from '../../../app/console/device-server.ts';
import type { DeviceServer } from '../../../app/console/device-server.ts';
import { createDeviceSessions } from '../../../app/console/sessions.ts';
import { createDeviceDoor, deviceRate, mostTries } from '../../../app/host/device-door.ts';
import type { DeviceDoor } from '../../../app/host/device-door.ts';
import { challengeFor, challengeOfDevice } from '../../../shared/engine/index.ts';
import type { DeviceRights } from '../../../shared/engine/index.ts';
import { unlockByPasskey } from '../../../app/host/stop.ts';
import { closeLock, initHome, openHome, readStopState } from '../../../shared/home/index.ts';
import {
  changePasskeys,
  createNonces,
  inviteDevice,
  listDevices,
  readAttestation,
  readDevices,
  revokeDevice,
} from '../../../shared/operations/index.ts';
import { softAuthenticator } from '../../support/authenticator.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import * as x509 from '@peculiar/x509';
import { createPair, serial } from '../../../runner/egress/key-pair.ts';

const name = 'desk.home.example';
const uid = process.geteuid?.() ?? 0;
const host = {
  handle: async () => ({ ok: true as const, result: { accepted: true } }),
  subscribe: () => () => undefined,
};
const push = {
  key: async () => 'v'.repeat(87),
  subscribe: async () => undefined,
  follow: () => () => undefined,
};

let folder: string;
let server: DeviceServer;
let door: DeviceDoor;
const proofs: object[] = [];
const clock = fakeClock();
const now = (): number => clock.now();
const own = softAuthenticator();
const paths = () => openHome({ ...process.env, INTERLOCK_HOME: folder });
const listen = () => ({
  host: name,
  port: 0,
  addresses: ['127.0.0.1'],
  certificate: join(folder, 'pair.pem'),
  key: join(folder, 'pair.pem'),
});

async function certificate(): Promise<void> {
  await createPair(join(folder, 'pair.pem'), now(), {
    serialNumber: serial(),
    name: `CN=${name}`,
    days: 1,
    extensions: async () => [
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
    ],
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-phone-'));
  await initHome(paths(), { uid, now });
  await certificate();
  door = createDeviceDoor({
    paths: paths(),
    clock,
    runner: {
      passkeyNonce: async () => 'r'.repeat(43),
      addPasskey: async ({ name: called, nonce, person, attestation, proof }) => {
        proofs.push(proof);
        const whose = person === undefined ? ([] as const) : ([person] as const);
        const challenge = challengeFor(['register', nonce, called, ...whose]);
        const key = await readAttestation(attestation, {
          challenge,
          name: called,
          person,
          rpIds: [name],
          now,
        });
        await changePasskeys({ path: paths().passkeys, uid }, (keys) => [...keys, key]);
      },
    },
  });
  const random = (bytes: number): Uint8Array => randomBytes(bytes);
  const files = new Map([['/', { body: Buffer.from('page'), type: 'text/html' }]]);
  server = await openDeviceServer({
    host,
    push,
    door,
    files,
    clock,
    random,
    uid,
    listen: listen(),
    log: () => undefined,
  });
});
afterAll(async () => {
  await server.dispose();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  clock.advance(60_000);
});

interface Sent {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

function send(
  path: string,
  what: object | null,
  headers: Record<string, string> = {},
  localAddress = '127.0.0.1',
): Promise<Sent> {
  const { port } = new URL(server.origin);
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      localAddress,
      port,
      path,
      method: what === null ? 'GET' : 'POST',
      servername: name,
      rejectUnauthorized: false,
      agent: false,
      headers: {
        host: new URL(server.origin).host,
        ...(what !== null && { origin: server.origin, 'content-type': 'application/json' }),
        ...headers,
      },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.once('end', () => {
        const body = text.startsWith('{') ? (JSON.parse(text) as Sent['body']) : {};
        resolve({ status: response.statusCode ?? 0, body });
      });
    });
    sent.end(what === null ? undefined : JSON.stringify(what));
  });
}

const nonceOf = async (): Promise<string> =>
  String((await send(devicePaths.nonce, {})).body['nonce']);

function deviceKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = [Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  const signed = (text: string): string =>
    sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString(
      'base64url',
    );
  return { key: Buffer.concat(point).toString('base64url'), signed };
}

const invite = (called: string, rights: DeviceRights = 'answer'): string =>
  inviteDevice({ name: called, rights }, { paths: paths(), now, random: (n) => randomBytes(n) });

/** @param person another one than the owner, who types no passphrase */
async function paired(called: string, authenticator = own, person?: string) {
  const how = { paths: paths(), now, random: (n: number) => randomBytes(n) };
  const about = { name: called, rights: 'everything' as const };
  const code =
    person === undefined ? invite(called) : inviteDevice({ ...about, person }, how, 'c'.repeat(43));
  const keys = deviceKey();
  const nonce = await nonceOf();
  const where = { nonce, origin: server.origin };
  const passkeyNonce = person === undefined ? 'r'.repeat(43) : code;
  const whose = person === undefined ? ([] as const) : ([person] as const);
  const register = challengeFor(['register', passkeyNonce, called, ...whose]);
  const shown = {
    code,
    nonce,
    key: keys.key,
    signature: keys.signed(challengeOfDevice(['pair', code], where)),
    passkeyNonce,
    attestation: authenticator.attest(register, server.origin),
    ...(person === undefined && { passphrase: 'correct horse' }),
  };
  return { keys, shown, answer: await send(devicePaths.pair, shown) };
}

describe('the page for devices', () => {
  let device = '';
  let keys: ReturnType<typeof deviceKey>;
  beforeAll(async () => {
    clock.advance(60_000);
    const made = await paired('phone');
    expect(made.answer.status).toBe(200);
    device = String(made.answer.body['device']);
    ({ keys } = made);
    // Sent once more it is nothing: its code and its nonce are used.
    expect((await send(devicePaths.pair, made.shown)).status).toBe(403);
  });
  const opening = async (change: object = {}, origin = server.origin): Promise<object> => {
    const nonce = await nonceOf();
    const signature = keys.signed(challengeOfDevice(['open', device], { nonce, origin }));
    return { device, nonce, signature, ...change };
  };
  const connected = (session: string, headers: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve) => {
      const { host: authority, port } = new URL(server.origin);
      const socket = new WebSocket(
        `wss://127.0.0.1:${port}${socketPath}`,
        subprotocolsFor(session),
        {
          rejectUnauthorized: false,
          headers: { host: authority, origin: server.origin, ...headers },
        },
      );
      socket.once('error', () => resolve(403));
      socket.once('close', (code) => resolve(code));
      socket.once('message', () => {
        socket.close(1000);
        resolve(101);
      });
    });

  it.each([
    ['a name that points here', 'evil.example'],
    ['its address', '127.0.0.1'],
    ['another port', `${name}:1`],
    ['a longer name', `${name}.evil.example`],
  ])('answers nothing under %s', async (_what, wrong) => {
    expect((await send('/', null, { host: wrong })).status).toBe(421);
    expect((await send(devicePaths.nonce, {}, { host: wrong })).status).toBe(421);
  });

  it.each(['https://evil.example', 'null', `http://${name}`, `https://${name}`])(
    'takes nothing from a page of %s',
    async (origin) => {
      expect((await send(devicePaths.nonce, {}, { origin })).status).toBe(403);
    },
  );

  it('opens one connection by the key of a device, and a ticket that was used or stolen is nothing', async () => {
    const { status, body } = await send(devicePaths.session, await opening());
    expect(status).toBe(200);
    const ticket = String(body['session']);
    expect(await connected(ticket, { origin: 'https://evil.example' })).toBe(403);
    expect(await connected(ticket)).toBe(101);
    expect(await connected(ticket)).toBe(4401);
    const other = await send(devicePaths.session, await opening());
    clock.advance(31_000);
    expect(await connected(String(other.body['session']))).toBe(4401);
  });

  it('takes no signature twice, for another page, of another key, or over a nonce of its own', async () => {
    const once = await opening();
    expect((await send(devicePaths.session, once)).status).toBe(200);
    expect((await send(devicePaths.session, once)).status).toBe(403);
    const elsewhere = await opening({}, 'https://evil.example');
    expect((await send(devicePaths.session, elsewhere)).status).toBe(403);
    const forged = await opening({ signature: deviceKey().signed('x') });
    expect((await send(devicePaths.session, forged)).status).toBe(403);
    const nonce = 'n'.repeat(43);
    const signature = keys.signed(
      challengeOfDevice(['open', device], { nonce, origin: server.origin }),
    );
    expect((await send(devicePaths.session, { device, nonce, signature })).status).toBe(403);
    expect((await send(devicePaths.session, { ...once, more: 1 })).status).toBe(403);
  });

  it('opens the asks by the passkey of that very device alone', async () => {
    const shown = async (authenticator: typeof own, origin = server.origin) => {
      const base = (await opening()) as { readonly nonce: string };
      const challenge = challengeFor(['open', base.nonce]);
      return { ...base, assertion: authenticator.sign(challenge, { origin }) };
    };
    const opened = await door.open((await shown(own)) as never, server.origin);
    expect(opened).toMatchObject({ opened: 'passkey', device: { name: 'phone' } });
    expect((await send(devicePaths.session, await shown(softAuthenticator()))).status).toBe(403);
    const wrong = await shown(own, `https://${name}:1`);
    expect((await send(devicePaths.session, wrong)).status).toBe(403);
  });

  it('knows a device no more once it is revoked, and says why', async () => {
    const sessions = createDeviceSessions({
      now: () => clock.elapsed(),
      random: (n) => randomBytes(n),
      idleMs: 1_000,
      isKnown: (one) => door.isKnown(one),
    });
    const who = await door.open((await opening()) as never, server.origin);
    const live = sessions.find(sessions.open(who));
    expect(live === null || sessions.isOver(live)).toBe(false);
    await revokeDevice({ paths: paths(), uid, now, by: 'test' }, 'phone');
    expect(live === null || sessions.isOver(live)).toBe(true);
    const { status, body } = await send(devicePaths.session, await opening());
    expect(status).toBe(403);
    expect(body).toMatchObject({ refusal: { code: 'hmac-fail' } });
    expect(readDevices({ paths: paths(), uid })).toEqual([]);
  });

  it('is not paired without the passphrase, but for somebody whom the owner has invited', async () => {
    const { shown } = await paired('tablet');
    const { passphrase: _none, ...without } = shown as typeof shown & { passphrase?: string };
    const again = { ...without, code: invite('watch'), nonce: await nonceOf() };
    const challenge = challengeOfDevice(['pair', again.code], {
      nonce: again.nonce,
      origin: server.origin,
    });
    const signer = deviceKey();
    const signed = { key: signer.key, signature: signer.signed(challenge) };
    const refused = await send(devicePaths.pair, { ...again, ...signed });
    expect(refused).toMatchObject({ status: 403, body: { refusal: { code: 'invalid-request' } } });
    clock.advance(60_000);
    const bens = await paired('bens', softAuthenticator(), 'Ben');
    expect(bens.answer.status).toBe(200);
    expect(proofs.at(-1)).toEqual({ invited: true });
    expect(listDevices({ paths: paths(), uid }).at(-1)).toMatchObject({
      name: 'bens',
      person: 'Ben',
    });
    expect(readFileSync(paths().devices, 'utf8')).not.toContain('Ben');
  });

  it('ends what a passkey opened as soon as that is gone', async () => {
    const ben = softAuthenticator();
    const made = await paired('his', ben, 'Ben');
    const id = String(made.answer.body['device']);
    const nonce = await nonceOf();
    const challenge = challengeOfDevice(['open', id], { nonce, origin: server.origin });
    const assertion = ben.sign(challengeFor(['open', nonce]), { origin: server.origin });
    const shown = { device: id, nonce, signature: made.keys.signed(challenge) };
    const who = await door.open({ ...shown, assertion }, server.origin);
    expect(who.device.person).toBe('Ben');
    expect(door.isKnown(who)).toBe(true);
    expect(door.isKnown({ ...who, device: { ...who.device, person: 'Eve' } })).toBe(false);
    await changePasskeys({ path: paths().passkeys, uid }, (all) =>
      all.filter(({ id: one }) => one !== ben.id),
    );
    expect(door.isKnown(who)).toBe(false);
    expect(door.isKnown({ ...who, opened: 'locked' })).toBe(true);
  });

  it('ends no lockout by the passkey of a phone that was revoked', async () => {
    const phone = softAuthenticator();
    await paired('lost', phone);
    const nonces = createNonces({ elapsed: () => clock.elapsed(), random: randomBytes });
    const unlocking = async (): Promise<object> => {
      closeLock(paths(), { reason: 'test', at: now(), by: 'test' });
      const nonce = nonces.issue();
      const assertion = phone.sign(challengeFor(['unlock', nonce]), { origin: server.origin });
      return unlockByPasskey({ paths: paths(), uid, clock, nonces }, { nonce, assertion });
    };
    await unlocking();
    expect(readStopState(paths()).mode).toBe('armed');
    await revokeDevice({ paths: paths(), uid, now, by: 'test' }, 'lost');
    await expect(unlocking()).rejects.toMatchObject({ refusal: { code: 'confirm-rejected' } });
    expect(readStopState(paths()).mode).toBe('locked');
  });

  it('shows a renewed certificate to whoever connects next, without a new start', async () => {
    const shown = (): Promise<string> =>
      new Promise((resolve, reject) => {
        const { port } = new URL(server.origin);
        const how = { host: '127.0.0.1', port: Number(port), servername: name };
        const socket = tls({ ...how, rejectUnauthorized: false }, () =>
          resolve(socket.getPeerCertificate().fingerprint256),
        );
        socket.once('error', reject).once('secureConnect', () => socket.destroy());
      });
    const before = await shown();
    await certificate();
    clock.advance(5_000);
    expect(await shown()).not.toBe(before);
  });
});

describe('whoever has proved nothing', () => {
  let id = '';
  let keys: ReturnType<typeof deviceKey>;
  beforeAll(async () => {
    clock.advance(60_000);
    const made = await paired('watch', softAuthenticator());
    expect(made.answer.status).toBe(200);
    id = String(made.answer.body['device']);
    ({ keys } = made);
  });
  const opening = (nonce: string) => {
    const where = { nonce, origin: server.origin };
    return { device: id, nonce, signature: keys.signed(challengeOfDevice(['open', id], where)) };
  };
  const page = (session: string): Promise<WebSocket> =>
    new Promise((resolve, reject) => {
      const { host: authority, port } = new URL(server.origin);
      const socket = new WebSocket(
        `wss://127.0.0.1:${port}${socketPath}`,
        subprotocolsFor(session),
        { rejectUnauthorized: false, headers: { host: authority, origin: server.origin } },
      );
      socket.once('error', reject);
      socket.once('message', () => resolve(socket));
    });

  it('takes no nonce and no try from a phone, from however many addresses they come', async () => {
    const nonce = await nonceOf();
    for (let at = 1; at <= 80; at += 1) {
      const from = `127.0.1.${at}`;
      clock.advance(50);
      expect((await send(devicePaths.nonce, {}, {}, from)).status).toBe(200);
      const forged = { ...opening(nonce), device: 'x'.repeat(22) };
      expect((await send(devicePaths.session, forged, {}, from)).status).toBe(403);
      const guessed = { code: 'g'.repeat(43) };
      expect((await send(devicePaths.invitation, guessed, {}, from)).status).toBe(403);
    }
    // Nor where they sit behind the phone's own address.
    for (let tried = 0; tried < 3 * deviceRate.burst; tried += 1)
      expect((await send(devicePaths.nonce, {})).status).toBe(200);
    expect((await send(devicePaths.session, opening(nonce))).status).toBe(200);
  });

  it('is cut off where there is no room, and neither a page nor a phone is that is known', async () => {
    const opened = await send(devicePaths.session, opening(await nonceOf()));
    const mine = await page(String(opened.body['session']));
    const { port } = new URL(server.origin);
    const ended: number[] = [];
    const sockets = Array.from({ length: mostNewcomers + 8 }, (_none, at) =>
      connect({ host: '127.0.0.1', localAddress: '127.0.2.1', port: Number(port) })
        .on('error', () => undefined)
        .on('close', () => ended.push(at)),
    );
    try {
      // The oldest go: whoever holds all the room does not keep it.
      await expect.poll(() => ended.length).toBe(8);
      expect(Math.max(...ended)).toBeLessThan(16);
      expect(mine.readyState).toBe(WebSocket.OPEN);
      expect((await send(devicePaths.nonce, {})).status).toBe(200);
      // Somebody new takes the place of one of them.
      expect((await send(devicePaths.nonce, {}, {}, '127.0.2.2')).status).toBe(200);
      // More than TLS can be made for: a known phone is served all the same.
      for (let more = 0; more < 300; more += 1)
        sockets.push(
          connect({ host: '127.0.0.1', localAddress: '127.0.2.1', port: Number(port) }).on(
            'error',
            () => undefined,
          ),
        );
      expect((await send(devicePaths.nonce, {})).status).toBe(200);
      await expect(send(devicePaths.nonce, {}, {}, '127.0.2.3')).rejects.toThrow();
      clock.advance(1_000);
      expect((await send(devicePaths.nonce, {}, {}, '127.0.2.3')).status).toBe(200);
      expect(mine.readyState).toBe(WebSocket.OPEN);
    } finally {
      for (const socket of sockets) socket.destroy();
      mine.terminate();
    }
  });

  it('and a device that has takes only what is its own', async () => {
    const other = await paired('spare', softAuthenticator());
    const his = String(other.answer.body['device']);
    const nonce = await nonceOf();
    const where = { nonce, origin: server.origin };
    const signature = other.keys.signed(challengeOfDevice(['open', his], where));
    const waiting = await send(devicePaths.session, { device: his, nonce, signature });
    const answers: number[] = [];
    for (let tried = 0; tried < deviceRate.burst + 2; tried += 1)
      answers.push((await send(devicePaths.session, opening(await nonceOf()))).status);
    expect(answers.filter((status) => status === 200)).toHaveLength(deviceRate.burst);
    expect(answers.slice(-2)).toEqual([429, 429]);
    // The other's ticket is not pushed out by those.
    const socket = await page(String(waiting.body['session']));
    socket.terminate();
  });

  it('guesses the passphrase a few times for a code that was read off the screen, and no more', async () => {
    const { shown } = await paired('first', softAuthenticator());
    const code = invite('second');
    const asked = proofs.length;
    const tried = await Promise.all(
      Array.from({ length: mostTries + 4 }, async () => {
        const nonce = await nonceOf();
        const where = { nonce, origin: server.origin };
        const guesser = deviceKey();
        const signature = guesser.signed(challengeOfDevice(['pair', code], where));
        return send(devicePaths.pair, { ...shown, code, nonce, key: guesser.key, signature });
      }),
    );
    expect(tried.filter(({ status }) => status === 429)).toHaveLength(4);
    expect(proofs.length - asked).toBe(mostTries);
    // A new code is one that nobody has tried.
    expect((await paired('third', softAuthenticator())).answer.status).toBe(200);
  });

  it('holds at most eight pages by one device, and the newest is served', async () => {
    clock.advance(60_000);
    const sockets: WebSocket[] = [];
    const ended: number[] = [];
    for (let at = 0; at < 9; at += 1) {
      const opened = await send(devicePaths.session, opening(await nonceOf()));
      const socket = await page(String(opened.body['session']));
      socket.once('close', () => ended.push(at));
      sockets.push(socket);
    }
    await expect.poll(() => ended).toEqual([0]);
    for (const socket of sockets) socket.terminate();
  });
});
