import type { Clock } from '../../shared/base/index.ts';

interface KeepTryingOptions {
  /**
   * One attempt, with all that follows where it goes well; then it calls `wentWell`, and the next wait
   * is the shortest again. What it throws ends the trying.
   */
  readonly attempt: (wentWell: () => void) => Promise<'again' | 'over'>;
  readonly clock: Pick<Clock, 'after'>;
  /** From 0 up to 1: spreads the attempts of many who lost the same peer at once. */
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** The first and the longest wait, in milliseconds; each is twice the one before, less up to half. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Tries again and again, with growing waits between, until it is over or the signal says so. */
export async function keepTrying(options: KeepTryingOptions): Promise<void> {
  const { attempt, random, signal, firstMs, longestMs } = options;
  let waitMs = firstMs;
  while (!signal.aborted) {
    const next = await attempt(() => {
      waitMs = firstMs;
    });
    if (next === 'over' || signal.aborted) return;
    await pause(waitMs * (0.5 + random() / 2), options);
    waitMs = Math.min(2 * waitMs, longestMs);
  }
}

async function pause(
  ms: number,
  { clock, signal }: Pick<KeepTryingOptions, 'clock' | 'signal'>,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(ms, done);
    signal.addEventListener('abort', done);
  });
}
