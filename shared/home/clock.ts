import type { Clock } from '../base/index.ts';

/** The clock of this machine. Its timers never keep a process alive by themselves. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
