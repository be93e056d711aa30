import type { QueuedAsk } from '../../bridge/types.ts';

/** The ask on screen: it stays while it waits; after it the oldest comes. */
export function shownAsk(
  queue: readonly QueuedAsk[],
  selected: string | null,
): QueuedAsk | undefined {
  return queue.find(({ ask }) => ask.id === selected) ?? queue[0];
}

/** The id of the ask `step` places after the shown one; it stops at both ends. */
export function neighbour(
  queue: readonly QueuedAsk[],
  selected: string | null,
  step: 1 | -1,
): string | null {
  const index = queue.findIndex(({ ask }) => ask.id === selected);
  return queue[Math.min(queue.length - 1, Math.max(0, index + step))]?.ask.id ?? null;
}
