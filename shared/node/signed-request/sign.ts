import { callMac } from './mac.ts';
import type { SignedCall } from './types.ts';
import { signatureHeaders } from './types.ts';

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
