import { hashOfText } from './checked-file.ts';
import { keepLastGood } from './last-good.ts';
import { readPolicyFile } from './read.ts';
import { maxPolicyBytes } from './types.ts';
import { writeFileAtomic } from '../files/atomic-write.ts';
import { withFileLock } from '../files/lock.ts';
import { parsePolicy, serialisePolicy } from '../../policy/parse.ts';
import type { PolicyDocument } from '../../policy/types.ts';
import { RefusalError, refuse } from '../../refusal/refusal.ts';

export interface WriteOptions {
  readonly uid: number;
  /** Hash of the text that was read, or null to create a file that does not exist. */
  readonly baseHash: string | null;
}

/**
 * Compare-and-swap under a lock that all writers of this file share. Hands back the new hash. Throws
 * a refusal when the file is not the one that was read (`binding-drift`), when the file on disk is
 * invalid and so must not be overwritten, or when the new document would not load again
 * (`config-invalid`).
 */
export async function writePolicyFile(
  path: string,
  document: PolicyDocument,
  options: WriteOptions,
): Promise<{ readonly hash: string }> {
  const text = loadableText(document);
  return await withFileLock(`${path}.lock`, () => {
    expectUnchanged(path, options);
    writeFileAtomic(path, text);
    keepLastGood(path, text, options);
    return { hash: hashOfText(text) };
  });
}

function loadableText(document: PolicyDocument): string {
  const text = serialisePolicy(document);
  const parsed = parsePolicy(text);
  if (!parsed.ok) throw new RefusalError(parsed.problem);
  if (Buffer.byteLength(text) <= maxPolicyBytes) return text;
  throw refuse(
    'config-invalid',
    `The policy would be larger than ${maxPolicyBytes} bytes.`,
    'Remove rules that are never used.',
  );
}

function expectUnchanged(path: string, { uid, baseHash }: WriteOptions): void {
  const current = readPolicyFile(path, { uid, keepLastGood: false });
  if (!current.ok && !current.missing) throw new RefusalError(current.problem);
  const currentHash = current.ok ? current.hash : null;
  if (currentHash === baseHash) return;
  throw refuse(
    'binding-drift',
    `${path} has changed since it was read.`,
    'Read it again, look at what changed, and make the change once more.',
  );
}
