import 'reflect-metadata';
import { connect } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { devicePaths, socketPath, subprotocolsFor } from '../../../app/bridge/console-session.ts';
import { mostNewcomers } from '../../../app/console/device-server.ts';
import { deviceRate, mostTries } from '../../../app/host/device-door.ts';
import { challengeOfDevice } from '../../../shared/engine/index.ts';
import { softAuthenticator } from '../../support/authenticator.ts';
import { deviceKey, devicePage } from './devices-support.ts';

const { clock, proofs, send, nonceOf, invite, paired, pageOrigin } = devicePage();

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
    const where = { nonce, origin: pageOrigin() };
    return { device: id, nonce, signature: keys.signed(challengeOfDevice(['open', id], where)) };
  };
  const page = (session: string): Promise<WebSocket> =>
    new Promise((resolve, reject) => {
      const { host: authority, port } = new URL(pageOrigin());
      const socket = new WebSocket(
        `wss://127.0.0.1:${port}${socketPath}`,
        subprotocolsFor(session),
        { rejectUnauthorized: false, headers: { host: authority, origin: pageOrigin() } },
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
    const { port } = new URL(pageOrigin());
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
    const where = { nonce, origin: pageOrigin() };
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
        const where = { nonce, origin: pageOrigin() };
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
