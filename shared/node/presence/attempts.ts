import { rmSync } from 'node:fs';
import { compile } from '../../schema/compile.ts';
import { writeFileAtomic } from '../files/atomic-write.ts';
import { withFileLock } from '../files/lock.ts';
import { readPrivateFile } from '../files/private-file.ts';

export interface AttemptsOptions {
  /** Beside the passphrase: `keys/passphrase-attempts.json`. */
  readonly path: string;
  readonly uid: number;
}

const check = compile<{ readonly version: 1; readonly wrong: number }>({
  type: 'object',
  additionalProperties: false,
  required: ['version', 'wrong'],
  properties: {
    version: { const: 1 },
    wrong: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  },
});

const free = 2;
const longestSeconds = 30;

/**
 * Counts one attempt before it is made, and answers how long to wait before it, in milliseconds.
 * Counting comes first, so that nothing is won by ending the program, by trying many times at once
 * or by setting the clock. A damaged count is a large one. Throws when it cannot be written.
 */
export async function countAttempt(options: AttemptsOptions): Promise<number> {
  return withFileLock(`${options.path}.lock`, () => {
    const before = readCount(options);
    writeFileAtomic(options.path, `${JSON.stringify({ version: 1, wrong: before + 1 })}\n`);
    return waitBefore(before);
  });
}

/** It was right: the next attempt waits for nothing. */
export function forgetAttempts({ path }: Pick<AttemptsOptions, 'path'>): void {
  rmSync(path, { force: true });
}

/** The pause in milliseconds after so many wrong attempts in a row: none twice, then 1, 2, 4 … 30 s. */
export function waitBefore(wrong: number): number {
  if (wrong < free) return 0;
  return Math.min(2 ** Math.min(wrong - free, 10), longestSeconds) * 1_000;
}

function readCount({ path, uid }: AttemptsOptions): number {
  const file = readPrivateFile(path, { uid, maxBytes: 1_024 });
  if (file.kind === 'missing') return 0;
  const checked = file.kind === 'text' ? check(parseJson(file.text)) : null;
  return checked?.ok === true ? checked.value.wrong : 100;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
