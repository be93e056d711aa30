import type { Clock } from '../../clock/types.ts';

/** A token bucket: `take` is false when the bucket is empty. A clock that goes back adds nothing. */
export function createBucket(
  clock: Pick<Clock, 'now'>,
  limits: { readonly burst: number; readonly perSecond: number },
): { take(): boolean } {
  let level = limits.burst;
  let last = clock.now();
  return {
    take() {
      const now = clock.now();
      level = Math.min(limits.burst, level + (Math.max(0, now - last) * limits.perSecond) / 1000);
      last = now;
      if (level < 1) return false;
      level -= 1;
      return true;
    },
  };
}
