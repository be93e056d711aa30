import { once } from 'node:events';
import type { Output } from '../io.ts';

/** Writes text, and waits until the reader has taken it: no export piles up in memory. */
export async function print(output: Output, text: string): Promise<void> {
  if (!output.write(text) && !output.destroyed) await once(output, 'drain');
}
