/** Time as it is passed in: tests hand over a clock that stands still until it is told to move. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds since some moment, for durations: never goes back, whatever the clock is set to. */
  elapsed(): number;
  /** Calls `run` once after `ms` milliseconds. The answer cancels it, and may be called twice. */
  after(ms: number, run: () => void): () => void;
}
