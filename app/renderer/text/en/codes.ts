import type { RefusalCode } from '../../../../shared/refusal/codes.ts';
import type { RiskCode } from '../../../../shared/risk/types.ts';
import type { ReviewCode } from '../../../../shared/rules/review.ts';

/** Why something was allowed or refused, in two or three words. */
const outcomes: Record<string, string> = {
  'rule-allow': 'a rule allows it',
  'security-full': 'everything runs here',
  'allow-once': 'once',
  'allow-always': 'remembered',
  grant: 'granted earlier',
  'not-found': 'no such program',
  'hmac-fail': 'signature not valid',
  'replay-detected': 'sent twice',
  'lockout-active': 'locked out',
  'pause-active': 'paused',
  'rate-limit': 'too many requests',
  'concurrency-busy': 'too many at once',
  'policy-deny': 'policy',
  'confirm-rejected': 'said no',
  'approval-timeout': 'nobody answered',
  'approver-unavailable': 'nobody there',
  'command-timeout': 'ran too long',
  'binding-drift': 'changed meanwhile',
  'config-invalid': 'set-up not valid',
  'audit-unavailable': 'no audit log',
  'host-unavailable': 'host not there',
  'invalid-request': 'request not valid',
  'stale-on-recovery': 'cut off by a restart',
};

/**
 * Sentences for stable codes. The gate writes English: where a language has a sentence of its own
 * it is shown first, and the gate's beneath it. English has none.
 */
export const codes = {
  outcomes,
  refusals: {} as Partial<Record<RefusalCode, string>>,
  reviews: {} as Partial<Record<ReviewCode, string>>,
  risks: {} as Partial<Record<RiskCode, string>>,
};
