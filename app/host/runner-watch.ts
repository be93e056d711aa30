import type { StatusBody } from '../../shared/api/types.ts';
import type { RunnerState } from '../../shared/ask/types.ts';
import type { Clock } from '../../shared/clock/types.ts';

/** Looks after a runner that has no session with us: it connects only when it has to ask. */
export interface RunnerWatch {
  /** What the runner said last when asked; null when none answered. */
  state(): RunnerState | null;
  /** Asks now: a session ended, or something was changed. */
  look(): void;
  stop(): void;
}

export interface RunnerWatchOptions {
  readonly clock: Clock;
  readonly status: () => Promise<StatusBody>;
  /** True while a session tells the state by itself. */
  readonly connected: () => boolean;
  readonly onChange: () => void;
}

const everyMs = 3_000;

/** Asks for the runner's status now and every few seconds until stopped. */
export function watchRunner(options: RunnerWatchOptions): RunnerWatch {
  const { clock, status, connected, onChange } = options;
  let state: RunnerState | null = null;
  let stopped = false;
  let cancel = (): void => undefined;

  const look = async (): Promise<void> => {
    cancel();
    const before = JSON.stringify(state);
    state = connected() ? null : await status().then(stateOf, () => null);
    if (stopped) return;
    if (JSON.stringify(state) !== before) onChange();
    cancel();
    cancel = clock.after(everyMs, () => void look());
  };
  void look();

  return {
    state: () => state,
    look: () => void look(),
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

function stateOf({ mode, reason, running, pending, policy }: StatusBody): RunnerState {
  return {
    mode,
    reason,
    running: running.length,
    pending: pending.length,
    policyProblem: policy.problem,
  };
}
