import { parsePolicy } from '../../policy/parse.ts';
import type { PolicyDocument } from '../../policy/types.ts';
import type { Refusal } from '../../refusal/refusal.ts';
import { readCheckedFile } from './checked-file.ts';
import { keepLastGood } from './last-good.ts';
import { maxPolicyBytes } from './types.ts';
import type { PolicyFile } from './types.ts';

export interface ReadOptions {
  /** Who must own the file: the runner's own user. */
  readonly uid: number;
  /** False for a file that is only looked at (`--policy FILE`): no last good copy is kept. */
  readonly keepLastGood?: boolean;
}

/**
 * Reads and checks the policy file. A valid one is copied to `<path>.last-good`; an invalid one is
 * left exactly as it is. Never throws.
 */
export function readPolicyFile(path: string, options: ReadOptions): PolicyFile {
  const file = readCheckedFile(path, { uid: options.uid, maxBytes: maxPolicyBytes, parse });
  if (!file.ok) return file;
  if (options.keepLastGood !== false) keepLastGood(path, file.text, options);
  return { ok: true, document: file.value, hash: file.hash };
}

function parse(
  text: string,
):
  | { readonly ok: true; readonly value: PolicyDocument }
  | { readonly ok: false; readonly problem: Refusal } {
  const parsed = parsePolicy(text);
  return parsed.ok ? { ok: true, value: parsed.document } : parsed;
}
