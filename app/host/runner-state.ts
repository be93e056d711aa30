import type { Clock } from '../../shared/base/index.ts';
import type { RunnerState } from '../../shared/engine/index.ts';
import type { ApproverSession } from '../../shared/ipc/index.ts';
import type { StatusBody } from '../../shared/wire/index.ts';
import type { AskQueue, Asker } from './ask-queue.ts';

/** What runners report over their sessions. */
interface RunnerSessions {
  /** A runner has authenticated: its asks join the queue from now on. */
  add(session: ApproverSession): void;
  /** The latest report of the newest session; null while no runner is connected. */
  state(): RunnerState | null;
  dispose(): void;
}

interface RunnerSessionsOptions {
  readonly asks: AskQueue;
  readonly onChange: () => void;
  /** The last session ended. */
  readonly onGone: () => void;
}

/** No sessions yet. One session is usual; a runner that restarts may overlap with its old one. */
export function createRunnerSessions({
  asks,
  onChange,
  onGone,
}: RunnerSessionsOptions): RunnerSessions {
  const open = new Map<ApproverSession, RunnerState | null>();

  return {
    add: (session) => {
      const asker: Asker = { deliver: (decision) => session.decide(decision) };
      open.set(session, null);
      session.onAsk((ask, askDigest) => {
        asks.take(asker, { ask, askDigest });
      });
      session.onWithdraw((id, reason) => {
        asks.withdraw(asker, id, reason);
      });
      session.onState((state) => {
        open.set(session, state);
        onChange();
      });
      session.onClose(() => {
        open.delete(session);
        asks.withdrawAll(asker, 'runner-stopping');
        if (open.size === 0) onGone();
        onChange();
      });
      onChange();
    },
    state: () => [...open.values()].findLast((state) => state !== null) ?? null,
    dispose: () => {
      for (const session of open.keys()) session.dispose();
    },
  };
}

/** Watches a runner that has no session with us: runners connect only when they have to ask. */
export interface RunnerWatch {
  /** What the runner said last when asked; null when none answered. */
  state(): RunnerState | null;
  /** Asks now: a session ended, or something was changed. */
  look(): void;
  dispose(): void;
}

interface RunnerWatchOptions {
  readonly clock: Clock;
  readonly status: () => Promise<StatusBody>;
  /** True while a session reports the state. */
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
    dispose: () => {
      stopped = true;
      cancel();
    },
  };
}

function stateOf({ mode, reason, running, pending, policy, ...rest }: StatusBody): RunnerState {
  const elevated = rest.elevated ?? [];
  return {
    mode,
    reason,
    running: running.length,
    pending: pending.length,
    policyProblem: policy.problem,
    ...(elevated.length > 0 && { elevated }),
  };
}
