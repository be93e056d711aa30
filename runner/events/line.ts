import type { SystemEvent } from './types.ts';

/** The text of an event. Agents parse it, so its form never changes. */
export function eventLine(event: SystemEvent): string {
  const where = `node=${event.node}, id=${event.id}`;
  if (event.type === 'started') return `Exec started (${where})`;
  if (event.type === 'denied') return `Exec denied (${where}, ${event.reason})`;
  const head = `Exec finished (${where}, code=${event.code})`;
  return event.tail === '' ? head : `${head}\n${event.tail}`;
}
