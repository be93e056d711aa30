import { useCallback, useEffect, useRef, useState } from 'react';
import { holdProgress } from '../../bridge/arming.ts';
import { useApp } from '../state/app.ts';

export interface Hold {
  /** 0 to 1. */
  readonly progress: number;
  readonly begin: () => void;
  readonly cancel: () => void;
}

/**
 * A press that counts only when it lasts. `done` runs once at its end; letting go, losing the
 * window or leaving the button takes it back. `enabled` turning false takes it back as well.
 */
export function useHold(done: () => void, enabled: boolean): Hold {
  const [progress, setProgress] = useState(0);
  const since = useRef<number | null>(null);
  const frame = useRef(0);
  const finish = useRef(done);
  useEffect(() => {
    finish.current = done;
  });

  const cancel = useCallback(() => {
    since.current = null;
    cancelAnimationFrame(frame.current);
    setProgress(0);
  }, []);

  const begin = useCallback(() => {
    if (since.current !== null) return;
    since.current = performance.now();
    const step = (): void => {
      const share = holdProgress(since.current, performance.now(), useApp.getState().state?.pace);
      if (share < 1) {
        setProgress(share);
        frame.current = requestAnimationFrame(step);
        return;
      }
      cancel();
      finish.current();
    };
    frame.current = requestAnimationFrame(step);
  }, [cancel]);

  useEffect(() => {
    if (!enabled) cancel();
  }, [enabled, cancel]);
  useEffect(() => {
    window.addEventListener('blur', cancel);
    return () => {
      window.removeEventListener('blur', cancel);
      cancel();
    };
  }, [cancel]);

  return { progress, begin, cancel };
}
