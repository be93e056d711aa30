import type { Request } from './turns.ts';

/** Requests that wait: those of one agent in the order of their times, and the agents in turn. */
interface Queue {
  /** False where as many of this agent wait as may. */
  add(request: Request, most: number): boolean;
  /** The next one; null where none waits. */
  next(): Request | null;
  /** One that waits; null where none does under this id. */
  find(id: string): Request | null;
  /** Takes one out before its turn; false where none waits under this id. */
  drop(id: string): boolean;
  has(id: string): boolean;
  readonly size: number;
}

/** An empty queue. */
export function createQueue(): Queue {
  // The order of the map is the order of the agents' turns.
  const lines = new Map<string, Request[]>();
  const ids = new Set<string>();
  const takeOut = (agent: string, line: Request[], at: number): Request | null => {
    const [request] = line.splice(at, 1);
    if (line.length === 0) lines.delete(agent);
    if (request !== undefined) ids.delete(request.descriptor.id);
    return request ?? null;
  };
  return {
    add: (request, most) => {
      const { id, principal } = request.descriptor;
      const line = lines.get(principal) ?? [];
      if (line.length >= most) return false;
      let at = line.length;
      while (at > 0 && (line[at - 1]?.createdAt ?? 0) > request.createdAt) at -= 1;
      line.splice(at, 0, request);
      lines.set(principal, line);
      ids.add(id);
      return true;
    },
    next: () => {
      const [first] = lines;
      if (first === undefined) return null;
      const [agent, line] = first;
      const request = takeOut(agent, line, 0);
      if (lines.delete(agent)) lines.set(agent, line);
      return request;
    },
    find: (id) => [...lines.values()].flat().find(({ descriptor }) => descriptor.id === id) ?? null,
    drop: (id) => {
      for (const [agent, line] of lines) {
        const at = line.findIndex(({ descriptor }) => descriptor.id === id);
        if (at >= 0) return takeOut(agent, line, at) !== null;
      }
      return false;
    },
    has: (id) => ids.has(id),
    get size() {
      return ids.size;
    },
  };
}
