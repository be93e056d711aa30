import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPasskeyDesk, proveAnswer } from '../../../runner/approvals/passkeys.ts';
import type { PasskeyDesk } from '../../../runner/approvals/passkeys.ts';
import type { NoteRow } from '../../../runner/audit/rows.ts';
import { refuse } from '../../../shared/base/index.ts';
import { challengeFor, challengeOfAnswer } from '../../../shared/engine/index.ts';
import type { PersonProof } from '../../../shared/engine/index.ts';
import { readPasskeys } from '../../../shared/operations/index.ts';
import { softAuthenticator } from '../../support/authenticator.ts';
import type { Authenticator } from '../../support/authenticator.ts';
import { fakeClock } from '../../support/fake-clock.ts';

let directory: string;
let desk: PasskeyDesk;
let rows: NoteRow[];
let isLocked: boolean;
let isFull: boolean;
/** Passkeys whose phone was revoked. */
let gone: readonly string[];
const clock = fakeClock();
const listed = () => readPasskeys({ path: join(directory, 'passkeys.json'), uid: uid() });
const uid = (): number => process.geteuid?.() ?? 0;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'interlock-desk-'));
  [rows, isLocked, isFull, gone] = [[], false, false, []];
  desk = createPasskeyDesk({
    clock,
    random: randomBytes,
    file: { path: join(directory, 'passkeys.json'), uid: uid() },
    rpIds: () => ['localhost'],
    hasDevice: ({ id }) => !gone.includes(id),
    requireGoing: () => {
      if (isLocked) throw refuse('lockout-active', 'Locked.', '');
    },
    requirePassphrase: async (text) => {
      if (text !== 'correct horse') throw refuse('confirm-rejected', 'Wrong.', '');
    },
    append: (row) => {
      if (isFull) throw new Error('No room.');
      rows.push(row);
    },
  });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const known = { passphrase: 'correct horse' };

const benYes = () => ({ id: 'a1', askDigest: 'd'.repeat(64), decision: 'allow-once' }) as const;

async function addBens(): Promise<Authenticator> {
  const own = softAuthenticator();
  const nonce = desk.nonce();
  const attestation = own.attest(challengeFor(['register', nonce, 'blue', 'Ben']));
  await desk.add({ nonce, name: 'blue', person: 'Ben', attestation, proof: known });
  return own;
}

const handOver = async (until: number | null, proof: PersonProof = known, person = 'ben') =>
  desk.handOver({ nonce: desk.nonce(), person, until, proof });

const answers = async (own: Authenticator) => {
  const signed = { ...benYes(), assertion: own.sign(challengeOfAnswer(benYes())) };
  const file = { path: join(directory, 'passkeys.json'), uid: uid() };
  const how = { file, now: () => clock.now(), hasDevice: () => true };
  return (await proveAnswer({ presence: 'passkey' }, signed, how))?.person;
};

async function add(
  name: string,
  proof: PersonProof | ((nonce: string, id: string) => PersonProof) = known,
  own = softAuthenticator(),
) {
  const nonce = desk.nonce();
  const attestation = own.attest(challengeFor(['register', nonce, name]));
  const shown = typeof proof === 'function' ? proof(nonce, own.id) : proof;
  await desk.add({ nonce, name, attestation, proof: shown });
  return own;
}

describe('the passkeys of a home', () => {
  it('are added by the passphrase, or by a passkey that is there, and stand in the record', async () => {
    const first = await add('laptop');
    const change = (nonce: string, id: string): PersonProof => ({
      assertion: first.sign(challengeFor(['change', nonce, 'add', id])),
    });
    const second = await add('key', change);
    expect(listed().map(({ name }) => name)).toEqual(['laptop', 'key']);
    const [one, other] = listed();
    expect(rows).toMatchObject([
      { code: 'passkey-added', passkey: { id: first.id, publicKey: one?.publicKey } },
      { code: 'passkey-added', passkey: { id: second.id, publicKey: other?.publicKey } },
    ]);
    expect(rows[1]?.text).toContain('the passkey "laptop"');
  });

  it('cannot be added by whoever only sits at the page', async () => {
    await add('laptop');
    const stranger = softAuthenticator();
    const wrong: readonly (PersonProof | ((nonce: string, id: string) => PersonProof))[] = [
      { passphrase: 'wrong horse' },
      (nonce, id) => ({ assertion: stranger.sign(challengeFor(['change', nonce, 'add', id])) }),
    ];
    for (const proof of wrong)
      await expect(add('more', proof, stranger)).rejects.toMatchObject({
        refusal: { code: 'confirm-rejected' },
      });
    expect(listed()).toHaveLength(1);
    expect(rows).toHaveLength(1);
  });

  it('are not changed by a signature for another change', async () => {
    const first = await add('laptop');
    const proof = (nonce: string): PersonProof => ({
      assertion: first.sign(challengeFor(['change', nonce, 'remove', first.id])),
    });
    await expect(add('more', proof)).rejects.toMatchObject({
      refusal: { code: 'confirm-rejected' },
    });
    expect(listed()).toHaveLength(1);
  });

  it('of a phone that was revoked bring in no other, and hand nothing over', async () => {
    const phone = await add('phone');
    await addBens();
    gone = [phone.id];
    const change = (nonce: string, id: string): PersonProof => ({
      assertion: phone.sign(challengeFor(['change', nonce, 'add', id])),
    });
    const refused = { refusal: { code: 'confirm-rejected' } };
    await expect(add('key', change)).rejects.toMatchObject(refused);
    const nonce = desk.nonce();
    const until = clock.now() + 60_000;
    const proof = { assertion: phone.sign(challengeFor(['hand-over', nonce, 'Ben', until])) };
    await expect(desk.handOver({ nonce, person: 'Ben', until, proof })).rejects.toMatchObject(
      refused,
    );
    expect(listed().map(({ name }) => name)).toEqual(['phone', 'blue']);
  });

  it('take each nonce once', async () => {
    const first = await add('laptop');
    const nonce = desk.nonce();
    await desk.remove({ nonce, id: first.id, proof: known });
    await expect(desk.remove({ nonce, id: first.id, proof: known })).rejects.toMatchObject({
      refusal: { code: 'replay-detected' },
    });
  });

  it('are removed, which the record tells, too', async () => {
    const first = await add('laptop');
    await desk.remove({ nonce: desk.nonce(), id: first.id, proof: known });
    expect(listed()).toEqual([]);
    expect(rows.at(-1)).toMatchObject({ code: 'passkey-removed', passkey: { id: first.id } });
  });

  it('are not added while everything is locked, under a name twice, or where no record can be written', async () => {
    await add('laptop');
    await expect(add('laptop')).rejects.toMatchObject({ refusal: { code: 'invalid-request' } });
    isFull = true;
    await expect(add('key')).rejects.toThrow('No room.');
    isFull = false;
    isLocked = true;
    await expect(add('key')).rejects.toMatchObject({ refusal: { code: 'lockout-active' } });
    expect(listed()).toHaveLength(1);
  });
});

describe('the passkey of another person', () => {
  const rejected = { refusal: { code: 'confirm-rejected' } };

  it('is added for them by the owner, under a name that is not the owner’s', async () => {
    await addBens();
    expect(listed()).toMatchObject([{ name: 'blue', person: 'Ben' }]);
    expect(rows[0]).toMatchObject({ passkey: { person: 'Ben' } });
    const nonce = desk.nonce();
    const attestation = softAuthenticator().attest(challengeFor(['register', nonce, 'x', 'Owner']));
    await expect(
      desk.add({ nonce, name: 'x', person: 'Owner', attestation, proof: known }),
    ).rejects.toMatchObject({ refusal: { code: 'invalid-request' } });
  });

  it('brings in no other, takes none out, and hands nothing over', async () => {
    const first = await add('laptop');
    const ben = await addBens();
    const more = (nonce: string, id: string): PersonProof => ({
      assertion: ben.sign(challengeFor(['change', nonce, 'add', id])),
    });
    await expect(add('more', more)).rejects.toMatchObject(rejected);
    const nonce = desk.nonce();
    const proof = { assertion: ben.sign(challengeFor(['change', nonce, 'remove', first.id])) };
    await expect(desk.remove({ nonce, id: first.id, proof })).rejects.toMatchObject(rejected);
    const other = desk.nonce();
    const until = clock.now() + 1_000;
    const assertion = ben.sign(challengeFor(['hand-over', other, 'Ben', until]));
    await expect(
      desk.handOver({ nonce: other, person: 'Ben', until, proof: { assertion } }),
    ).rejects.toMatchObject(rejected);
    expect(listed()).toHaveLength(2);
  });

  it('answers in the place of the owner until the end of a handover, and not after it was taken back', async () => {
    const ben = await addBens();
    await expect(answers(ben)).rejects.toMatchObject(rejected);
    await handOver(clock.now() + 10_000);
    expect(rows.at(-1)).toMatchObject({ code: 'handed-over' });
    expect(await answers(ben)).toBe('Ben');
    clock.advance(10_000);
    await expect(answers(ben)).rejects.toMatchObject(rejected);
    await handOver(clock.now() + 10_000);
    await handOver(null);
    expect(rows.at(-1)).toMatchObject({ code: 'handed-back' });
    await expect(answers(ben)).rejects.toMatchObject(rejected);
  });

  it('is handed nothing without an end, without the owner, under no name, or where no record can be written', async () => {
    const ben = await addBens();
    const day = 24 * 60 * 60_000;
    for (const until of [clock.now(), clock.now() + 91 * day])
      await expect(handOver(until)).rejects.toMatchObject({ refusal: { code: 'invalid-request' } });
    const soon = clock.now() + 1_000;
    await expect(handOver(soon, { passphrase: 'wrong' })).rejects.toMatchObject(rejected);
    await expect(handOver(soon, known, 'Eve')).rejects.toMatchObject({
      refusal: { code: 'invalid-request' },
    });
    isFull = true;
    await expect(handOver(soon)).rejects.toThrow('No room.');
    isLocked = true;
    await expect(handOver(soon)).rejects.toMatchObject({ refusal: { code: 'lockout-active' } });
    await expect(answers(ben)).rejects.toMatchObject(rejected);
  });
});

describe('the passkey of somebody who was invited', () => {
  const rejected = { refusal: { code: 'confirm-rejected' } };
  const invited = async (proof: PersonProof = known) =>
    desk.invite({ nonce: desk.nonce(), name: 'bens-phone', person: 'Ben', proof });
  const takes = async (nonce: string, { name = 'bens-phone', person = 'Ben' } = {}) => {
    const attestation = softAuthenticator().attest(challengeFor(['register', nonce, name, person]));
    return desk.add({ nonce, name, person, attestation, proof: { invited: true } });
  };

  it('is taken in once, as the very one that the owner has agreed to, and the record says how', async () => {
    const nonce = await invited();
    for (const other of [{ name: 'another' }, { person: 'Eve' }])
      await expect(takes(nonce, other)).rejects.toMatchObject(rejected);
    await takes(nonce);
    await expect(takes(nonce)).rejects.toMatchObject(rejected);
    expect(listed()).toMatchObject([{ name: 'bens-phone', person: 'Ben' }]);
    expect(rows.at(-1)?.text).toContain('the passphrase when they invited it');
  });

  it('is not taken in without the passphrase, too late, during a lockout, or by a nonce of its own', async () => {
    await expect(invited({ passphrase: 'wrong' })).rejects.toMatchObject(rejected);
    await expect(takes(desk.nonce())).rejects.toMatchObject(rejected);
    await expect(
      desk.invite({ nonce: desk.nonce(), name: 'x', person: 'Owner', proof: known }),
    ).rejects.toMatchObject({ refusal: { code: 'invalid-request' } });
    const late = await invited();
    clock.advance(10 * 60_000 + 1);
    await expect(takes(late)).rejects.toMatchObject(rejected);
    const locked = await invited();
    isLocked = true;
    await expect(takes(locked)).rejects.toMatchObject({ refusal: { code: 'lockout-active' } });
    expect(listed()).toEqual([]);
  });
});
