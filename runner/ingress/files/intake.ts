import { refuse } from '../../../shared/base/index.ts';
import type { RefusalError } from '../../../shared/base/index.ts';
import type { Config } from '../../../shared/engine/index.ts';
import { idOf } from './request.ts';
import { createTurns } from './turns.ts';
import type { Door, Request, TurnPorts } from './turns.ts';

/** A door with what lies behind it and could not be taken away: it is not looked at again. */
export interface OpenDoor extends Door {
  readonly ignored: Set<string>;
}

/** From the names of files to requests that have their turn. */
interface Intake {
  /** A file of `requests` may be there. */
  readonly read: (door: OpenDoor, name: string) => Promise<void>;
  /** Whoever was read gets a turn, as far as there is room. */
  readonly start: () => void;
  /** A file of `teardowns` may be there. */
  readonly tearDown: (door: OpenDoor, name: string) => Promise<void>;
  /** Resolves when nothing waits and nothing is under way. */
  readonly idle: () => Promise<void>;
  /** How many requests have had their turn. */
  readonly taken: () => number;
  /** Nothing new gets a turn. */
  readonly stop: () => void;
}

const mostIgnored = 50_000;

/** An intake with an empty queue. */
export function createIntake(ports: TurnPorts): Intake {
  const turns = createTurns(ports);
  const queue = createQueue();
  const running = new Map<string, Request>();
  const reading = new Set<string>();
  const idlers: (() => void)[] = [];
  let stopped = false;
  let taken = 0;
  const isIdle = (): boolean => running.size === 0 && (queue.size === 0 || stopped);
  const carryOut = async (request: Request): Promise<void> => {
    const { id, principal } = request.descriptor;
    const release = request.door.folder.hold();
    running.set(id, request);
    taken += 1;
    try {
      // It may have come before the request was read.
      if ((await turns.tornDown(request.door, id)) === principal) request.gone.abort();
      await turns.take(request);
    } finally {
      release();
      running.delete(id);
    }
    start();
  };
  const start = (): void => {
    const most = settingsOf(ports.config)?.concurrent ?? 1;
    const room = stopped ? 0 : most - running.size;
    for (let place = 0; place < room; place += 1) {
      const request = queue.next();
      if (request !== null) void carryOut(request);
    }
    if (isIdle()) for (const idler of idlers.splice(0)) idler();
  };
  const isKnown = (id: string): boolean => queue.has(id) || running.has(id) || reading.has(id);
  const admit = async (request: Request): Promise<void> => {
    const most = settingsOf(ports.config)?.waiting ?? 1;
    if (!queue.add(request, most))
      await turns.refuse(request, tooManyWait(request.descriptor.principal, most).refusal);
  };
  return {
    read: async (door, name) => {
      const id = idOf(name);
      if (stopped || id === null || isKnown(id) || door.ignored.has(id)) return;
      reading.add(id);
      try {
        const request = await turns.read(door, id);
        if (request !== null) await admit(request);
        else if (door.folder.modifiedAt('requests', name) !== null)
          if (door.ignored.size < mostIgnored) door.ignored.add(id);
      } finally {
        reading.delete(id);
      }
    },
    start,
    tearDown: async (door, name) => {
      const id = idOf(name);
      if (id === null || !(queue.has(id) || running.has(id))) return;
      const by = await turns.tornDown(door, id);
      const request = running.get(id) ?? queue.find(id);
      if (request === null || request.descriptor.principal !== by) return;
      request.gone.abort();
      // It gets its turn at once, in which it is taken up and told that nobody waits: so it cannot
      // come again.
      if (queue.drop(id)) await carryOut(request);
    },
    idle: async () =>
      isIdle() ? Promise.resolve() : new Promise((resolve) => void idlers.push(resolve)),
    taken: () => taken,
    stop: () => {
      stopped = true;
      start();
    },
  };
}

/** Null while `config.json` is not valid: then nothing is taken up anew. */
export function settingsOf(config: () => Config): Config['rpc'] | null {
  try {
    return config().rpc;
  } catch {
    return null;
  }
}

function tooManyWait(principal: string, most: number): RefusalError {
  return refuse(
    'concurrency-busy',
    `${String(most)} requests of "${principal}" wait for their turn already.`,
    'Wait for their answers, then ask again.',
  );
}

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
function createQueue(): Queue {
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
