import { createHash, createHmac } from 'node:crypto';
import { refuse } from '../base/index.ts';
import { readPrivateFile } from '../home/index.ts';
import { lengthPrefixed } from './macs.ts';

/** One call of the runner's API by one agent. */
export interface SignedCall {
  readonly agent: string;
  readonly method: string;
  /** Path and query, as sent. */
  readonly path: string;
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

/** Says `bytes` where the mac covers the body as it was sent; without it, the body's canonical JSON. */
export const signsHeader = 'x-interlock-signs';

const label = 'interlock request 2';

/** sha256 (hex) of a body as it is sent; of no bytes where there is none. */
export function bodyDigest(body: Uint8Array | string): string {
  return createHash('sha256').update(body).digest('hex');
}

/**
 * HMAC-SHA256 (hex) over the call and the `bodyDigest` of its body, each field under its length
 * (`lengthPrefixed`). Over the bytes, so that neither side has to understand them first.
 */
export function bytesMac(key: Uint8Array, call: SignedCall, digest: string): string {
  const { agent, method, path, ts, nonce } = call;
  return createHmac('sha256', key)
    .update(lengthPrefixed([label, agent, method, path, String(ts), nonce, digest]))
    .digest('hex');
}

interface SignerOptions {
  readonly agent: string;
  readonly key: Uint8Array;
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

/** A call that is about to be sent. */
export interface UnsignedCall extends Pick<SignedCall, 'method' | 'path'> {
  /** The body as it is sent; empty where there is none. */
  readonly payload: Uint8Array | string;
}

/** The headers that sign one call, with the present time and a fresh nonce. */
export function signCall(
  options: SignerOptions,
  { method, path, payload }: UnsignedCall,
): Readonly<Record<string, string>> {
  const ts = options.now();
  const nonce = Buffer.from(options.random(32)).toString('base64url');
  const call = { agent: options.agent, method, path, ts, nonce };
  const mac = bytesMac(options.key, call, bodyDigest(payload));
  return {
    [signsHeader]: 'bytes',
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
