import type * as server from '@simplewebauthn/server';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { compile, parseJson, readJson, refusalOf, refuse, s } from '../base/index.ts';
import type { RefusalError } from '../base/index.ts';
import { challengeFor, isOriginOf, passkeySchema } from '../engine/index.ts';
import type { Assertion, Attestation, Passkey } from '../engine/index.ts';
import {
  keepStopNote,
  openLock,
  readPrivateFile,
  withFileLock,
  writeFileAtomic,
} from '../home/index.ts';
import type { HomePaths } from '../home/index.ts';

/** Where the passkeys of a home are kept: `keys/passkeys.json`. Only their public halves are. */
export interface PasskeyFile {
  readonly path: string;
  readonly uid: number;
}

export const mostPasskeys = 32;

const check = compile(
  s.object({
    version: s.literal(1),
    passkeys: s.array(passkeySchema, { maxItems: mostPasskeys }),
  }),
);

/** The passkeys of a home, oldest first. Throws `config-invalid` where the file is doubtful. */
export function readPasskeys({ path, uid }: PasskeyFile): readonly Passkey[] {
  const file = readPrivateFile(path, { uid, maxBytes: 1024 * 1024 });
  if (file.kind === 'missing') return [];
  const checked = file.kind === 'text' ? readJson(check, file.text) : null;
  if (checked?.ok === true) return checked.value.passkeys;
  throw refuse(
    'config-invalid',
    `${path} cannot be read as a list of passkeys, so none of them counts.`,
    'Restore it from a backup with mode 600, or move it away and add your passkeys anew.',
  );
}

/** Changes the list while nobody else does. What `change` throws leaves it as it is. */
export async function changePasskeys(
  file: PasskeyFile,
  change: (passkeys: readonly Passkey[]) => readonly Passkey[],
): Promise<void> {
  await withFileLock(`${file.path}.lock`, () => {
    const passkeys = change(readPasskeys(file));
    writeFileAtomic(file.path, `${JSON.stringify({ version: 1, passkeys }, null, 2)}\n`);
  });
}

/** Seldom needed, and slow to load. What it is made of wants the polyfill to be there before. */
async function webauthn(): Promise<typeof server> {
  await import('reflect-metadata');
  return import('@simplewebauthn/server');
}

/** The challenge as a browser writes it down: base64url of what it was given, which is ASCII. */
const onTheWire = (challenge: string): string => Buffer.from(challenge).toString('base64url');

const rejected = (why: string): RefusalError =>
  refuse('confirm-rejected', why, 'Nothing was changed by it. Try again with a passkey of yours.');

/** The origin that a browser says it was asked at; null where that cannot be read. */
function originIn(clientDataJSON: string): string | null {
  const read = parseJson(Buffer.from(clientDataJSON, 'base64url').toString());
  const origin = read.ok ? (read.value as { readonly origin?: unknown } | null)?.origin : null;
  return typeof origin === 'string' ? origin : null;
}

interface CheckOptions {
  readonly key: Pick<Passkey, 'id' | 'publicKey' | 'rpId' | 'counter'>;
  /** Of `challengeFor` or `challengeOfAnswer`. */
  readonly challenge: string;
  /** The one origin that counts; absent: any that may use the passkey. */
  readonly origin?: string;
}

/**
 * The counter that came with an assertion by this key over this challenge. Throws `confirm-rejected`
 * where it is another key's, for something else, from another origin, without a person, or a copy.
 */
export async function checkAssertion(
  { id, clientDataJSON, authenticatorData, signature }: Assertion,
  { key, challenge, origin: wanted }: CheckOptions,
): Promise<number> {
  const origin = originIn(clientDataJSON);
  if (id !== key.id) throw rejected('This is another passkey.');
  if (origin === null || !isOriginOf(key.rpId, origin) || (wanted ?? origin) !== origin)
    throw rejected('The passkey was asked for by another page.');
  const { verifyAuthenticationResponse } = await webauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: onTheWire(challenge),
      expectedOrigin: origin,
      expectedRPID: key.rpId,
      requireUserVerification: true,
      credential: {
        id: key.id,
        publicKey: new Uint8Array(Buffer.from(key.publicKey, 'base64url')),
        counter: key.counter,
      },
    });
    if (verified) return authenticationInfo.newCounter;
  } catch (error) {
    const detail =
      'What the passkey signed does not fit: it is for something else, used, or forged.';
    throw refuse('confirm-rejected', detail, 'Try again with a passkey of yours.', {
      cause: error,
    });
  }
  throw rejected('The signature is not of this passkey.');
}

const isOwners = ({ person }: Passkey): boolean => person === undefined;

interface ProveOptions extends Pick<CheckOptions, 'challenge' | 'origin'> {
  readonly file: PasskeyFile;
  readonly now: () => number;
  /** Whose passkeys count; absent: the owner's alone. */
  readonly counts?: (key: Passkey) => boolean;
}

/**
 * The passkey of this home that signed the challenge; its counter and last use are kept. Throws
 * `confirm-rejected` unless one did, and what the disk says where that cannot be kept.
 */
export async function provePasskey(assertion: Assertion, options: ProveOptions): Promise<Passkey> {
  const { file, now, counts = isOwners } = options;
  const key = readPasskeys(file).find(({ id }) => id === assertion.id);
  if (key === undefined) throw rejected('No passkey of this home signed this.');
  if (!counts(key)) throw rejected('Only the owner of this home can do this.');
  const counter = await checkAssertion(assertion, { ...options, key });
  await changePasskeys(file, (passkeys) => {
    const present = passkeys.find(({ id }) => id === key.id);
    // Removed, given to somebody else, or used by somebody else, while it was looked at.
    if (
      present === undefined ||
      present.person !== key.person ||
      !counts(present) ||
      (present.counter > 0 && counter <= present.counter)
    )
      throw rejected('This passkey does not count any more.');
    const used = { ...present, counter, lastUsedAt: now() };
    return passkeys.map((one) => (one === present ? used : one));
  });
  return { ...key, counter };
}

interface UnlockOptions {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly now: () => number;
  /** For the record. */
  readonly by: string;
  readonly nonce: string;
  /** What gave the nonce out. */
  readonly nonces: Pick<Nonces, 'once'>;
  /** Whether a passkey that was made on a device still has it; true of any other. */
  readonly hasDevice: (key: Pick<Passkey, 'id' | 'rpId'>) => boolean;
}

/**
 * Opens the lock for whoever has a passkey of this home, as the passphrase does, and without a runner.
 * Throws `confirm-rejected` unless it signed for just this.
 */
export async function unlockWithPasskey(
  assertion: Assertion,
  { paths, uid, now, by, nonce, nonces, hasDevice }: UnlockOptions,
): Promise<void> {
  const file = { path: paths.passkeys, uid };
  const challenge = challengeFor(['unlock', nonce]);
  try {
    const { name } = await nonces.once(nonce, () =>
      provePasskey(assertion, {
        file,
        challenge,
        now,
        counts: (key) => isOwners(key) && hasDevice(key),
      }),
    );
    openLock(paths, { uid, now: now(), by: `${by} with the passkey "${name}"` });
  } catch (error) {
    if (refusalOf(error)?.code === 'confirm-rejected') {
      const text = `A passkey that proves nothing was shown by ${by}.`;
      keepStopNote(paths, { at: now(), code: 'unlock-refused', by, text }, uid);
    }
    throw error;
  }
}

interface ReadAttestationOptions {
  readonly challenge: string;
  readonly name: string;
  /** Whose it is to be; absent: the owner's. */
  readonly person?: string | undefined;
  /** Host names of pages that passkeys may be made for. */
  readonly rpIds: readonly string[];
  readonly now: () => number;
}

/** A passkey that was made for the challenge by a page of ours. Throws `confirm-rejected` otherwise. */
export async function readAttestation(
  { id, clientDataJSON, attestationObject, transports }: Attestation,
  { challenge, name, person, rpIds, now }: ReadAttestationOptions,
): Promise<Passkey> {
  const origin = originIn(clientDataJSON) ?? '';
  const rpId = rpIds.find((one) => isOriginOf(one, origin));
  if (rpId === undefined) throw rejected('The passkey was made for another page.');
  const { verifyRegistrationResponse } = await webauthn();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: onTheWire(challenge),
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
    });
    if (verified && registrationInfo.credential.id === id) {
      const { publicKey, counter } = registrationInfo.credential;
      const kept = Buffer.from(publicKey).toString('base64url');
      const whose = person === undefined ? {} : { person };
      const about = { rpId, name, ...whose, transports, madeAt: now(), lastUsedAt: null };
      return { id, publicKey: kept, counter, ...about };
    }
  } catch (error) {
    const detail = 'This is not a passkey that was just made here.';
    throw refuse('confirm-rejected', detail, 'Try again.', { cause: error });
  }
  throw rejected('This is not a passkey that was just made here.');
}

/** Nonces that are each good for one thing, once, for five minutes. */
export interface Nonces {
  /** 32 bytes, base64url. */
  issue(): string;
  /**
   * What `prove` answers; from then on the nonce is spent, whatever is done with it. Where `prove`
   * throws nothing was proved, and nothing is spent. Throws `replay-detected` where the nonce is not
   * one that was given out, is too old, was spent, or is in the hands of another call.
   */
  once<T>(nonce: string, prove: () => T | Promise<T>): Promise<T>;
}

const nonceTtlMs = 5 * 60_000;
/** Only who has proved something spends one. */
const mostSpent = 4_096;
const [timeBytes, randomBytes, sealBytes] = [6, 10, 16];

/**
 * Of what is given out nothing is kept: a nonce says when it was made, under a seal of a key that
 * nobody else has. So whoever asks for any number of them takes none away from others. What is kept
 * is which were spent, and that takes a proof.
 *
 * @param options.elapsed a clock that does not jump, in milliseconds
 */
export function createNonces({
  elapsed,
  random,
}: {
  readonly elapsed: () => number;
  readonly random: (bytes: number) => Uint8Array;
}): Nonces {
  const key = random(32);
  const spent = new Map<string, number>();
  const underWay = new Set<string>();
  const sealed = (said: Uint8Array): Buffer =>
    Buffer.concat([said, createHmac('sha256', key).update(said).digest().subarray(0, sealBytes)]);
  /** Until when it is good; null where it is none of ours. */
  const untilOf = (nonce: string): number | null => {
    const given = Buffer.from(nonce, 'base64url');
    const said = given.subarray(0, timeBytes + randomBytes);
    const ours = sealed(said);
    if (given.length !== ours.length || !timingSafeEqual(given, ours)) return null;
    // The last letter of base64url has bits to spare: one nonce has one spelling.
    return given.toString('base64url') === nonce
      ? given.readUIntBE(0, timeBytes) + nonceTtlMs
      : null;
  };
  return {
    issue: () => {
      const said = Buffer.alloc(timeBytes + randomBytes);
      said.writeUIntBE(Math.floor(elapsed()), 0, timeBytes);
      said.set(random(randomBytes), timeBytes);
      return sealed(said).toString('base64url');
    },
    once: async (nonce, prove) => {
      const now = elapsed();
      const until = untilOf(nonce);
      for (const [one, end] of spent) if (end < now) spent.delete(one);
      const isOpen = !spent.has(nonce) && !underWay.has(nonce) && spent.size < mostSpent;
      if (until === null || until < now || !isOpen)
        throw refuse('replay-detected', 'This took too long, or was sent before.', 'Try again.');
      underWay.add(nonce);
      try {
        const proved = await prove();
        spent.set(nonce, until);
        return proved;
      } finally {
        underWay.delete(nonce);
      }
    },
  };
}
