import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { challengeFor, challengeOfAnswer, isOriginOf } from '../../../shared/engine/index.ts';
import {
  changePasskeys,
  createNonces,
  provePasskey,
  readAttestation,
  readPasskeys,
} from '../../../shared/operations/index.ts';
import { softAuthenticator } from '../../support/authenticator.ts';
import type { Authenticator } from '../../support/authenticator.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const uid = process.geteuid?.() ?? 0;
const now = (): number => 1_700_000_000_000;
const wanted = challengeFor(['unlock', 'n'.repeat(43)]);
let directory: string;
let file: { readonly path: string; readonly uid: number };

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'interlock-passkeys-'));
  file = { path: join(directory, 'passkeys.json'), uid };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function registered(options: { readonly counts?: boolean } = {}): Promise<Authenticator> {
  const made = softAuthenticator(options);
  const challenge = challengeFor(['register', 'n', 'laptop']);
  const key = await readAttestation(made.attest(challenge), {
    challenge,
    name: 'laptop',
    rpIds: ['localhost'],
    now,
  });
  await changePasskeys(file, (keys) => [...keys, key]);
  return made;
}

const prove = async (assertion: ReturnType<Authenticator['sign']>, origin?: string) =>
  provePasskey(assertion, {
    file,
    challenge: wanted,
    now,
    ...(origin !== undefined && { origin }),
  });
const rejected = { refusal: { code: 'confirm-rejected' } };

describe('a passkey', () => {
  it('proves its person by what it signs, and its use is kept in a private file', async () => {
    const own = await registered();
    await expect(prove(own.sign(wanted))).resolves.toMatchObject({ name: 'laptop', counter: 1 });
    expect(readPasskeys(file)).toMatchObject([{ id: own.id, counter: 1, lastUsedAt: now() }]);
    expect(statSync(file.path).mode & 0o777).toBe(0o600);
  });

  it.each<[string, (own: Authenticator) => ReturnType<Authenticator['sign']>]>([
    ['for something else', (own) => own.sign(challengeFor(['open', 'n'.repeat(43)]))],
    ['with another nonce', (own) => own.sign(challengeFor(['unlock', 'm'.repeat(43)]))],
    ['for a page elsewhere', (own) => own.sign(wanted, { origin: 'https://evil.example' })],
    [
      'for a page elsewhere that names our host',
      (own) => own.sign(wanted, { origin: 'https://localhost.evil.example', rpId: 'localhost' }),
    ],
    ['without a finger or a PIN', (own) => own.sign(wanted, { verified: false })],
    ['by a key that is not ours', () => softAuthenticator().sign(wanted)],
    ['by another key in our name', (own) => ({ ...softAuthenticator().sign(wanted), id: own.id })],
    ['and changed on its way', (own) => ({ ...own.sign(wanted), signature: 'AAAA' })],
    ['and no JSON', (own) => ({ ...own.sign(wanted), clientDataJSON: 'AAAA' })],
  ])('proves nothing when it signed %s', async (_what, sign) => {
    const own = await registered();
    await expect(prove(sign(own))).rejects.toMatchObject(rejected);
    expect(readPasskeys(file)).toMatchObject([{ counter: 0, lastUsedAt: null }]);
  });

  it('proves nothing at another port where one origin is asked for', async () => {
    const own = await registered();
    await expect(prove(own.sign(wanted), 'http://localhost:4001')).rejects.toMatchObject(rejected);
    await expect(prove(own.sign(wanted), 'http://localhost:4000')).resolves.toBeDefined();
  });

  it('proves nothing a second time, and nothing once its counter went back', async () => {
    const own = await registered();
    const once = own.sign(wanted, { counter: 7 });
    await prove(once);
    await expect(prove(once)).rejects.toMatchObject(rejected);
    await expect(prove(own.sign(wanted, { counter: 6 }))).rejects.toMatchObject(rejected);
    await expect(prove(own.sign(wanted, { counter: 8 }))).resolves.toBeDefined();
  });

  it('that counts nothing is held by the nonce alone', async () => {
    const own = await registered({ counts: false });
    await prove(own.sign(wanted));
    await expect(prove(own.sign(wanted))).resolves.toMatchObject({ counter: 0 });
  });

  it('proves nothing once it was removed', async () => {
    const own = await registered();
    await changePasskeys(file, () => []);
    await expect(prove(own.sign(wanted))).rejects.toMatchObject(rejected);
  });

  it.each(['', '{}', '{"version":1,"passkeys":[{}]}', '{"version":2,"passkeys":[]}'])(
    'proves nothing while its file says %j',
    async (said) => {
      const own = await registered();
      writeFileSync(file.path, said, { mode: 0o600 });
      await expect(prove(own.sign(wanted))).rejects.toMatchObject({
        refusal: { code: 'config-invalid' },
      });
    },
  );

  it.each<[string, { readonly origin?: string; readonly challenge?: string }]>([
    ['another page', { origin: 'https://evil.example' }],
    ['an address that is not a name', { origin: 'http://127.0.0.1:4000' }],
    ['another request', { challenge: challengeFor(['register', 'n', 'other']) }],
  ])('is not taken when it was made for %s', async (_what, given) => {
    const challenge = challengeFor(['register', 'n', 'laptop']);
    const attestation = softAuthenticator().attest(given.challenge ?? challenge, given.origin);
    await expect(
      readAttestation(attestation, { challenge, name: 'laptop', rpIds: ['localhost'], now }),
    ).rejects.toMatchObject(rejected);
  });
});

describe('a challenge', () => {
  it('is another one for every answer that picks something else', () => {
    const given = { id: 'a', askDigest: 'd'.repeat(64), decision: 'allow-once' } as const;
    const remember = { duration: 'session', proposalId: 'p' } as const;
    const all = [
      given,
      { ...given, id: 'b' },
      { ...given, askDigest: 'e'.repeat(64) },
      { ...given, decision: 'allow-always' as const },
      { ...given, remember },
      { ...given, remember: { ...remember, duration: 'always' as const } },
      { ...given, remember: { ...remember, proposalId: 'q' } },
    ].map(challengeOfAnswer);
    expect(new Set([...all, challengeFor(['unlock', 'a']), challengeFor(['open', 'a'])]).size).toBe(
      9,
    );
  });

  it.each([
    ['localhost', 'http://localhost:1', true],
    ['localhost', 'http://localhost', true],
    ['localhost', 'https://localhost:1', false],
    ['localhost', 'http://localhost.example', false],
    ['localhost', 'http://a.localhost', false],
    ['desk.example', 'https://desk.example:8443', true],
    ['desk.example', 'http://desk.example:8443', false],
    ['desk.example', 'https://deskxexample', false],
    ['desk.example', 'https://a.desk.example', false],
  ])('of a passkey for %s may come from %s: %s', (rpId, origin, may) => {
    expect(isOriginOf(rpId, origin)).toBe(may);
  });
});

describe('a nonce', () => {
  const clock = fakeClock();
  const fresh = () => createNonces({ elapsed: () => clock.elapsed(), random: randomBytes });
  const replay = { refusal: { code: 'replay-detected' } };

  it('is good once, for five minutes, and only if it was given out', async () => {
    const nonces = fresh();
    const [one, late] = [nonces.issue(), nonces.issue()];
    await expect(nonces.once('x', () => 1)).rejects.toMatchObject(replay);
    await expect(fresh().once(one, () => 1)).rejects.toMatchObject(replay);
    expect(await nonces.once(one, () => 1)).toBe(1);
    await expect(nonces.once(one, () => 1)).rejects.toMatchObject(replay);
    clock.advance(5 * 60_000 + 1);
    await expect(nonces.once(late, () => 1)).rejects.toMatchObject(replay);
    await expect(nonces.once(one, () => 1)).rejects.toMatchObject(replay);
  });

  it('has one spelling, and no part of it can be changed', async () => {
    const nonces = fresh();
    const bytes = Buffer.from(nonces.issue(), 'base64url');
    for (const at of bytes.keys()) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      const text = changed.toString('base64url');
      await expect(nonces.once(text, () => 1)).rejects.toMatchObject(replay);
    }
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const nonce = bytes.toString('base64url');
    const last = alphabet.indexOf(nonce.at(-1) ?? '');
    const other = `${nonce.slice(0, -1)}${alphabet[last ^ 1]}`;
    expect(Buffer.from(other, 'base64url').equals(bytes)).toBe(true);
    await expect(nonces.once(other, () => 1)).rejects.toMatchObject(replay);
    expect(await nonces.once(nonce, () => 1)).toBe(1);
  });

  it('stands however many others are given out, and whatever is tried with it', async () => {
    const nonces = fresh();
    const mine = nonces.issue();
    for (let asked = 0; asked < 10_000; asked += 1) nonces.issue();
    const wrong = async (): Promise<never> => Promise.reject(new Error('forged'));
    let refused = 0;
    for (let tried = 0; tried < 5_000; tried += 1)
      await nonces.once(nonces.issue(), wrong).catch(() => (refused += 1));
    expect(refused).toBe(5_000);
    await expect(nonces.once(mine, wrong)).rejects.toThrow('forged');
    expect(await nonces.once(mine, () => 'proved')).toBe('proved');
  });

  it('is in one hand at a time', async () => {
    const nonces = fresh();
    const nonce = nonces.issue();
    const tries = await Promise.allSettled(
      Array.from({ length: 3 }, () => nonces.once(nonce, async () => Promise.resolve('in'))),
    );
    expect(tries.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  });
});
