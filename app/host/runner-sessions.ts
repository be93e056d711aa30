import type { RunnerState } from '../../shared/ask/types.ts';
import type { ApproverSession } from '../../shared/node/protocol/types.ts';
import type { AskDesk, Asker } from './ask-desk.ts';

/** What runners tell over their sessions. */
export interface RunnerSessions {
  /** A runner proved who it is: its asks join the queue from now on. */
  add(session: ApproverSession): void;
  /** What the newest session told last; null while no runner is connected. */
  state(): RunnerState | null;
  close(): void;
}

export interface RunnerSessionsOptions {
  readonly desk: AskDesk;
  readonly onChange: () => void;
  /** The last session ended. */
  readonly onGone: () => void;
}

/** No sessions yet. One session is usual; a runner that restarts may overlap with its old one. */
export function createRunnerSessions({
  desk,
  onChange,
  onGone,
}: RunnerSessionsOptions): RunnerSessions {
  const open = new Map<ApproverSession, RunnerState | null>();

  return {
    add: (session) => {
      const asker: Asker = { deliver: (decision) => session.decide(decision) };
      open.set(session, null);
      session.onAsk((ask, askDigest) => {
        desk.take(asker, { ask, askDigest });
      });
      session.onWithdraw((id, reason) => {
        desk.withdraw(asker, id, reason);
      });
      session.onState((state) => {
        open.set(session, state);
        onChange();
      });
      session.onClose(() => {
        open.delete(session);
        desk.withdrawAll(asker, 'runner-stopping');
        if (open.size === 0) onGone();
        onChange();
      });
      onChange();
    },
    state: () => [...open.values()].findLast((state) => state !== null) ?? null,
    close: () => {
      for (const session of open.keys()) session.close();
    },
  };
}
