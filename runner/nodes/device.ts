import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { refuse } from '../../shared/base/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';

/** Who we are to another machine: an Ed25519 key, whose fingerprint is our id there. */
export interface Device {
  /** SHA-256 of the raw public key, hex. */
  readonly id: string;
  /** The raw public key, base64url. */
  readonly publicKey: string;
  readonly sign: (text: string) => string;
}

/** The device whose key a file holds; made at the first use and kept, so that it is paired only once. */
export function openDevice(path: string, uid: number): Device {
  const file = readPrivateFile(path, { uid, maxBytes: 4096 });
  if (file.kind === 'text') {
    const device = deviceFrom(file.text);
    if (device !== null) return device;
    throw unusableDevice(path, 'holds no Ed25519 key');
  }
  if (file.kind === 'unsafe') throw unusableDevice(path, file.why);
  const { device, pem } = newDevice();
  writeFileAtomic(path, pem);
  return device;
}

/** A device that there was not before, and its private key (PKCS #8, PEM). */
export function newDevice(): { readonly device: Device; readonly pem: string } {
  const { privateKey } = generateKeyPairSync('ed25519');
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return { device: deviceOf(privateKey), pem };
}

/** The device of a private key in PEM; null where it is none for Ed25519. */
export function deviceFrom(pem: string): Device | null {
  try {
    const key = createPrivateKey(pem);
    return key.asymmetricKeyType === 'ed25519' ? deviceOf(key) : null;
  } catch {
    return null;
  }
}

/** Whether the device with this public key (raw, base64url) signed the text. Never throws. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: publicKey },
      format: 'jwk',
    });
    return verify(null, Buffer.from(text, 'utf8'), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

/** The id of the device with this public key (raw, base64url). */
export function deviceId(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex');
}

function deviceOf(key: KeyObject): Device {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  if (x === undefined) throw new Error('an Ed25519 key has a public part');
  return {
    id: deviceId(x),
    publicKey: x,
    sign: (text) => sign(null, Buffer.from(text, 'utf8'), key).toString('base64url'),
  };
}

function unusableDevice(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `${path} ${why}.`,
    'Move it away: a new key is made, which has to be paired again.',
  );
}
