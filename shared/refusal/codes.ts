/**
 * Every reason for which Interlock says no, as the stable codes that agents, scripts and the
 * audit log may rely on. A code is never renamed; a new reason gets a new code.
 */
export const refusalCodes = [
  'hmac-fail',
  'replay-detected',
  'lockout-active',
  'pause-active',
  'rate-limit',
  'concurrency-busy',
  'policy-deny',
  'confirm-rejected',
  'approval-timeout',
  'approver-unavailable',
  'command-timeout',
  'binding-drift',
  'config-invalid',
  'audit-unavailable',
  'host-unavailable',
  'invalid-request',
  'stale-on-recovery',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];
