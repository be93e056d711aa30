import 'reflect-metadata';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { devicePaths } from '../../../app/bridge/console-session.ts';
import { openDeviceServer } from '../../../app/console/device-server.ts';
import type { DeviceServer } from '../../../app/console/device-server.ts';
import { createDeviceDoor } from '../../../app/host/device-door.ts';
import type { DeviceDoor } from '../../../app/host/device-door.ts';
import { challengeFor, challengeOfDevice } from '../../../shared/engine/index.ts';
import type { DeviceRights } from '../../../shared/engine/index.ts';
import { initHome, openHome } from '../../../shared/home/index.ts';
import { changePasskeys, inviteDevice, readAttestation } from '../../../shared/operations/index.ts';
import { softAuthenticator } from '../../support/authenticator.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import * as x509 from '@peculiar/x509';
import { createPair, serial } from '../../../runner/egress/key-pair.ts';

export const name = 'desk.home.example';
export const uid = process.geteuid?.() ?? 0;
const host = {
  handle: async () => ({ ok: true as const, result: { accepted: true } }),
  subscribe: () => () => undefined,
};
const push = {
  key: async () => 'v'.repeat(87),
  subscribe: async () => undefined,
  follow: () => () => undefined,
};

interface Sent {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A key as a phone makes one. */
export function deviceKey() {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = [Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
  const signed = (text: string): string =>
    sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString(
      'base64url',
    );
  return { key: Buffer.concat(point).toString('base64url'), signed };
}

/** A home with the page for devices over it, for the tests of one file. */
export function devicePage() {
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

  const invite = (called: string, rights: DeviceRights = 'answer'): string =>
    inviteDevice({ name: called, rights }, { paths: paths(), now, random: (n) => randomBytes(n) });

  /** @param person another one than the owner, who types no passphrase */
  async function paired(called: string, authenticator = own, person?: string) {
    const how = { paths: paths(), now, random: (n: number) => randomBytes(n) };
    const about = { name: called, rights: 'everything' as const };
    const code =
      person === undefined
        ? invite(called)
        : inviteDevice({ ...about, person }, how, 'c'.repeat(43));
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
  return {
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
    /** Of the page, once it is served. */
    pageOrigin: () => server.origin,
    door: () => door,
  };
}
