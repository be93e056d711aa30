import type { Clock } from '../../clock/types.ts';

/** The clock of this machine. Its timers never keep a process alive by themselves. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
