import { createHash } from 'node:crypto';
import type { QueuedAsk } from '../../app/bridge/types.ts';
import type { Ask } from '../../shared/engine/ask.ts';
import { sampleAsk } from './sample-ask.ts';

/** An ask as it stands in the queue, with a digest that differs for every body. */
export function queuedAsk(change: Partial<Ask> = {}): QueuedAsk {
  const ask = sampleAsk(change);
  return { ask, askDigest: createHash('sha256').update(JSON.stringify(ask)).digest('hex') };
}
