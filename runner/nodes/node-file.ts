import { compile, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Static } from '../../shared/base/index.ts';
import { readPrivateFile, writeFileAtomic } from '../../shared/home/index.ts';
import { access } from '../fleet/files.ts';
import { addressText } from './address.ts';
import { deviceFrom } from './device.ts';
import type { Device } from './device.ts';

const digest = s.string({ pattern: '^[0-9a-f]{64}$' });
const gatewayFields = {
  displayName: s.string({ minLength: 1, maxLength: 256 }),
  /** Its public key, raw, base64url. */
  key: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  /** SHA-256 of its certificate. */
  certificate: digest,
};

/** `node.json`: who this machine is to its gateway. It holds secrets: 0600, and never shown. */
const nodeFile = s.object({
  version: s.literal(1),
  /** SHA-256 of its public key. */
  id: digest,
  displayName: s.string({ minLength: 1, maxLength: 64 }),
  /** Its private key (Ed25519, PKCS #8, PEM). */
  key: s.string({ minLength: 1, maxLength: 1_024 }),
  /** Of the last pairing. */
  token: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }),
  gateway: s.union(
    s.object({
      host: s.string({ minLength: 1, maxLength: 253 }),
      port: s.integer({ minimum: 1, maximum: 65_535 }),
      ...gatewayFields,
    }),
    /** The gateway comes here, by SSH. */
    s.object({ via: s.literal('ssh'), ...gatewayFields }),
    /** Both come to the same nats-server. */
    s.object({ via: s.literal('nats'), access, ...gatewayFields }),
  ),
  /** Milliseconds since the epoch. */
  pairedAt: s.integer({ minimum: 0 }),
});
export type NodeFile = Static<typeof nodeFile>;
const checkFile = compile(nodeFile);
const maxBytes = 256 * 1024;

export interface KeptNode {
  readonly file: NodeFile;
  readonly device: Device;
}

/** Reads `node.json`; null where there is none. Throws `config-invalid` for one that cannot be used. */
export function readNodeFile(path: string, uid: number): KeptNode | null {
  const read = readPrivateFile(path, { uid, maxBytes });
  if (read.kind === 'missing') return null;
  if (read.kind === 'unsafe') throw unfit(path, read.why);
  const checked = readJson(checkFile, read.text);
  if (!checked.ok) throw unfit(path, `cannot be read: ${checked.error.replace(/\.$/u, '')}`);
  const device = deviceFrom(checked.value.key);
  if (device === null || device.id !== checked.value.id)
    throw unfit(path, 'does not hold the key of its id');
  return { file: checked.value, device };
}

/** Where the gateway is, as it is shown. */
export function gatewayText(gateway: NodeFile['gateway']): string {
  if (!('via' in gateway)) return addressText(gateway);
  return gateway.via === 'ssh' ? 'it comes by SSH' : gateway.access.servers.join(', ');
}

/** Writes it, in the place of an earlier one. */
export function writeNodeFile(path: string, file: NodeFile): void {
  writeFileAtomic(path, `${JSON.stringify(file, null, 2)}\n`);
}

function unfit(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `${path} ${why}.`,
    'Move it away and pair this machine anew: interlock node pair HOST',
  );
}
