import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';

export const day = 86_400_000;
export const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const mostBytes = 64 * 1024;

/** A key of ours and the certificate that it signed itself. */
export interface Pair {
  readonly certificate: x509.X509Certificate;
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
  x509.cryptoProvider.set(webcrypto);
  const file = readPrivateFile(path, { uid, maxBytes: mostBytes });
  if (file.kind === 'missing') return null;
  if (file.kind === 'unsafe') throw unfit(path, file.why);
  try {
    const kept = createPrivateKey(file.text);
    const der = kept.export({ format: 'der', type: 'pkcs8' });
    const key = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
    const [pem = ''] =
      /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/u.exec(file.text) ?? [];
    const certificate = new x509.X509Certificate(pem);
    await proveTogether(certificate, key);
    return { certificate, key, keyPem: String(kept.export({ format: 'pem', type: 'pkcs8' })) };
  } catch (error) {
    throw unfit(path, 'does not hold a key and its certificate', error);
  }
}

/** A certificate that this key has signed itself. */
async function proveTogether(certificate: x509.X509Certificate, key: webcrypto.CryptoKey) {
  const probe = randomBytes(32);
  const sign = { name: 'ECDSA', hash: 'SHA-256' };
  const signature = await webcrypto.subtle.sign(sign, key, probe);
  const publicKey = await certificate.publicKey.export(algorithm, ['verify'], webcrypto);
  const holds = await webcrypto.subtle.verify(sign, publicKey, signature, probe);
  if (!holds) throw new Error('the key is another one');
}

export interface PairWords {
  readonly serialNumber: string;
  readonly name: string;
  readonly days: number;
  readonly extensions: (publicKey: webcrypto.CryptoKey) => Promise<readonly x509.Extension[]>;
}

/** Makes a pair and writes it to `path`, in the place of what was there. `now` as milliseconds. */
export async function createPair(
  path: string,
  now: number,
  { serialNumber, name, days, extensions }: PairWords,
): Promise<Pair> {
  x509.cryptoProvider.set(webcrypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    name,
    notBefore: new Date(now - day),
    notAfter: new Date(now + days * day),
    signingAlgorithm: algorithm,
    keys,
    extensions: [...(await extensions(keys.publicKey))],
  });
  const keyPem = await pemOf(keys.privateKey);
  writeFileAtomic(path, `${keyPem}${certificate.toString('pem')}\n`);
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
