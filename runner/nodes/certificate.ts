import { createHash } from 'node:crypto';
import { refuse } from '../../shared/base/index.ts';
import { createPair, readPair, serial } from '../egress/key-pair.ts';

/** What the gateway shows to nodes in TLS. They know it by its digest alone, so that no date counts. */
export interface GatewayCertificate {
  /** Both PEM. */
  readonly key: string;
  readonly certificate: string;
  /** SHA-256 of the certificate, DER. */
  readonly digest: Uint8Array;
}

const years = 30;

/**
 * The gateway's certificate, made at the first use. Rejects with `config-invalid` where its file is
 * not ours alone or does not hold what it should; it is not replaced then, since every node knows it.
 */
export async function openGatewayCertificate({
  path,
  uid,
  now,
}: {
  readonly path: string;
  readonly uid: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
}): Promise<GatewayCertificate> {
  const { certificate, keyPem } =
    (await readPair({ path, uid, unfit })) ??
    (await createPair(path, now, {
      serialNumber: serial(),
      name: 'CN=Interlock gateway, O=Interlock on this machine',
      days: years * 365,
      extensions: async (make) => [
        new make.BasicConstraintsExtension(false, undefined, true),
        new make.KeyUsagesExtension(make.KeyUsageFlags.digitalSignature, true),
        new make.ExtendedKeyUsageExtension([make.ExtendedKeyUsage.serverAuth]),
      ],
    }));
  return {
    key: keyPem,
    certificate: certificate.toString(),
    digest: createHash('sha256').update(certificate.raw).digest(),
  };
}

function unfit(path: string, why: string, cause?: unknown): Error {
  return refuse(
    'config-invalid',
    `The certificate that nodes know this gateway by, ${path}, ${why}.`,
    'Put it back from a backup. Moved away, a new one is made, and every node has to be paired anew.',
    { cause },
  );
}
