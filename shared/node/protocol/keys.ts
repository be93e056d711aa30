import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Direction, HelloFrame, SealedFrame } from '../../frames/v2.ts';

/** Stands under every mac and key, so that none can be used in another protocol or version. */
export const protocolLabel = 'interlock-approval/2';

/** Joins fields so that no two lists of fields yield the same bytes: each after its length. */
export function lengthPrefixed(fields: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  for (const field of fields) {
    const bytes = Buffer.from(field, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    parts.push(length, bytes);
  }
  return Buffer.concat(parts);
}

function mac(key: string | Uint8Array, fields: readonly string[]): string {
  return createHmac('sha256', key)
    .update(lengthPrefixed([protocolLabel, ...fields]))
    .digest('hex');
}

/** The nonces of one handshake, as they stand on the wire. */
export interface Nonces {
  readonly server: string;
  readonly client: string;
}

/** HMAC(token, label ‖ "client" ‖ N1 ‖ N2 ‖ ts): the runner knows the token. */
export function helloMac(token: string, nonces: Nonces, ts: HelloFrame['ts']): string {
  return mac(token, ['client', nonces.server, nonces.client, String(ts)]);
}

/** HMAC(token, label ‖ "server" ‖ N2 ‖ N1): the approver knows the token. */
export function welcomeMac(token: string, nonces: Nonces): string {
  return mac(token, ['server', nonces.client, nonces.server]);
}

/** HKDF-SHA256 of the token, salted with both nonces: good for one session only. */
export function sessionKey(token: string, nonces: Nonces): Uint8Array {
  const salt = lengthPrefixed([nonces.server, nonces.client]);
  const info = lengthPrefixed([protocolLabel, 'session']);
  return new Uint8Array(hkdfSync('sha256', token, salt, info, 32));
}

/** HMAC(K, label ‖ direction ‖ seq ‖ ts ‖ body). */
export function frameMac(
  key: Uint8Array,
  direction: Direction,
  frame: Omit<SealedFrame, 'mac'>,
): string {
  return mac(key, [direction, String(frame.seq), String(frame.ts), frame.body]);
}

/** Compares two macs in hex in constant time. */
export function sameMac(one: string, other: string): boolean {
  const a = Buffer.from(one, 'utf8');
  const b = Buffer.from(other, 'utf8');
  return a.length === b.length && timingSafeEqual(a, b);
}

/** sha256 (hex) of a text's UTF-8 bytes: how a decision names the ask that it answers. */
export function digestOf(body: string): string {
  return createHash('sha256').update(body, 'utf8').digest('hex');
}
