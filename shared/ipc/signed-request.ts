import canonicalizeModule from 'canonicalize';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { refuse } from '../base/index.ts';
import { readPrivateFile } from '../home/index.ts';

/** What is signed: one call of the runner's API by one agent. */
export interface SignedCall {
  readonly agent: string;
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
  /** The parsed JSON body; null where there is none. */
  readonly body: unknown;
  /** Milliseconds since the epoch. */
  readonly ts: number;
  /** 32 random bytes, base64url. */
  readonly nonce: string;
}

/** The headers that carry a signature. Lower case, as Node hands them out. */
export const signatureHeaders = {
  agent: 'x-interlock-agent',
  ts: 'x-interlock-ts',
  nonce: 'x-interlock-nonce',
  mac: 'x-interlock-mac',
} as const;

/** Signature as read from headers, shape-checked. */
export interface Signature {
  readonly agent: string;
  readonly ts: number;
  readonly nonce: string;
  readonly mac: string;
}

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

export interface SignerOptions {
  readonly agent: string;
  readonly key: Uint8Array;
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/** The headers that sign one call, with the present time and a fresh nonce. */
export function signCall(
  options: SignerOptions,
  call: Pick<SignedCall, 'method' | 'path' | 'body'>,
): Readonly<Record<string, string>> {
  const ts = options.now();
  const nonce = Buffer.from(options.random(32)).toString('base64url');
  const mac = callMac(options.key, { ...call, agent: options.agent, ts, nonce });
  return {
    [signatureHeaders.agent]: options.agent,
    [signatureHeaders.ts]: String(ts),
    [signatureHeaders.nonce]: nonce,
    [signatureHeaders.mac]: mac,
  };
}

const keyBytes = 32;
const maxBytes = 256;

/**
 * An agent's key from its file: 32 bytes, base64url, one line, 0600. Null when there is no file.
 * Throws `config-invalid` for one that others can use or that holds something else; the key itself
 * is never part of the sentence.
 */
export function readKeyFile(path: string, uid: number): Uint8Array | null {
  const file = readPrivateFile(path, { uid, maxBytes });
  if (file.kind === 'missing') return null;
  if (file.kind === 'unsafe') throw unusable(path, file.why);
  const text = file.text.trim();
  const key = Buffer.from(text, 'base64url');
  if (key.length !== keyBytes || key.toString('base64url') !== text)
    throw unusable(path, 'does not hold a key');
  return key;
}

function unusable(path: string, why: string): Error {
  return refuse(
    'config-invalid',
    `The key file ${path} ${why}.`,
    'It must belong to you with mode 600, as "interlock agents add" or "rekey" writes it.',
  );
}
