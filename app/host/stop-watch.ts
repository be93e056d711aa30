import type { Clock } from '../../shared/clock/types.ts';
import type { HomePaths } from '../../shared/node/home/paths.ts';
import { watchFile } from '../../shared/node/policy-file/watch.ts';
import { readStopState } from '../../shared/node/stop-state/read.ts';
import type { StopState } from '../../shared/node/stop-state/types.ts';

/** What the files of lockout and pause say, whoever writes them. */
export interface StopWatch {
  state(): StopState;
  /** Reads the files now. */
  look(): void;
  close(): void;
}

export interface StopWatchOptions {
  readonly clock: Clock;
  readonly onChange: () => void;
}

/** Watches both files until `close`. */
export function watchStopState(
  paths: Pick<HomePaths, 'lockout' | 'pause'>,
  { clock, onChange }: StopWatchOptions,
): StopWatch {
  let state = readStopState(paths);
  const look = (): void => {
    const now = readStopState(paths);
    if (now.mode === state.mode && now.reason === state.reason) return;
    state = now;
    onChange();
  };
  const stops = [paths.lockout, paths.pause].map((path) => watchFile(path, { look, clock }));
  return {
    state: () => state,
    look,
    close: () => {
      for (const stop of stops) stop();
    },
  };
}
