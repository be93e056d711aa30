/** `state/lockout.json`: whether everything is locked. Times are milliseconds since the epoch. */
export interface LockoutState {
  readonly version: 1;
  readonly locked: boolean;
  readonly reason: string | null;
  readonly at: number;
  /** Who pulled the cord: `person`, `cli`, `init`, … */
  readonly by: string;
}

/** `state/pause.json`: whether new requests wait for a `resume`. */
export interface PauseState {
  readonly version: 1;
  readonly paused: boolean;
  readonly reason: string | null;
  readonly at: number;
  readonly by: string;
}

/** What both files together say; anything doubtful about them is `locked`. */
export interface StopState {
  readonly mode: 'armed' | 'paused' | 'locked';
  readonly reason: string | null;
}
