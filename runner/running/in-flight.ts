import type { RunningCommand } from '../../shared/api/types.ts';
import type { InFlight, StopReason } from './types.ts';

interface Entry {
  readonly controller: AbortController;
  command: RunningCommand | null;
}

/** The requests under way, in the order of their arrival. */
export function createInFlight(): InFlight {
  const entries = new Map<string, Entry>();
  const listeners: (() => void)[] = [];
  const waiters: (() => void)[] = [];
  let closedFor: StopReason | null = null;
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const stop = (pick: (entry: Entry) => boolean, reason: StopReason): number => {
    // Who was told to stop already is not counted a second time.
    const picked = [...entries.values()].filter(
      (entry) => !entry.controller.signal.aborted && pick(entry),
    );
    for (const { controller } of picked) controller.abort(reason);
    return picked.filter((entry) => entry.command !== null).length;
  };

  return {
    enter: (id, requester) => {
      const entry: Entry = { controller: new AbortController(), command: null };
      entries.set(id, entry);
      const gone = (): void => entry.controller.abort('requester-gone' satisfies StopReason);
      requester.addEventListener('abort', gone, { once: true });
      if (requester.aborted) gone();
      if (closedFor !== null) entry.controller.abort(closedFor);
      return {
        id,
        signal: entry.controller.signal,
        started: (command) => {
          entry.command = { id, ...command };
          changed();
        },
        ended: () => {
          requester.removeEventListener('abort', gone);
          if (!entries.delete(id)) return;
          if (entry.command !== null) changed();
          if (entries.size === 0) for (const waiter of waiters.splice(0)) waiter();
        },
      };
    },
    running: () =>
      [...entries.values()].flatMap(({ command }) => (command === null ? [] : [command])),
    stopAll: (reason) => {
      if (reason === 'runner-stopping') closedFor = reason;
      return stop(() => true, reason);
    },
    stopWaiting: (reason) => void stop((entry) => entry.command === null, reason),
    idle: async () =>
      entries.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiters.push(resolve)),
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Why a signal of a request in flight was aborted. */
export function stopReasonOf(signal: AbortSignal): StopReason {
  return signal.reason as StopReason;
}
