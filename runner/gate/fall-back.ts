import { refuse } from '../../shared/refusal/refusal.ts';
import { fallBack as decideFallback } from '../../shared/verdict/fallback.ts';
import type { Verdict } from '../../shared/verdict/types.ts';
import type { Permission } from './types.ts';

/** What `askFallback` says when a person is needed and nobody can be reached. */
export function fallBack(verdict: Verdict): Permission {
  const { decision, message } = decideFallback(verdict);
  if (decision === 'allow')
    return { code: `fallback-${verdict.policy.askFallback}`, by: 'fallback', reason: message };
  throw refuse(
    'approver-unavailable',
    message,
    'Start an approver with "interlock ui", then ask again.',
  );
}
