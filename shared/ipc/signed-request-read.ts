import { compile, refuse, s } from '../base/index.ts';
import type { Signature } from './signed-request.ts';
import { signatureHeaders } from './signed-request.ts';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

const check = compile(
  s.object({
    agent: s.string({ pattern: '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$' }),
    ts: s.string({ pattern: '^[0-9]{1,15}$' }),
    nonce: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }),
    mac: s.string({ pattern: '^[0-9a-f]{64}$' }),
  }),
);

/**
 * The signature in a request's headers, or null when there is none at all. Some but not all of the
 * headers, or a wrong shape, is `hmac-fail`: a broken signature never counts as no signature.
 */
export function readSignature(headers: Headers): Signature | null {
  const found = Object.entries(signatureHeaders)
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
  return { ...checked.value, ts: Number(checked.value.ts) };
}
