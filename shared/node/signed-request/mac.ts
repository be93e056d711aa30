import canonicalizeModule from 'canonicalize';
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignedCall } from './types.ts';

// Its types describe an ES module; what Node hands out is the function itself.
const canonicalize = canonicalizeModule as unknown as (input: unknown) => string | undefined;

const label = 'interlock request 1';

/**
 * HMAC-SHA256 (hex) over the RFC 8785 canonical JSON of the call, so that a signer in any language
 * need not agree with us on blanks or the order of members.
 */
export function callMac(key: Uint8Array, call: SignedCall): string {
  const { agent, method, path, body, ts, nonce } = call;
  const text = canonicalize({ label, agent, method, path, body, ts, nonce });
  if (text === undefined) throw new Error('The body of a signed call must be JSON.');
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}

/** Compares in constant time. */
export function callMacMatches(key: Uint8Array, call: SignedCall, mac: string): boolean {
  const given = Buffer.from(mac, 'hex');
  const right = Buffer.from(callMac(key, call), 'hex');
  return given.length === right.length && timingSafeEqual(given, right);
}
