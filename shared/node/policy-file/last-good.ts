import { writeFileAtomic } from '../files/atomic-write.ts';
import { readPrivateFile } from '../files/private-file.ts';
import { maxPolicyBytes } from './types.ts';

/** Where the last valid policy is kept, for a person to go back to. The runner never loads it. */
export function lastGoodPath(path: string): string {
  return `${path}.last-good`;
}

/** Keeps a copy of a valid policy beside it. A full or read-only disk is no reason to refuse. */
export function keepLastGood(path: string, text: string, options: { readonly uid: number }): void {
  const copy = readPrivateFile(lastGoodPath(path), { uid: options.uid, maxBytes: maxPolicyBytes });
  if (copy.kind === 'text' && copy.text === text) return;
  try {
    writeFileAtomic(lastGoodPath(path), text);
  } catch {
    // The copy is a convenience; the policy itself was read and is valid.
  }
}
