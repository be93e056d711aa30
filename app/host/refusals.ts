import { RefusalError, refusalOf, refuse } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import { RunnerUnreachableError } from '../../shared/ipc/index.ts';
import type { PolicyStatus } from '../bridge/types.ts';

/** Turns any error into the refusal that a page shows. The text of an unexpected error is kept back. */
export function refusalOfError(error: unknown): Refusal {
  const refusal = refusalOf(error);
  if (refusal !== undefined) return refusal;
  if (error instanceof RunnerUnreachableError) {
    return refuse('host-unavailable', error.message, error.hint).refusal;
  }
  return refuse(
    'invalid-request',
    'Interlock could not do this: something went wrong that it did not expect.',
    'Nothing was changed. Look at Health, and try again.',
  ).refusal;
}

/** An edit was made from a policy that the file no longer holds. Nothing was written. */
export class PolicyConflictError extends RefusalError {
  /** Which file it is now: the edit has to be merged into that one. */
  readonly current: PolicyStatus;

  constructor(current: PolicyStatus) {
    super({
      code: 'binding-drift',
      message: 'The policy was changed by somebody else while you edited it.',
      hint: 'Look at what changed, and save your edit on top of it.',
    });
    this.name = 'PolicyConflictError';
    this.current = current;
  }
}

/** An edit brings in rules that can hardly be meant; a person may mean them all the same. */
export class PolicyDoubtError extends RefusalError {
  /** A sentence for each. */
  readonly doubts: readonly string[];

  constructor(problem: Refusal, doubts: readonly string[]) {
    super(problem);
    this.name = 'PolicyDoubtError';
    this.doubts = doubts;
  }
}

const causes: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the disk is read-only',
  EACCES: 'it may not be written',
  EPERM: 'it may not be written',
  ENOENT: 'its folder is gone',
  EIO: 'the disk does not work',
};

/**
 * What a failed write means for a person, or null when the error is no trouble with the disk.
 * Writers replace files whole, so that a failed write leaves the old file as it was.
 */
export function writeTrouble(
  error: unknown,
  { path, hint }: { readonly path: string; readonly hint: string },
): RefusalError | null {
  const code = (error as { readonly code?: unknown } | null)?.code;
  const cause = typeof code === 'string' ? causes[code] : undefined;
  if (cause === undefined) return null;
  return refuse('config-invalid', `${path} could not be written: ${cause}.`, hint, {
    cause: error,
  });
}
