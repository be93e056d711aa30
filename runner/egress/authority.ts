import 'reflect-metadata';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import * as x509 from '@peculiar/x509';
import { refuse } from '../../shared/base/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import type { Authority } from './ports.ts';

const day = 86_400_000;
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const authorityDays = 365;
const renewDays = 30;
const leafDays = 7;
const mostBytes = 64 * 1024;

interface Pair {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

export interface AuthorityOptions {
  /** File with the key and the certificate, 0600, PEM. Made where there is none. */
  readonly path: string;
  readonly uid: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Servers' certificates that are kept; absent: 500. */
  readonly mostLeaves?: number;
}

/**
 * The proxy's own authority: it is made once, kept for the runner alone, and renewed before it ends.
 * Its servers' certificates live for days and in memory. Rejects with `config-invalid` where the file
 * is not ours alone or does not hold what it should; it is not replaced then.
 */
export async function openAuthority({
  path,
  uid,
  now,
  mostLeaves = 500,
}: AuthorityOptions): Promise<Authority> {
  x509.cryptoProvider.set(webcrypto);
  const kept = await read(path, uid);
  const isFresh = kept !== null && kept.certificate.notAfter.getTime() - now() > renewDays * day;
  const pair = isFresh ? kept : await create(path, now());
  const certificate = pair.certificate.toString('pem');
  const leafKeys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const leafKey = await pemOf(leafKeys.privateKey);
  const contexts = new Map<
    string,
    { readonly made: Promise<SecureContext>; readonly at: number }
  >();
  const make = async (host: string): Promise<SecureContext> => {
    const leaf = await leafFor(host, pair, leafKeys.publicKey, now());
    return createSecureContext({
      key: leafKey,
      cert: leaf.toString('pem'),
      minVersion: 'TLSv1.2',
    });
  };
  return {
    certificate: `${certificate}\n`,
    contextFor: async (host) => {
      const known = contexts.get(host);
      contexts.delete(host);
      const isGood = known !== undefined && now() - known.at < (leafDays - 2) * day;
      const entry = isGood ? known : { made: make(host), at: now() };
      // The one that was not asked for the longest goes first.
      contexts.set(host, entry);
      for (const [oldest] of contexts) {
        if (contexts.size <= mostLeaves) break;
        contexts.delete(oldest);
      }
      return entry.made;
    },
  };
}

async function read(path: string, uid: number): Promise<Pair | null> {
  const file = readPrivateFile(path, { uid, maxBytes: mostBytes });
  if (file.kind === 'missing') return null;
  if (file.kind === 'unsafe') throw unfit(path, file.why);
  try {
    const der = createPrivateKey(file.text).export({ format: 'der', type: 'pkcs8' });
    const key = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
    const [pem = ''] =
      /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/u.exec(file.text) ?? [];
    const certificate = new x509.X509Certificate(pem);
    await proveTogether(certificate, key);
    return { certificate, key };
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

async function create(path: string, now: number): Promise<Pair> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const serialNumber = serial();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber,
    // Its own name for each, so that an old one that is still trusted is not taken for it.
    name: `CN=Interlock egress ${serialNumber.slice(0, 12)}, O=Interlock on this machine`,
    notBefore: new Date(now - day),
    notAfter: new Date(now + authorityDays * day),
    signingAlgorithm: algorithm,
    keys: keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  writeFileAtomic(path, `${await pemOf(keys.privateKey)}${certificate.toString('pem')}\n`);
  return { certificate, key: keys.privateKey };
}

async function leafFor(
  host: string,
  { certificate, key }: Pair,
  publicKey: webcrypto.CryptoKey,
  now: number,
): Promise<x509.X509Certificate> {
  const name = { type: isIP(host) === 0 ? 'dns' : 'ip', value: host } as const;
  return x509.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: 'O=Interlock egress',
    issuer: certificate.subject,
    notBefore: new Date(now - day),
    notAfter: new Date(Math.min(now + leafDays * day, certificate.notAfter.getTime())),
    signingAlgorithm: algorithm,
    publicKey: publicKey,
    signingKey: key,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      // Its subject has no name of a host: then this one has to be understood.
      new x509.SubjectAlternativeNameExtension([name], false),
      await x509.AuthorityKeyIdentifierExtension.create(certificate),
    ],
  });
}

/** Positive, and of the length that all parsers take. */
function serial(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return String(privateKey.export({ format: 'pem', type: 'pkcs8' }));
}

function unfit(path: string, why: string, cause?: unknown): Error {
  return refuse(
    'config-invalid',
    `The proxy's authority, ${path}, ${why}.`,
    'Move the file away: a new one is made. What was told to trust the old one has to be told again.',
    { cause },
  );
}
