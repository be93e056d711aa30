import type { QueuedAsk } from '../../bridge/types.ts';
import { announce } from '../primitives/Announcer.tsx';
import { callOrShow } from '../state/call.ts';
import type { Catalogue } from '../text/en.ts';

/** The host takes this many answers in one call. */
const mostAtOnce = 200;

/** Gives all of them the same answer, each bound to the ask that was seen. */
export async function answerMany(
  asks: readonly QueuedAsk[],
  decision: 'deny' | 'allow-once',
  text: Catalogue,
): Promise<void> {
  let accepted = 0;
  for (let from = 0; from < asks.length; from += mostAtOnce) {
    const answers = asks
      .slice(from, from + mostAtOnce)
      .map(({ ask, askDigest }) => ({ id: ask.id, askDigest, decision }));
    const result = await callOrShow('answerMany', { answers });
    if (result === null) return;
    accepted += result.accepted.filter(Boolean).length;
  }
  announce(text.queue.done(accepted, asks.length));
}
