import type { LockStored } from '../stop-state/close.ts';

/** What a lockout has done, as it is confirmed to the person. */
export interface LockoutReport {
  /** Commands that were running and were stopped. */
  readonly stopped: number;
  /** Asks that were taken back; they all are when no runner answers. */
  readonly withdrawn: number;
  readonly keysRotated: number;
  readonly tokenRotated: boolean;
  /** Processes that are there all the same, such as those of another user. */
  readonly left: number;
  /** False: no runner answered, and the rest was done without it. */
  readonly runnerReached: boolean;
  /** How the lock came onto the disk. */
  readonly stored: LockStored;
  /** Sentences about what could not be done. The lock holds all the same. */
  readonly problems: readonly string[];
}
