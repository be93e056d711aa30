import { eventLine } from './line.ts';
import type { SystemEvents } from './types.ts';

const perSession = 200;
const mostSessions = 200;

/** Event queues in memory. Both the number of sessions and of events in each are bounded. */
export function createSystemEvents(): SystemEvents {
  const queues = new Map<string, { lines: string[]; dropped: number }>();
  return {
    add: (session, event) => {
      if (session === null) return;
      const queue = queues.get(session) ?? { lines: [], dropped: 0 };
      queues.delete(session);
      queues.set(session, queue);
      queue.lines.push(eventLine(event));
      if (queue.lines.length > perSession) {
        queue.lines.shift();
        queue.dropped += 1;
      }
      const oldest = queues.keys().next().value;
      if (queues.size > mostSessions && oldest !== undefined) queues.delete(oldest);
    },
    drain: (session) => {
      const queue = queues.get(session);
      queues.delete(session);
      return { events: queue?.lines ?? [], dropped: queue?.dropped ?? 0 };
    },
  };
}
