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
  'requester-gone',
  'approver-unavailable',
  'command-timeout',
  'binding-drift',
  'config-invalid',
  'audit-unavailable',
  'host-unavailable',
  'invalid-request',
  'stale-on-recovery',
  'gate-disarmed',
  'egress-deny',
  'upstream-unavailable',
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

/** How a code looks, also one that a newer version has and this one does not know. */
export const refusalCodePattern = '^[a-z][a-z-]{0,63}$';

/** The code, where it is known here; else that of a machine which says no in words of its own. */
export function knownRefusalCode(code: string): RefusalCode {
  return refusalCodes.find((known) => known === code) ?? 'host-unavailable';
}

/** A coded "no": `message` is one sentence for a person, `hint` says what to do instead. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly hint: string;
}

/**
 * Sentences that are put together from others may end twice; this leaves one full stop. An ellipsis, and
 * a path of dots, stay.
 */
export function oneStop(text: string): string {
  return text.replaceAll(/(?<=[^\s./])\.\.(?=$|\s+[A-Z"'])/gu, '.').replaceAll('....', '...');
}

/** The one error that becomes a refusal. Anything else that is thrown is a bug, and fails closed. */
export class RefusalError extends Error {
  readonly refusal: Refusal;

  constructor({ code, message, hint }: Refusal, options?: ErrorOptions) {
    const refusal = { code, message: oneStop(message), hint: oneStop(hint) };
    super(`${code}: ${refusal.message}`, options);
    this.name = 'RefusalError';
    this.refusal = refusal;
  }
}

/** Shorthand for the place that refuses: `throw refuse('policy-deny', 'sentence', 'hint')`. */
export function refuse(
  code: RefusalCode,
  message: string,
  hint: string,
  options?: ErrorOptions,
): RefusalError {
  return new RefusalError({ code, message, hint }, options);
}

/** What an error says, whatever was thrown. For people and logs; nothing is decided by it. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The refusal inside an error, or `undefined` when the error is something else. */
export function refusalOf(error: unknown): Refusal | undefined {
  return error instanceof RefusalError ? error.refusal : undefined;
}
