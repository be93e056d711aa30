import { expect } from 'vitest';

/** `expect.poll` with the patience that real processes need on a busy machine. */
export function until<T>(look: () => T): ReturnType<typeof expect.poll<T>> {
  return expect.poll(look, { timeout: 30_000 });
}
