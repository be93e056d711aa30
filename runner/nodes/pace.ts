import { createTokenBucket } from '../../shared/base/index.ts';
import type { Clock, TokenBucket } from '../../shared/base/index.ts';

/** Whether this machine may do something once more. Only ids of paired machines come here. */
export function paceEach(
  clock: Clock,
  rate: Parameters<typeof createTokenBucket>[1],
): (id: string) => boolean {
  const buckets = new Map<string, TokenBucket>();
  return (id) => {
    const bucket = buckets.get(id) ?? createTokenBucket(clock, rate);
    buckets.set(id, bucket);
    return bucket();
  };
}
