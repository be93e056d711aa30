import type { Clock } from '../../shared/base/clock.ts';

export interface FakeClock extends Clock {
  /** Moves the time on and runs what falls due, in order. */
  advance(ms: number): void;
  /** Moves the time without running a timer, as when the machine's clock is set. */
  jump(ms: number): void;
  /** Lets time go by without running a timer, as when the process is stopped for a while. */
  lag(ms: number): void;
  /** Timers that are still to run. */
  readonly pending: number;
}

/** A clock that stands still until it is told to move. */
export function fakeClock(start = 1_700_000_000_000): FakeClock {
  let now = start;
  /** Steps of the wall clock do not count. */
  let stepped = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  return {
    now: () => now,
    elapsed: () => now - stepped,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => {
        timers.delete(timer);
      };
    },
    advance(ms) {
      const until = now + ms;
      for (;;) {
        const [next] = [...timers].toSorted((a, b) => a.at - b.at);
        if (next === undefined || next.at > until) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.run();
      }
      now = until;
    },
    lag(ms) {
      now += ms;
    },
    jump(ms) {
      now += ms;
      stepped += ms;
    },
    get pending() {
      return timers.size;
    },
  };
}
