import type { V1ExecError } from '../../../frames/v1.ts';
import type { RefusalCode } from '../../../refusal/codes.ts';
import type { Refusal } from '../../../refusal/refusal.ts';

/** The words that version-1 clients know, where they have one for a refusal. */
const known: Readonly<Partial<Record<RefusalCode, V1ExecError>>> = {
  'policy-deny': {
    code: 'UNAVAILABLE',
    message: 'SYSTEM_RUN_DENIED: allowlist miss',
    reason: 'allowlist-miss',
  },
  'confirm-rejected': {
    code: 'UNAVAILABLE',
    message: 'SYSTEM_RUN_DENIED: user denied',
    reason: 'user-denied',
  },
  'approval-timeout': {
    code: 'UNAVAILABLE',
    message: 'SYSTEM_RUN_DENIED: approval prompt closed without decision',
    reason: 'approval-cancelled',
  },
};

/** A refusal of ours in the terms of the exec flow of version 1. */
export function v1ErrorOf(refusal: Refusal): V1ExecError {
  const error = known[refusal.code];
  if (error !== undefined) return error;
  return {
    code: refusal.code === 'invalid-request' ? 'INVALID_REQUEST' : 'UNAVAILABLE',
    message: refusal.message,
    reason: refusal.code,
  };
}
