import { callMacMatches } from '../../shared/node/signed-request/mac.ts';
import type { Signature } from '../../shared/node/signed-request/types.ts';
import { refuse } from '../../shared/refusal/refusal.ts';
import type { NonceWindow } from './nonce-window.ts';
import type { Principals } from './types.ts';

/** How far a request's clock may be from ours, in milliseconds, either way. */
export const signatureTtlMs = 60_000;

export interface SignedRequest {
  readonly signature: Signature;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/**
 * Answers the agent that signed the request. The order is: time, key and mac, nonce; so that nobody
 * without the key can fill the memory of nonces. Refuses with `hmac-fail` or `replay-detected`, and
 * does not tell an unknown agent from a wrong key.
 */
export async function authenticateSigned(
  request: SignedRequest,
  parts: {
    readonly principals: Pick<Principals, 'key'>;
    readonly nonces: NonceWindow;
    readonly now: () => number;
  },
): Promise<string> {
  const { signature, ...call } = request;
  const { agent, ts, nonce, mac } = signature;
  if (Math.abs(parts.now() - ts) > signatureTtlMs)
    throw refuse(
      'hmac-fail',
      'The signature of the request is too old, or from the future.',
      'Sign each request when it is sent, with the present time; check the clock.',
    );
  const key = await parts.principals.key(agent);
  if (key === null || !callMacMatches(key, { ...call, agent, ts, nonce }, mac))
    throw refuse(
      'hmac-fail',
      'The signature of the request is not right for this agent.',
      `A person may issue a new key: interlock agents rekey ${agent}`,
    );
  if (!parts.nonces.use(nonce, ts + signatureTtlMs))
    throw refuse(
      'replay-detected',
      'This request was sent before, or the clock was set back since.',
      'Sign each request anew, with a fresh nonce and the right time.',
    );
  return agent;
}
