import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { takeLease } from '../../../shared/node/transport/lease.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';

const stepMs = 5;
/** A command line that adds one row is done long before. */
const waitMs = 2_000;

/**
 * Becomes the only writer of the log below `directory`, until the answer is called or this process
 * ends. Rejects with `concurrency-busy` when another one stays.
 */
export async function lockWriter(
  directory: string,
  options: { readonly waitMs?: number } = {},
): Promise<() => void> {
  const path = join(directory, 'writer');
  for (let left = (options.waitMs ?? waitMs) / stepMs; ; left -= 1) {
    const release = takeLease(path);
    if (release !== null) return release;
    if (left <= 0) throw busy(directory);
    await pause(stepMs);
  }
}

/** True while some process writes to the log below `directory`. */
export function isWriterAtWork(directory: string): boolean {
  const release = takeLease(join(directory, 'writer'));
  release?.();
  return release === null;
}

function busy(directory: string): Error {
  return refuse(
    'concurrency-busy',
    `Another program writes to the audit log in ${directory}.`,
    'Only one runner may use a home. Stop the other one first.',
  );
}
