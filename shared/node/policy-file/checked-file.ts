import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readPrivateFile } from '../files/private-file.ts';
import { refuse } from '../../refusal/refusal.ts';
import type { Refusal } from '../../refusal/refusal.ts';

/** A file of ours whose text was read and understood, or why not. */
export type CheckedFile<T> =
  | {
      readonly ok: true;
      readonly value: T;
      readonly text: string;
      /** sha256 (hex) of the raw text. */
      readonly hash: string;
    }
  | {
      readonly ok: false;
      readonly problem: Refusal;
      readonly hash: string | null;
      readonly missing: boolean;
    };

export interface CheckedFileOptions<T> {
  readonly uid: number;
  readonly maxBytes: number;
  readonly parse: (
    text: string,
  ) => { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Refusal };
}

/** Reads a private file and hands its text to `parse`. Never throws. */
export function readCheckedFile<T>(path: string, options: CheckedFileOptions<T>): CheckedFile<T> {
  const file = readPrivateFile(path, options);
  if (file.kind === 'missing') {
    return failed(`There is no file ${path}.`, missingHint(path), { missing: true });
  }
  if (file.kind === 'unsafe') {
    return failed(`${path} ${file.why}.`, mendingHint(path, file.why), { missing: false });
  }
  const hash = hashOfText(file.text);
  const parsed = options.parse(file.text);
  if (parsed.ok) return { ok: true, value: parsed.value, text: file.text, hash };
  return { ok: false, problem: parsed.problem, hash, missing: false };
}

/** sha256 (hex) of the raw text: what `baseHash` means everywhere. */
export function hashOfText(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function failed(
  message: string,
  hint: string,
  { missing }: { readonly missing: boolean },
): CheckedFile<never> {
  const { refusal: problem } = refuse('config-invalid', message, hint);
  return { ok: false, problem, hash: null, missing };
}

/** A file made anew would be without the rules that the last good copy still has. */
function missingHint(path: string): string {
  const lastGood = `${path}.last-good`;
  return existsSync(lastGood)
    ? `Put it back; the last valid copy is ${lastGood}. Or make a new one with: interlock init`
    : 'Run: interlock init';
}

function mendingHint(path: string, why: string): string {
  if (why.startsWith('can be used by others')) return `Run: chmod 600 ${path}`;
  if (why.startsWith('is larger')) return 'Make it smaller; nothing runs until then.';
  return 'Put a regular file of your own there, with mode 600; nothing runs until then.';
}
