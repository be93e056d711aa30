import canonicalizeModule from 'canonicalize';
import { createHmac } from 'node:crypto';
import { compile, refuse, s } from '../base/index.ts';
import { sameMac } from './macs.ts';
import { bytesMac, signatureHeaders, signsHeader } from './signed-request.ts';
import type { SignedCall } from './signed-request.ts';

/** What a mac covers of a body: its canonical JSON (RFC 8785), or the bytes as they were sent. */
type Signs = 'json' | 'bytes';

/** Signature as read from headers, shape-checked. */
export interface Signature {
  readonly agent: string;
  readonly ts: number;
  readonly nonce: string;
  readonly mac: string;
  readonly signs: Signs;
}

/** A call as it arrived. */
interface ArrivedCall extends SignedCall {
  /** The parsed JSON body; null where there is none. */
  readonly body: unknown;
  /** `bodyDigest` of the bytes. */
  readonly digest: string;
}

// Its types describe an ES module; what Node hands out is the function itself.
const canonicalize = canonicalizeModule as unknown as (input: unknown) => string | undefined;

const label = 'interlock request 1';

/**
 * HMAC-SHA256 (hex) over the RFC 8785 canonical JSON of the call, so that a signer in any language
 * need not agree with us on blanks or the order of members.
 */
export function jsonMac(key: Uint8Array, call: Omit<ArrivedCall, 'digest'>): string {
  const { agent, method, path, body, ts, nonce } = call;
  const text = canonicalize({ label, agent, method, path, body, ts, nonce });
  if (text === undefined) throw new Error('The body of a signed call must be JSON.');
  return createHmac('sha256', key).update(text, 'utf8').digest('hex');
}

/** Whether the mac of the signature is the right one for the call. Compares in constant time. */
export function isSignedBy(key: Uint8Array, call: ArrivedCall, { signs, mac }: Signature): boolean {
  const right = signs === 'bytes' ? bytesMac(key, call, call.digest) : jsonMac(key, call);
  return sameMac(mac, right);
}

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const check = compile(
  s.object({
    agent: s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' }),
    ts: s.string({ pattern: '^[0-9]{1,15}$' }),
    nonce: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }),
    mac: s.string({ pattern: '^[0-9a-f]{64}$' }),
    signs: s.optional(s.literal('bytes')),
  }),
);

const read = { ...signatureHeaders, signs: signsHeader };

/**
 * The signature in a request's headers, or null when there is none at all. Some but not all of the
 * headers, or a wrong shape, is `hmac-fail`: a broken signature never counts as no signature.
 */
export function readSignature(headers: Headers): Signature | null {
  const found = Object.entries(read)
    .map(([field, header]) => [field, headers[header]] as const)
    .filter(([, value]) => value !== undefined);
  if (found.length === 0) return null;
  const checked = check(Object.fromEntries(found));
  if (!checked.ok)
    throw refuse(
      'hmac-fail',
      `The signature of the request is not complete: ${checked.error}`,
      'Send all four x-interlock headers, or none.',
    );
  const { ts, signs = 'json', ...rest } = checked.value;
  return { ...rest, ts: Number(ts), signs };
}
