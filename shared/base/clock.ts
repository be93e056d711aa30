/** Time as it is passed in: tests hand over a clock that stands still until it is told to move. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some moment, for durations: never goes back, whatever the clock is set to. */
  elapsed(): number;
  /** Calls `run` once after `ms` milliseconds. The answer cancels it, and may be called twice. */
  after(ms: number, run: () => void): () => void;
}

/** How fast a bucket fills, and how much it holds. */
export interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

/** What a bucket holds after `elapsedMs`. Time that ran backwards, or was not a number, adds nothing. */
export function refilled(tokens: number, rate: Rate, elapsedMs: number): number {
  const elapsed = Number.isFinite(elapsedMs) ? Math.max(0, elapsedMs) : 0;
  const filled = tokens + (elapsed * rate.perMinute) / 60_000;
  return Math.min(rate.burst, Math.max(0, filled));
}

/** How long until the bucket holds one token, in milliseconds; 0 when it does. */
export function waitFor(tokens: number, rate: Rate): number {
  if (tokens >= 1) return 0;
  return rate.perMinute <= 0 ? Infinity : Math.ceil(((1 - tokens) / rate.perMinute) * 60_000);
}

/** Takes one token: false when none is left. */
export type TokenBucket = () => boolean;

/** A full bucket: `burst` at once, then `perSecond` for ever. */
export function createTokenBucket(
  clock: Pick<Clock, 'elapsed'>,
  { burst, perSecond }: { readonly burst: number; readonly perSecond: number },
): TokenBucket {
  const rate = { burst, perMinute: perSecond * 60 };
  let tokens = burst;
  let at = clock.elapsed();
  return () => {
    const now = clock.elapsed();
    tokens = refilled(tokens, rate, now - at);
    at = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
