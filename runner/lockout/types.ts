import type { StopState } from '../../shared/node/stop-state/types.ts';

export type { KeyRotation } from '../../shared/node/lockout/rotate-keys.ts';

/** What a stop has done. */
export interface StopResult {
  readonly mode: StopState['mode'];
  /** Commands that were running and were told to stop. */
  readonly stopped: number;
  /** Asks that were taken back. */
  readonly withdrawn: number;
  readonly keysRotated: number;
}

/** What a lockout has done: its confirmation. */
export interface LockoutResult extends StopResult {
  /** When the last command had been sent its signal, in milliseconds since the epoch. */
  readonly signalledAt: number;
  readonly tokenRotated: boolean;
  /** Processes that are there all the same. */
  readonly left: number;
  /** Sentences about what could not be done. */
  readonly problems: readonly string[];
}

/** The cord: asked before anything is admitted and again right before anything starts. */
export interface StopSwitch {
  state(): StopState;
  /** Throws `lockout-active` or `pause-active` unless the runner is armed. */
  check(): void;
  /**
   * Locks, in this order: the state file, durably; no new admission; every ask taken back; every
   * command told to stop; token and keys rotated; a row in the log. All up to the stopping happens
   * before this returns, the rest before it settles. Who pulls while it is pulled gets the same answer.
   */
  lockout(reason: string | null, by: string): Promise<LockoutResult>;
  /** Pauses: refuses what is new and withdraws every ask; commands that run go on. */
  pause(reason: string | null, by: string): StopResult;
  /** Ends a pause. Never ends a lockout. */
  resume(by: string): StopResult;
  /** The state files may have changed: follows a lock or a pause that another process has made. */
  look(): void;
  onChange(listener: () => void): void;
}
