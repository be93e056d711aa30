import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { SecureContext } from 'node:tls';
import { refuse } from '../../shared/base/index.ts';
import { algorithm, createPair, day, pemOf, readPair, serial } from './key-pair.ts';
import type { Pair } from './key-pair.ts';
import type { Authority } from './ports.ts';
import type * as x509 from './x509.ts';

const authorityDays = 365;
const renewDays = 30;
const leafDays = 7;

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
  const kept = await readPair({ path, uid, unfit });
  const isFresh = kept !== null && endOf(kept) - now() > renewDays * day;
  const pair = isFresh ? kept : await create(path, now());
  let leafKeys: Promise<LeafKeys> | undefined;
  const contexts = new Map<
    string,
    { readonly made: Promise<SecureContext>; readonly at: number }
  >();
  const make = async (host: string): Promise<SecureContext> => {
    leafKeys ??= createLeafKeys();
    const { publicKey, pem } = await leafKeys;
    const leaf = await leafFor(host, pair, publicKey, now());
    return createSecureContext({
      key: pem,
      cert: leaf.toString('pem'),
      minVersion: 'TLSv1.2',
    });
  };
  return {
    certificate: pair.certificate.toString(),
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

/** One pair for all servers' certificates, as long as this process lives. */
interface LeafKeys {
  readonly publicKey: webcrypto.CryptoKey;
  readonly pem: string;
}

async function createLeafKeys(): Promise<LeafKeys> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  return { publicKey: keys.publicKey, pem: await pemOf(keys.privateKey) };
}

/** Milliseconds since the epoch. */
function endOf({ certificate }: Pair): number {
  return Date.parse(certificate.validTo);
}

async function create(path: string, now: number): Promise<Pair> {
  const serialNumber = serial();
  return createPair(path, now, {
    serialNumber,
    // Its own name for each, so that an old one that is still trusted is not taken for it.
    name: `CN=Interlock egress ${serialNumber.slice(0, 12)}, O=Interlock on this machine`,
    days: authorityDays,
    extensions: async (make, publicKey) => [
      new make.BasicConstraintsExtension(true, 0, true),
      new make.KeyUsagesExtension(
        make.KeyUsageFlags.keyCertSign | make.KeyUsageFlags.cRLSign,
        true,
      ),
      await make.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
}

async function leafFor(
  host: string,
  pair: Pair,
  publicKey: webcrypto.CryptoKey,
  now: number,
): Promise<x509.X509Certificate> {
  const make = await import('./x509.ts');
  const issuer = new make.X509Certificate(pair.certificate.raw);
  const name = { type: isIP(host) === 0 ? 'dns' : 'ip', value: host } as const;
  return make.X509CertificateGenerator.create({
    serialNumber: serial(),
    subject: 'O=Interlock egress',
    issuer: issuer.subject,
    notBefore: new Date(now - day),
    notAfter: new Date(Math.min(now + leafDays * day, endOf(pair))),
    signingAlgorithm: algorithm,
    publicKey: publicKey,
    signingKey: pair.key,
    extensions: [
      new make.BasicConstraintsExtension(false, undefined, true),
      new make.KeyUsagesExtension(make.KeyUsageFlags.digitalSignature, true),
      new make.ExtendedKeyUsageExtension([make.ExtendedKeyUsage.serverAuth]),
      // Its subject has no name of a host: then this one has to be understood.
      new make.SubjectAlternativeNameExtension([name], false),
      await make.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
}

function unfit(path: string, why: string, cause?: unknown): Error {
  return refuse(
    'config-invalid',
    `The proxy's authority, ${path}, ${why}.`,
    'Move the file away: a new one is made. What was told to trust the old one has to be told again.',
    { cause },
  );
}
