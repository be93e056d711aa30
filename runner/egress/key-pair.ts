import { X509Certificate, createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import type * as x509 from './x509.ts';

export const day = 86_400_000;
export const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const mostBytes = 64 * 1024;

/** A key of ours and the certificate that it signed itself. */
export interface Pair {
  readonly certificate: X509Certificate;
  readonly key: webcrypto.CryptoKey;
  /** The key as PEM, for TLS. */
  readonly keyPem: string;
}

export interface PairFile {
  /** File with the key and the certificate, 0600, PEM. */
  readonly path: string;
  readonly uid: number;
  /** The refusal for a file that holds anything else; `why` is the end of a sentence about it. */
  readonly unfit: (path: string, why: string, cause?: unknown) => Error;
}

/** Reads a pair; null where there is no file. Rejects where it is not ours alone or holds no pair. */
export async function readPair({ path, uid, unfit }: PairFile): Promise<Pair | null> {
  const file = readPrivateFile(path, { uid, maxBytes: mostBytes });
  if (file.kind === 'missing') return null;
  if (file.kind === 'unsafe') throw unfit(path, file.why);
  try {
    const kept = createPrivateKey(file.text);
    const der = kept.export({ format: 'der', type: 'pkcs8' });
    const key = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
    const [pem = ''] =
      /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/u.exec(file.text) ?? [];
    const certificate = new X509Certificate(pem);
    if (!certificate.checkPrivateKey(kept)) throw new Error('the key is another one');
    return { certificate, key, keyPem: String(kept.export({ format: 'pem', type: 'pkcs8' })) };
  } catch (error) {
    throw unfit(path, 'does not hold a key and its certificate', error);
  }
}

export interface PairWords {
  readonly serialNumber: string;
  readonly name: string;
  readonly days: number;
  readonly extensions: (
    make: typeof x509,
    publicKey: webcrypto.CryptoKey,
  ) => Promise<readonly x509.Extension[]>;
}

/** Makes a pair and writes it to `path`, in the place of what was there. `now` as milliseconds. */
export async function createPair(
  path: string,
  now: number,
  { serialNumber, name, days, extensions }: PairWords,
): Promise<Pair> {
  const make = await import('./x509.ts');
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const made = await make.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    name,
    notBefore: new Date(now - day),
    notAfter: new Date(now + days * day),
    signingAlgorithm: algorithm,
    keys,
    extensions: [...(await extensions(make, keys.publicKey))],
  });
  const keyPem = await pemOf(keys.privateKey);
  const certificate = new X509Certificate(made.toString('pem'));
  writeFileAtomic(path, `${keyPem}${certificate.toString()}`);
  return { certificate, key: keys.privateKey, keyPem };
}

/** Positive, and of the length that all parsers take. */
export function serial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

/** A private key as PKCS #8 in PEM. */
export async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
}
