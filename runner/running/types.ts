import type { RunningCommand } from '../../shared/api/types.ts';
import type { WithdrawReason } from '../../shared/ask/types.ts';

/** Why a request that is under way has to end. */
export type StopReason = Extract<
  WithdrawReason,
  'requester-gone' | 'lockout' | 'pause' | 'runner-stopping'
>;

/** One request from its admission to its end. */
export interface RequestInFlight {
  readonly id: string;
  /** Aborted with a `StopReason`. */
  readonly signal: AbortSignal;
  /** The command has been started; from now on it counts as running. */
  started(command: Omit<RunningCommand, 'id'>): void;
  ended(): void;
}

/** Everything that is under way. */
export interface InFlight {
  enter(id: string, requester: AbortSignal): RequestInFlight;
  running(): readonly RunningCommand[];
  /**
   * Stops every request, waiting or running; answers how many commands were running. After
   * `runner-stopping`, whatever still comes in is stopped as well.
   */
  stopAll(reason: StopReason): number;
  /** Stops those that have not started a command. */
  stopWaiting(reason: StopReason): void;
  /** Settles when nothing is under way any more. */
  idle(): Promise<void>;
  onChange(listener: () => void): void;
}
