import { useSyncExternalStore } from 'react';
import { hostNow } from '../../bridge/countdown.ts';
import { useApp } from './app.ts';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, 250);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
}

/** The host's clock, in milliseconds since the epoch; renders again when its second changes. */
export function useHostNow(): number {
  const seconds = useSyncExternalStore(subscribe, () => Math.floor(readHostNow() / 1000));
  return Math.max(seconds * 1000, 0);
}

/** The host's clock now. */
export function readHostNow(): number {
  const { state, receivedAt } = useApp.getState();
  return state === null ? 0 : hostNow(state, { receivedAt, now: performance.now() });
}
