import type { Child, ChildEnd } from './child.ts';

/** Waits before each new start, in milliseconds; the last one repeats. */
const backoffMs = [500, 1000, 2000, 5000, 10_000, 30_000] as const;

/** A child that stayed up this long has earned a fresh start of the backoff. */
const healthyMs = 60_000;

export interface KeepRunningOptions {
  readonly start: () => Child;
  /** Called when it ended by itself: says whether to start it again. */
  readonly onEnd: (end: ChildEnd, nextStartMs: number) => Promise<boolean>;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
}

/** A program that is started again whenever it ends, until it is stopped. */
export interface KeptRunning {
  readonly pid: () => number | null;
  /** Resolves when it will not be started again. */
  readonly over: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a program and keeps it running, with growing pauses while it keeps falling over. */
export function keepRunning(options: KeepRunningOptions): KeptRunning {
  const stopping = new AbortController();
  let child = options.start();
  const run = async (): Promise<void> => {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const startedAt = options.now();
      const end = await child.ended;
      if (stopping.signal.aborted) return;
      if (options.now() - startedAt >= healthyMs) failures = 0;
      const pause = backoffMs[Math.min(failures, backoffMs.length - 1)] ?? 30_000;
      failures += 1;
      if (!(await options.onEnd(end, pause))) return;
      try {
        await options.sleep(pause, stopping.signal);
      } catch {
        return;
      }
      child = options.start();
    }
  };
  return {
    pid: () => child.pid,
    over: run(),
    stop: async () => {
      stopping.abort();
      await child.stop();
    },
  };
}
