import type { Clock } from '../../shared/clock/types.ts';
import type { RefusalError } from '../../shared/refusal/refusal.ts';
import { driftAtStart } from './binding.ts';
import type { Binding } from './binding.ts';

/** Looks after what a command that has been started runs. */
export interface StartWatch {
  /** Looks now. The host calls it at the start and when the command first says something. */
  look(): void;
  /** Looks a last time, unless the command has run for long; what drifted, or null. */
  end(): RefusalError | null;
  /** Takes back the look that is still to come. */
  close(): void;
}

/** By then an interpreter has read what it was told to run. Later changes may be the command's own. */
const settledMs = 1000;

/**
 * Between the last check and the moment a kernel or an interpreter opens a file there is time for a
 * swap. No swap can hide: it leaves another file, another link or a newer change time behind. So a
 * look shortly afterwards finds it, and `stop` ends the command.
 */
export function watchStart(approved: Binding, clock: Clock, stop: () => void): StartWatch {
  const since = clock.now();
  let drift: RefusalError | null = null;
  const look = (): void => {
    if (drift !== null || clock.now() - since > settledMs) return;
    drift = driftAtStart(approved);
    if (drift !== null) stop();
  };
  const cancel = clock.after(settledMs, look);
  return {
    look,
    end: () => {
      look();
      return drift;
    },
    close: cancel,
  };
}
