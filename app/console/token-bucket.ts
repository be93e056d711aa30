/** Takes one token: false when none is left. */
export type TokenBucket = () => boolean;

/** `burst` at once, then `perSecond` for ever. A clock that jumps back adds nothing. */
export function createTokenBucket(options: {
  readonly now: () => number;
  readonly burst: number;
  readonly perSecond: number;
}): TokenBucket {
  let tokens = options.burst;
  let at = options.now();
  return () => {
    const now = options.now();
    tokens = Math.min(options.burst, tokens + (Math.max(0, now - at) / 1000) * options.perSecond);
    at = now;
    if (tokens < 1) return false;
    tokens -= 1;
    return true;
  };
}
