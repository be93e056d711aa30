import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
} from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { writeFileAtomic } from '../../../shared/node/files/atomic-write.ts';
import { readPrivateFile } from '../../../shared/node/files/private-file.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';

/** Who we are to a Gateway: an Ed25519 key, whose fingerprint is our id there. */
export interface Device {
  readonly id: string;
  /** The raw public key, base64url. */
  readonly publicKey: string;
  readonly sign: (text: string) => string;
}

/** The device of this home; made at the first use and kept, so that it is paired only once. */
export function openDevice(path: string, uid: number): Device {
  const file = readPrivateFile(path, { uid, maxBytes: 4096 });
  if (file.kind === 'text') return deviceOf(keyIn(file.text, path));
  if (file.kind === 'unsafe') throw unusable(path, file.why);
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileAtomic(path, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return deviceOf(privateKey);
}

function deviceOf(key: KeyObject): Device {
  const { x } = createPublicKey(key).export({ format: 'jwk' });
  if (x === undefined) throw new Error('an Ed25519 key has a public part');
  return {
    id: createHash('sha256').update(Buffer.from(x, 'base64url')).digest('hex'),
    publicKey: x,
    sign: (text) => sign(null, Buffer.from(text, 'utf8'), key).toString('base64url'),
  };
}

function keyIn(text: string, path: string): KeyObject {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Falls through to the one sentence below.
  }
  throw unusable(path, 'holds no Ed25519 key');
}

function unusable(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `${path} ${why}.`,
    'Move it away: a new key is made, which has to be paired again.',
  );
}
