import type { Clock } from '../../shared/base/index.ts';
import type { AppState } from '../bridge/types.ts';

/** What a state is made of; the feed adds `revision` and `now`. */
export type StateParts = Omit<AppState, 'revision' | 'now'>;

export interface StateFeed {
  /** Something changed: one push follows soon, however many changes happen until then. */
  changed(): void;
  /** Calls back at once with the present state, then after each change. */
  subscribe(listener: (state: AppState) => void): () => void;
  dispose(): void;
}

interface StateFeedOptions {
  readonly clock: Clock;
  readonly parts: () => StateParts;
}

/** Pushes are at least this many milliseconds apart: a flood of changes becomes one push. */
const restMs = 25;

/** Calls every listener with the state whenever it changed. What goes over a wire is only the change. */
export function createStateFeed({ clock, parts }: StateFeedOptions): StateFeed {
  const listeners = new Set<(state: AppState) => void>();
  let revision = 0;
  let pushedAt = Number.NEGATIVE_INFINITY;
  let scheduled = false;
  let closed = false;

  const current = (): AppState => ({ revision, now: clock.now(), ...parts() });
  const push = (): void => {
    scheduled = false;
    if (closed) return;
    revision += 1;
    pushedAt = clock.elapsed();
    const state = current();
    for (const listener of listeners) listener(state);
  };

  return {
    changed: () => {
      if (scheduled || closed) return;
      scheduled = true;
      clock.after(Math.min(restMs, Math.max(0, pushedAt + restMs - clock.elapsed())), push);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      listener(current());
      return () => listeners.delete(listener);
    },
    dispose: () => {
      closed = true;
      listeners.clear();
    },
  };
}
