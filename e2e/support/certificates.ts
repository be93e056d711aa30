import 'reflect-metadata';
import { createHash, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const day = 86_400_000;

interface Made {
  /** The certificate and that of its authority, PEM. */
  readonly certificate: string;
  readonly key: string;
  /** Of the authority's public key: SHA-256, base64, as Chromium takes it. */
  readonly authorityPin: string;
}

/** A certificate for a name, of an authority that is made for it. `from`: milliseconds since the epoch. */
export async function certificateFor(name: string, from = Date.now() - day): Promise<Made> {
  x509.cryptoProvider.set(webcrypto as Crypto);
  const [ca, own] = await Promise.all(
    [1, 2].map(() => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])),
  );
  if (ca === undefined || own === undefined) throw new Error('There are no keys.');
  const common = {
    notBefore: new Date(from),
    notAfter: new Date(from + 10 * day),
    signingAlgorithm: algorithm,
  };
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...common,
    serialNumber: '01',
    name: 'CN=Interlock tests',
    keys: ca,
    extensions: [new x509.BasicConstraintsExtension(true, 0, true)],
  });
  const leaf = await x509.X509CertificateGenerator.create({
    ...common,
    serialNumber: '02',
    subject: `CN=${name}`,
    issuer: authority.subject,
    publicKey: own.publicKey,
    signingKey: ca.privateKey,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: name }])],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', own.privateKey));
  const lines = key.toString('base64').replaceAll(/.{64}/g, '$&\n');
  const pin = createHash('sha256').update(Buffer.from(authority.publicKey.rawData));
  return {
    certificate: `${leaf.toString('pem')}\n${authority.toString('pem')}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
    authorityPin: pin.digest('base64'),
  };
}
