import { createECDH, randomBytes } from 'node:crypto';
import type { ECDH } from 'node:crypto';
import { createRequire } from 'node:module';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AppState } from '../../../app/bridge/types.ts';
import { createPush, isPushService, pushText } from '../../../app/console/push.ts';
import type { PushRequest } from '../../../app/console/push.ts';
import { changeDevices, readDevices } from '../../../shared/operations/index.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import { queuedAsk } from '../../support/queued-ask.ts';

/** What the sender encrypts with; it has no types. */
const { decrypt } = createRequire(createRequire(import.meta.url).resolve('web-push'))(
  'http_ece',
) as {
  readonly decrypt: (
    body: Buffer,
    how: { readonly version: string; readonly privateKey: ECDH; readonly authSecret: Buffer },
  ) => Buffer;
};

const uid = process.geteuid?.() ?? 0;
const clock = fakeClock();
const phoneKey = createECDH('prime256v1');
phoneKey.generateKeys();
const auth = randomBytes(16);
const address = {
  p256dh: phoneKey.getPublicKey().toString('base64url'),
  auth: auth.toString('base64url'),
};

let folder: string;
let listener: (state: AppState) => void = () => undefined;
const host = {
  subscribe: (one: typeof listener) => {
    listener = one;
    return () => undefined;
  },
};
const file = () => ({
  paths: { devices: join(folder, 'devices.json'), pushKeys: join(folder, 'push.json') },
  uid,
});
const waiting = (...ids: readonly string[]): void =>
  listener({
    now: 0,
    queue: ids.map((id) => queuedAsk({ id, command: `rm ${id}` })),
    passkeys: [{ id: 'p' }, { id: 'q', person: 'Ben' }],
  } as unknown as AppState);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'interlock-push-'));
  const base = { key: 'k'.repeat(87), passkey: 'p', madeAt: 0, lastSeenAt: null };
  await changeDevices(file(), () => [
    { ...base, id: 'a'.repeat(22), name: 'phone', rights: 'answer' },
    { ...base, id: 'b'.repeat(22), name: 'tablet', rights: 'lockout' },
    { ...base, id: 'c'.repeat(22), name: 'bens', rights: 'everything', passkey: 'q' },
  ]);
  clock.advance(60_000);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A push service on loopback: what came, and with which status it answers. */
async function pushService(status: number) {
  const came: { readonly headers: Readonly<Record<string, unknown>>; readonly body: Buffer }[] = [];
  const waits: (() => void)[] = [];
  const server = createServer((message, response) => {
    const parts: Buffer[] = [];
    message.on('data', (part: Buffer) => parts.push(part));
    message.on('end', () => {
      came.push({ headers: message.headers, body: Buffer.concat(parts) });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const send = ({ headers, body }: PushRequest): Promise<number> =>
    new Promise((resolve) => {
      const sent = request({ port, host: '127.0.0.1', method: 'POST', headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
        for (const wake of waits.splice(0)) wake();
      });
      sent.end(body);
    });
  const next = (): Promise<void> =>
    new Promise((resolve) => {
      waits.push(resolve);
    });
  return { came, send, next, close: () => server.close() };
}

describe('a push', () => {
  it('says that an ask waits and nothing else, to who may answer, and not for each ask anew', async () => {
    const service = await pushService(201);
    const push = createPush({ ...file(), clock, send: service.send });
    // The third is of somebody else, who sees none of these.
    for (const id of ['a', 'b', 'c'])
      await push.subscribe(id.repeat(22), { ...address, endpoint: 'https://fcm.googleapis.com/x' });
    push.follow(host);
    waiting('old');
    const first = service.next();
    waiting('old', 'new');
    waiting('old', 'new', 'third');
    await first;
    expect(service.came).toHaveLength(1);
    const [{ body, headers } = { body: Buffer.alloc(0), headers: {} }] = service.came;
    const text = decrypt(body, { version: 'aes128gcm', privateKey: phoneKey, authSecret: auth });
    expect(text.toString()).toBe('an ask waits');
    expect(pushText).toBe('an ask waits');
    expect(JSON.stringify(headers)).not.toMatch(/rm |new|phone/u);
    expect(String(headers['authorization'])).toContain(`k=${await push.key()}`);
    // What came shortly after, and still waits, is told of later; what was answered meanwhile is not.
    const second = service.next();
    clock.advance(21_000);
    await second;
    expect(service.came).toHaveLength(2);
    waiting('old', 'new', 'third', 'fourth');
    waiting('old');
    clock.advance(21_000);
    const third = service.next();
    waiting('fifth');
    await third;
    expect(service.came).toHaveLength(3);
    expect(statSync(file().paths.pushKeys).mode & 0o777).toBe(0o600);
    service.close();
  });

  it('comes once for an ask, also where another device is told of it later', async () => {
    const service = await pushService(201);
    const push = createPush({ ...file(), clock, send: service.send });
    for (const id of ['a', 'c'])
      await push.subscribe(id.repeat(22), { ...address, endpoint: 'https://fcm.googleapis.com/x' });
    push.follow(host);
    waiting();
    const first = service.next();
    waiting('one');
    await first;
    // Ben stands in from now on: he is told at once, the owner's phone when its pause is over.
    clock.advance(5_000);
    const ben = service.next();
    const queue = ['one', 'two'].map((id) => queuedAsk({ id, command: 'ls' }));
    const passkeys = [{ id: 'p' }, { id: 'q', person: 'Ben', standsInUntil: 1 }];
    listener({ now: 0, queue, passkeys } as unknown as AppState);
    await ben;
    const later = service.next();
    clock.advance(15_000);
    await later;
    clock.advance(60_000);
    // What was sent to nobody again would be here by the time that this is.
    const last = service.next();
    listener({
      now: 0,
      queue: [queuedAsk({ id: 'last', command: 'ls' })],
      passkeys: [{ id: 'p' }],
    } as unknown as AppState);
    await last;
    expect(service.came).toHaveLength(4);
    service.close();
  });

  it('goes no more to an address that its service does not know', async () => {
    const service = await pushService(410);
    const push = createPush({ ...file(), clock, send: service.send });
    await push.subscribe('a'.repeat(22), { ...address, endpoint: 'https://web.push.apple.com/x' });
    expect(readDevices(file())[0]?.push).toBeDefined();
    push.follow(host);
    waiting();
    const sent = service.next();
    waiting('one');
    await sent;
    await expect.poll(() => readDevices(file())[0]?.push).toBeUndefined();
    service.close();
  });

  it.each([
    'https://127.0.0.1/x',
    'https://fcm.googleapis.com.evil.example/x',
    'https://fcm.googleapis.com:444/x',
    'https://me@fcm.googleapis.com/x',
    'http://fcm.googleapis.com/x',
    'https://evil.example/fcm.googleapis.com',
    'nothing',
  ])('is never sent to %s', async (endpoint) => {
    expect(isPushService(endpoint)).toBe(false);
    const push = createPush({ ...file(), clock });
    await expect(push.subscribe('a'.repeat(22), { ...address, endpoint })).rejects.toThrow('known');
    expect(readFileSync(file().paths.devices, 'utf8')).not.toContain('endpoint');
  });

  it('has keys of its own, which are not made anew where they cannot be read', async () => {
    writeFileSync(file().paths.pushKeys, '{}', { mode: 0o600 });
    await expect(createPush({ ...file(), clock }).key()).rejects.toThrow('cannot be read');
    expect(readFileSync(file().paths.pushKeys, 'utf8')).toBe('{}');
  });
});
