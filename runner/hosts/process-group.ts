import type { Clock } from '../../shared/base/index.ts';

/** Sends a signal; throws with `code: ESRCH` when nobody is there. `process.kill` fits. */
export type Kill = (pid: number, signal: NodeJS.Signals | 0) => unknown;

export interface ProcessGroups {
  /**
   * Starts to keep an eye on the group that the leader `pid` has opened; `onEmpty` is called once
   * its last process is gone.
   */
  add(pid: number, onEmpty?: () => void): void;
  /** SIGTERM to the whole group now, SIGKILL after `killAfterMs` to what is still there. */
  stop(pid: number, killAfterMs: number): void;
  /** SIGTERM to every group at once; the `stop` of each, which follows, does not send it again. */
  signalAll(): void;
  /** SIGKILL to the whole group now. */
  kill(pid: number): void;
  /** The leader is gone; the group is watched until its last process is. */
  leaderEnded(pid: number): void;
  /** Groups that still have processes. */
  all(): readonly number[];
  /** Those of them whose leader has ended. */
  strays(): readonly number[];
}

interface Group {
  leaderEnded: boolean;
  /** SIGTERM was sent to all, and this group's own stop is still to come. */
  isSignalled: boolean;
  cancelKill?: () => void;
  readonly onEmpty?: () => void;
}

const strayPollMs = 1000;

/**
 * The process groups that the gateway has opened. A number is forgotten as soon as the group is
 * empty, because the system may then give it to somebody else.
 */
export function createProcessGroups(
  clock: Clock,
  kill: Kill = (pid, signal) => process.kill(pid, signal),
): ProcessGroups {
  const groups = new Map<number, Group>();
  let cancelPoll: (() => void) | null = null;

  const signalGroup = (pid: number, signal: NodeJS.Signals | 0): boolean => {
    try {
      kill(-pid, signal);
      return true;
    } catch (error) {
      // EPERM still means that somebody is there: a set-user-id program of another user.
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  };
  const forget = (pid: number): void => {
    const group = groups.get(pid);
    group?.cancelKill?.();
    groups.delete(pid);
    group?.onEmpty?.();
  };
  const strays = (): readonly number[] =>
    [...groups].filter(([, group]) => group.leaderEnded).map(([pid]) => pid);
  const poll = (): void => {
    cancelPoll = null;
    for (const pid of strays()) if (!signalGroup(pid, 0)) forget(pid);
    watchStrays();
  };
  const watchStrays = (): void => {
    if (cancelPoll === null && strays().length > 0) cancelPoll = clock.after(strayPollMs, poll);
  };

  return {
    add: (pid, onEmpty) =>
      groups.set(pid, {
        leaderEnded: false,
        isSignalled: false,
        ...(onEmpty !== undefined && { onEmpty }),
      }),
    stop: (pid, killAfterMs) => {
      const group = groups.get(pid);
      if (group === undefined) return;
      if (!group.isSignalled) signalGroup(pid, 'SIGTERM');
      group.isSignalled = false;
      group.cancelKill ??= clock.after(killAfterMs, () => signalGroup(pid, 'SIGKILL'));
    },
    signalAll: () => {
      for (const [pid, group] of groups) {
        signalGroup(pid, 'SIGTERM');
        group.isSignalled = true;
      }
    },
    kill: (pid) => {
      if (groups.has(pid)) signalGroup(pid, 'SIGKILL');
    },
    leaderEnded: (pid) => {
      const group = groups.get(pid);
      if (group === undefined) return;
      group.leaderEnded = true;
      if (signalGroup(pid, 0)) watchStrays();
      else forget(pid);
    },
    all: () => [...groups.keys()],
    strays,
  };
}
