import type { RefusalCode } from './codes.ts';

/** A coded "no": `message` is one sentence for a person, `hint` says what to do instead. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly hint: string;
}

/** The one error that becomes a refusal. Anything else that is thrown is a bug, and fails closed. */
export class RefusalError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, options?: ErrorOptions) {
    super(`${refusal.code}: ${refusal.message}`, options);
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

/** The refusal inside an error, or `undefined` when the error is something else. */
export function refusalOf(error: unknown): Refusal | undefined {
  return error instanceof RefusalError ? error.refusal : undefined;
}
