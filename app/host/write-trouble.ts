import { refuse } from '../../shared/refusal/refusal.ts';
import type { RefusalError } from '../../shared/refusal/refusal.ts';

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
