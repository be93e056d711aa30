import type { RefusalCode } from '../../../shared/refusal/codes.ts';

const statuses: Readonly<Partial<Record<RefusalCode, number>>> = {
  'invalid-request': 400,
  'hmac-fail': 403,
  'replay-detected': 403,
  'policy-deny': 403,
  'confirm-rejected': 403,
  'lockout-active': 423,
  'pause-active': 423,
  'rate-limit': 429,
  'concurrency-busy': 429,
};

/** The HTTP status that goes with a refusal; the code in the body is what counts. */
export function statusOf(code: RefusalCode): number {
  return statuses[code] ?? 503;
}
