import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { Assertion, Attestation } from '../../shared/engine/index.ts';

/** An authenticator in software: one ES256 passkey, as WebAuthn level 2 writes it down. */
export interface Authenticator {
  readonly id: string;
  /** What it says of itself when the passkey is made. */
  attest(challenge: string, origin?: string): Attestation;
  /** What it signs; `counter`: what it says it has counted, one more each time where absent. */
  sign(challenge: string, how?: SignOptions): Assertion;
}

interface SignOptions {
  readonly origin?: string;
  readonly rpId?: string;
  readonly counter?: number;
  /** Whether a PIN or a finger was there; true where absent. */
  readonly verified?: boolean;
}

const home = 'http://localhost:4000';
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** CBOR (RFC 8949) of what stands in a passkey: small integers, byte strings, texts, maps. */
type Cbor = number | string | Uint8Array | readonly (readonly [number | string, Cbor])[];

function cbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  const parts = value.flatMap(([key, held]) => [cbor(key), cbor(held)]);
  return Buffer.concat([head(5, value.length), ...parts]);
}

function head(major: number, argument: number): Buffer {
  const top = major << 5;
  if (argument < 24) return Buffer.from([top | argument]);
  return argument < 256
    ? Buffer.from([top | 24, argument])
    : Buffer.from([top | 25, argument >> 8, argument & 255]);
}

const clientData = (type: string, challenge: string, origin: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      type,
      challenge: Buffer.from(challenge).toString('base64url'),
      origin,
      crossOrigin: false,
    }),
  );

/** A new one with a key of its own. `counts: false`: it says 0 each time, as shared passkeys do. */
export function softAuthenticator(options: { readonly counts?: boolean } = {}): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let counted = 0;
  const dataOf = (rpId: string, flags: number, counter: number): Buffer => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count]);
  };
  return {
    id: text(id),
    attest: (challenge, origin = home) => {
      const key = cbor([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]);
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
      const authData = Buffer.concat([dataOf(new URL(origin).hostname, 0x45, 0), credential]);
      const object = cbor([
        ['fmt', 'none'],
        ['attStmt', []],
        ['authData', authData],
      ]);
      return {
        id: text(id),
        clientDataJSON: text(clientData('webauthn.create', challenge, origin)),
        attestationObject: text(object),
        transports: ['internal'],
      };
    },
    sign: (challenge, { origin = home, verified = true, ...how } = {}) => {
      counted += options.counts === false ? 0 : 1;
      const rpId = how.rpId ?? new URL(origin).hostname;
      const data = dataOf(rpId, verified ? 0x05 : 0x01, how.counter ?? counted);
      const client = clientData('webauthn.get', challenge, origin);
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()]);
      return {
        id: text(id),
        clientDataJSON: text(client),
        authenticatorData: text(data),
        signature: text(createSign('sha256').update(signed).sign(privateKey)),
      };
    },
  };
}
