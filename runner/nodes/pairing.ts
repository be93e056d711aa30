import { createHash, timingSafeEqual } from 'node:crypto';
import { refuse } from '../../shared/base/index.ts';

/** Length of an Ed25519 public key, of a nonce and of a SHA-256 digest, in bytes. */
const partBytes = 32;
/** Letters of the code: none that look or sound alike (Crockford's base 32). */
const letters = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const codeLetters = 8;

/** What both sides of a pairing have seen of each other. All are 32 bytes. */
export interface PairingTranscript {
  /** Ed25519 public keys, raw. */
  readonly nodeKey: Uint8Array;
  readonly gatewayKey: Uint8Array;
  /** SHA-256 of the certificate that the gateway showed, DER. */
  readonly certificate: Uint8Array;
  readonly nodeNonce: Uint8Array;
  readonly gatewayNonce: Uint8Array;
}

/**
 * What the node says first: it fixes its key and its nonce without showing the nonce. Whoever stands
 * between the two so has to fix theirs before they know what the code depends on, and gets one guess a
 * pairing (one in 2^40), however fast they compute.
 */
export function commitmentTo({
  nodeKey,
  nodeNonce,
}: Pick<PairingTranscript, 'nodeKey' | 'nodeNonce'>): Uint8Array {
  return digestOf('interlock node pairing: commitment', [nodeKey, nodeNonce]);
}

/**
 * The code that a person compares on both machines, such as `7KQ2-M0XD`. Throws `invalid-request`
 * where what the node has shown is not what it committed to, or a part has the wrong length.
 */
export function pairingCode(transcript: PairingTranscript, commitment: Uint8Array): string {
  const expected = commitmentTo(transcript);
  if (commitment.length !== expected.length || !timingSafeEqual(commitment, expected)) {
    throw refuse(
      'invalid-request',
      'The node shows another key or nonce than it committed to.',
      'Start the pairing again. If it happens again, somebody stands between the two machines.',
    );
  }
  const { nodeKey, gatewayKey, certificate, nodeNonce, gatewayNonce } = transcript;
  const parts = [nodeKey, gatewayKey, certificate, nodeNonce, gatewayNonce];
  const digest = digestOf('interlock node pairing: code', parts);
  const code = lettersOf(digest.subarray(0, 5));
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** Five bytes as eight letters. */
export function lettersOf(bytes: Uint8Array): string {
  let bits = 0n;
  for (const byte of bytes) bits = (bits << 8n) | BigInt(byte);
  return Array.from(
    { length: codeLetters },
    (_, at) => letters[Number((bits >> BigInt(5 * (codeLetters - 1 - at))) & 31n)],
  ).join('');
}

/** Every part has one length, so that no two transcripts are the same bytes. */
function digestOf(purpose: string, parts: readonly Uint8Array[]): Uint8Array {
  const hash = createHash('sha256').update(`${purpose}\0`);
  for (const part of parts) {
    if (part.length !== partBytes)
      throw refuse(
        'invalid-request',
        `A key, nonce or digest of a pairing has ${partBytes} bytes, and this one has ${part.length}.`,
        'Use the same version of Interlock on both machines.',
      );
    hash.update(part);
  }
  return hash.digest();
}
