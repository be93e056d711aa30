import { refilled, waitFor } from '../../shared/base/index.ts';
import type { Rate } from '../../shared/base/index.ts';

/** Named token buckets. */
export interface Buckets {
  /** Takes one token. Answers 0, or how many milliseconds it lacks; then nothing was taken. */
  take(name: string, rate: Rate): number;
  /** What each bucket holds, for the state file. */
  levels(): Readonly<Record<string, number>>;
}

interface BucketsOptions {
  /** Milliseconds of a clock that nobody can set; only differences are used. */
  readonly elapsed: () => number;
  /**
   * What an earlier runner left. Null when it cannot be known: then every bucket starts empty. The
   * time in between fills nothing, so that neither a restart nor a moved clock brings tokens.
   */
  readonly levels: Readonly<Record<string, number>> | null;
}

/** Beyond these the idlest are forgotten: a bucket that is full is as good as a new one. */
const mostBuckets = 2_000;

export function createBuckets({ elapsed, levels }: BucketsOptions): Buckets {
  const start = elapsed();
  const buckets = new Map<string, { tokens: number; at: number }>(
    Object.entries(levels ?? {}).map(([name, tokens]) => [name, { tokens, at: start }]),
  );
  const levelOfNew = levels === null ? 0 : Infinity;

  return {
    take: (name, rate) => {
      const now = elapsed();
      const known = buckets.get(name);
      const tokens = refilled(
        known?.tokens ?? Math.min(levelOfNew, rate.burst),
        rate,
        now - (known?.at ?? start),
      );
      const wait = waitFor(tokens, rate);
      // Deleted first, so that the order of the map is the order of use.
      buckets.delete(name);
      buckets.set(name, { tokens: wait === 0 ? tokens - 1 : tokens, at: now });
      const idlest = buckets.keys().next().value;
      if (buckets.size > mostBuckets && idlest !== undefined) buckets.delete(idlest);
      return wait;
    },
    levels: () => Object.fromEntries([...buckets].map(([name, { tokens }]) => [name, tokens])),
  };
}
