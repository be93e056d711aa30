import type { Clock } from '../../../shared/clock/types.ts';

/** After so many rows, or so many milliseconds, the checkpoint goes to the disk. */
const rowsAtMost = 1_000;
const millisecondsAtMost = 1_000;

export interface Pace {
  touched(): void;
  /** Syncs what is left; settles when no sync is under way. */
  stop(): Promise<void>;
}

/**
 * Calls `sync` now and then while rows are written. A sync that fails is left to the next one: the
 * rows themselves are on the disk, only their number is not known from outside yet.
 */
export function createPace(sync: () => Promise<void>, clock: Clock): Pace {
  let rows = 0;
  let cancel: (() => void) | null = null;
  let running: Promise<void> = Promise.resolve();
  const run = (): void => {
    cancel?.();
    cancel = null;
    rows = 0;
    running = running.then(sync).catch(() => {});
  };
  return {
    touched: () => {
      rows += 1;
      cancel ??= clock.after(millisecondsAtMost, run);
      if (rows >= rowsAtMost) run();
    },
    stop: async () => {
      if (cancel !== null) run();
      await running;
    },
  };
}
