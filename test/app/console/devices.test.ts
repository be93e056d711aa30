import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect as tls } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { devicePaths, socketPath, subprotocolsFor } from '../../../app/bridge/console-session.ts';
import { createDeviceSessions } from '../../../app/console/sessions.ts';
import { challengeFor, challengeOfDevice } from '../../../shared/engine/index.ts';
import { unlockByPasskey } from '../../../app/host/stop.ts';
import { closeLock, readStopState } from '../../../shared/home/index.ts';
import {
  changePasskeys,
  createNonces,
  listDevices,
  readDevices,
  revokeDevice,
} from '../../../shared/operations/index.ts';
import { softAuthenticator } from '../../support/authenticator.ts';
import { deviceKey, devicePage, name, uid } from './devices-support.ts';

const {
  clock,
  now,
  own,
  proofs,
  paths,
  certificate,
  send,
  nonceOf,
  invite,
  paired,
  pageOrigin,
  door,
} = devicePage();

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
  const opening = async (change: object = {}, origin = pageOrigin()): Promise<object> => {
    const nonce = await nonceOf();
    const signature = keys.signed(challengeOfDevice(['open', device], { nonce, origin }));
    return { device, nonce, signature, ...change };
  };
  const connected = (session: string, headers: Record<string, string> = {}): Promise<number> =>
    new Promise((resolve) => {
      const { host: authority, port } = new URL(pageOrigin());
      const socket = new WebSocket(
        `wss://127.0.0.1:${port}${socketPath}`,
        subprotocolsFor(session),
        {
          rejectUnauthorized: false,
          headers: { host: authority, origin: pageOrigin(), ...headers },
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
      challengeOfDevice(['open', device], { nonce, origin: pageOrigin() }),
    );
    expect((await send(devicePaths.session, { device, nonce, signature })).status).toBe(403);
    expect((await send(devicePaths.session, { ...once, more: 1 })).status).toBe(403);
  });

  it('opens the asks by the passkey of that very device alone', async () => {
    const shown = async (authenticator: typeof own, origin = pageOrigin()) => {
      const base = (await opening()) as { readonly nonce: string };
      const challenge = challengeFor(['open', base.nonce]);
      return { ...base, assertion: authenticator.sign(challenge, { origin }) };
    };
    const opened = await door().open((await shown(own)) as never, pageOrigin());
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
      isKnown: (one) => door().isKnown(one),
    });
    const who = await door().open((await opening()) as never, pageOrigin());
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
      origin: pageOrigin(),
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
    const challenge = challengeOfDevice(['open', id], { nonce, origin: pageOrigin() });
    const assertion = ben.sign(challengeFor(['open', nonce]), { origin: pageOrigin() });
    const shown = { device: id, nonce, signature: made.keys.signed(challenge) };
    const who = await door().open({ ...shown, assertion }, pageOrigin());
    expect(who.device.person).toBe('Ben');
    expect(door().isKnown(who)).toBe(true);
    expect(door().isKnown({ ...who, device: { ...who.device, person: 'Eve' } })).toBe(false);
    await changePasskeys({ path: paths().passkeys, uid }, (all) =>
      all.filter(({ id: one }) => one !== ben.id),
    );
    expect(door().isKnown(who)).toBe(false);
    expect(door().isKnown({ ...who, opened: 'locked' })).toBe(true);
  });

  it('ends no lockout by the passkey of a phone that was revoked', async () => {
    const phone = softAuthenticator();
    await paired('lost', phone);
    const nonces = createNonces({ elapsed: () => clock.elapsed(), random: randomBytes });
    const unlocking = async (): Promise<object> => {
      closeLock(paths(), { reason: 'test', at: now(), by: 'test' });
      const nonce = nonces.issue();
      const assertion = phone.sign(challengeFor(['unlock', nonce]), { origin: pageOrigin() });
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
        const { port } = new URL(pageOrigin());
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
