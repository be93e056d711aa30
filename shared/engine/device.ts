import { s, sha256 } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { reachOf } from './egress/address.ts';
import { isInNetwork, isSingle, parseAddress, parseNetwork } from './egress/address.ts';
import type { Address } from './egress/address.ts';
import { assertionSchema, attestationSchema } from './passkey.ts';

/** Phones that answer: what is kept of each, what passes between one and the app, and from where. */

/**
 * What a device may do: only lock out; also answer what has a low risk; or answer everything. None of
 * them writes a rule.
 */
export const deviceRights = ['lockout', 'answer', 'everything'] as const;
export type DeviceRights = (typeof deviceRights)[number];

const base64url = (maxLength: number) =>
  s.string({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' });
const nonce = s.string({ pattern: '^[A-Za-z0-9_-]{43}$' });
const at = s.integer({ minimum: 0 });

/** 16 random bytes, base64url. */
const id = s.string({ pattern: '^[A-Za-z0-9_-]{22}$' });
export const deviceName = s.string({
  minLength: 1,
  maxLength: 60,
  pattern: '^[^\\u0000-\\u001f\\u007f]+$',
});
/** A point of P-256, uncompressed. */
const key = s.string({ pattern: '^[A-Za-z0-9_-]{87}$' });
/** ECDSA as WebCrypto writes it: r and s, 32 bytes each. */
const signature = s.string({ pattern: '^[A-Za-z0-9_-]{86}$' });

/** Where the push service of a browser takes messages for it, and the key that they are encrypted for. */
export const pushFields = {
  endpoint: s.string({ pattern: '^https://[!-~]+$', maxLength: 1_000 }),
  p256dh: key,
  auth: id,
};
const pushAddress = s.object(pushFields);
export type PushAddress = Static<typeof pushAddress>;

/** A device as it is kept. Whose it is stands with its passkey. */
export const deviceSchema = s.object({
  id,
  name: deviceName,
  rights: s.oneOf(deviceRights),
  /** The public half of the key that the device made when it was paired, and cannot show. */
  key,
  /** The credential's id of the passkey that was made on it. */
  passkey: base64url(1_400),
  /** Milliseconds since the epoch. */
  madeAt: at,
  lastSeenAt: s.nullable(at),
  /** Absent: it is not told that an ask waits. */
  push: s.optional(pushAddress),
});
export type Device = Static<typeof deviceSchema>;

/** An invitation for one device, good once, until then. Of the code only a digest is kept. */
export const pairingSchema = s.object({
  version: s.literal(1),
  codeDigest: s.string({ pattern: '^[0-9a-f]{64}$' }),
  name: deviceName,
  rights: s.oneOf(deviceRights),
  /** Whose it is to be; absent: the owner's. */
  person: s.optional(deviceName),
  madeAt: at,
  until: at,
});
export type Pairing = Static<typeof pairingSchema>;

/**
 * What a device shows to be paired. `passkeyNonce`: from the runner. The passphrase is the owner's;
 * somebody else, for whom the owner has shown it at the machine, sends none.
 */
export const devicePairFields = {
  code: nonce,
  nonce,
  key,
  signature,
  passkeyNonce: nonce,
  attestation: attestationSchema,
  passphrase: s.optional(s.string({ minLength: 1, maxLength: 1_000 })),
};

/** What it shows to be connected; without an assertion it may lock out and sees nothing. */
export const deviceOpenFields = {
  device: id,
  nonce,
  signature,
  assertion: s.optional(assertionSchema),
};

/**
 * What a device's key signs, as 64 hex digits: it is for one thing, at one page, with a nonce that is
 * good once. With `pair` the code, too, so that no other key can take its place.
 */
export function challengeOfDevice(
  purpose: readonly ['pair', code: string] | readonly ['open', device: string],
  where: { readonly nonce: string; readonly origin: string },
): string {
  return sha256(JSON.stringify(['interlock-device/1', ...purpose, where.nonce, where.origin]));
}

/** Overlay networks whose every machine has one address alone: they are one network all the same. */
const tailnets = ['100.64.0.0/10', 'fd7a:115c:a1e0::/48'].map(parseNetwork);

/**
 * Why the page for devices must not be at this address; null where it may. `named`: the person wrote
 * this very address, so that it may be a public one.
 */
export function listenProblem(text: string, named: boolean): string | null {
  const address = parseAddress(text);
  if (address === null) return `${text} is not an address.`;
  const reach = reachOf(address);
  if (address.value === 0n) return `${text} means every address of this machine.`;
  if (reach === 'private' || reach === 'loopback') return null;
  if (reach === 'public')
    return named ? null : `${text} can be reached from everywhere, and was not named.`;
  return `${text} is not an address that a phone could reach this machine at.`;
}

/**
 * Whether who connects is of the network that an address of ours is in: an interface's network, a
 * tailnet, or this machine. At a public address that was named, everybody is.
 *
 * @param own the address that took the connection
 * @param cidr the interface's network as the machine has it (`192.168.1.7/24`), or null
 */
export function isPeerOf(peer: string, own: string, cidr: string | null): boolean {
  const [one, other] = [parseAddress(plain(peer)), parseAddress(plain(own))];
  if (one === null || other === null) return false;
  if (one.family === other.family && one.value === other.value) return true;
  const reach = reachOf(other);
  if (reach === 'public') return true;
  if (reach === 'loopback') return reachOf(one) === 'loopback';
  if (tailnets.some((net) => net !== null && isInNetwork(one, net) && isInNetwork(other, net)))
    return true;
  const network = cidr === null ? null : networkOf(other, cidr);
  return network !== null && !isSingle(network) && isInNetwork(one, network);
}

/** Without the zone of a link-local address. */
const plain = (address: string): string => address.split('%')[0] ?? '';

function networkOf(address: Address, cidr: string) {
  const bits = Number(/\/(\d{1,3})$/.exec(cidr)?.[1] ?? Number.NaN);
  const most = address.family === 4 ? 32 : 128;
  return Number.isInteger(bits) && bits > 0 && bits <= most ? { ...address, bits } : null;
}
