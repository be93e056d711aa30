import { setTimeout as delay } from 'node:timers/promises';

/** Waits between attempts while the runner says `rate-limit`, in milliseconds: some 40 s in all. */
export const rateLimitDelays = [500, 1000, 2000, 4000, 8000, 8000, 8000, 8000] as const;

/** Waits, or rejects as soon as the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const sleep: Sleep = async (ms, signal) => {
  await delay(ms, undefined, { signal });
};
