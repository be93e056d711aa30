import type { HomePaths } from '../../shared/node/home/paths.ts';
import { closeLock } from '../../shared/node/stop-state/close.ts';
import { readLockoutState, readStopState } from '../../shared/node/stop-state/read.ts';
import type { StopState } from '../../shared/node/stop-state/types.ts';
import { writePauseState } from '../../shared/node/stop-state/write.ts';
import { refuse } from '../../shared/refusal/refusal.ts';
import type { StopReason } from '../running/types.ts';
import { requireArmed } from './require-armed.ts';
import type { Rotated } from './rotate.ts';
import type { Swept } from './sweep.ts';
import type { LockoutResult, StopResult, StopSwitch } from './types.ts';

export interface StopSwitchOptions {
  readonly paths: Pick<HomePaths, 'lockout' | 'pause'>;
  readonly now: () => number;
  /** SIGTERM to everything that runs, before anything else is done about it. */
  readonly signalAll: () => void;
  /** Ends what is under way; answers the commands that were stopped. */
  readonly stopAll: (reason: StopReason) => number;
  readonly stopWaiting: (reason: StopReason) => void;
  readonly pendingAsks: () => number;
  /** Gets ready to stop what has left its process group; the answer does it, and signals at once. */
  readonly prepareSweep: () => () => Promise<Swept>;
  /** Makes token and keys worthless. Never rejects. */
  readonly rotate: () => Promise<Rotated>;
  readonly note: (code: string, text: string) => void;
}

type Counts = Pick<StopResult, 'stopped' | 'withdrawn'>;

/** The switch over the state files. They are read at each check, so another process can pull it too. */
export function createStopSwitch(options: StopSwitchOptions): StopSwitch {
  const { paths, now, note } = options;
  const listeners: (() => void)[] = [];
  let heldInMemory: StopState | null = null;
  let underWay: Promise<LockoutResult> | null = null;
  /** What was stopped because of a lock from outside, until somebody is told. */
  let untold: Counts = { stopped: 0, withdrawn: 0 };
  const state = (): StopState => heldInMemory ?? readStopState(paths);
  let last = state();
  const changed = (): void => {
    last = state();
    for (const listener of listeners) listener();
  };

  /** Closes the lock; answers why it could not be written, if so. */
  const close = (reason: string | null, by: string): unknown => {
    const there = readLockoutState(paths);
    if (there.ok && there.value.locked) return null;
    try {
      closeLock(paths, { reason, at: now(), by });
      return null;
    } catch (error) {
      // It must close all the same; it then holds until this process ends.
      heldInMemory = { mode: 'locked', reason };
      return error;
    }
  };
  const stopEverything = (): Counts & {
    readonly signalledAt: number;
    readonly swept: Promise<Swept>;
  } => {
    const withdrawn = options.pendingAsks();
    options.stopWaiting('lockout');
    const sweep = options.prepareSweep();
    options.signalAll();
    const signalledAt = now();
    const stopped = options.stopAll('lockout');
    const swept = sweep();
    const counts = { stopped: stopped + untold.stopped, withdrawn: withdrawn + untold.withdrawn };
    untold = { stopped: 0, withdrawn: 0 };
    return { ...counts, signalledAt, swept };
  };
  const lockout = async (reason: string | null, by: string): Promise<LockoutResult> => {
    const failure = close(reason, by);
    const { stopped, withdrawn, signalledAt, swept } = stopEverything();
    changed();
    const { problems, ...rotated } = await options.rotate();
    const { strays, left, problem } = await swept;
    const counts = { stopped: stopped + strays, withdrawn, left, signalledAt, ...rotated };
    const all = problem === null ? problems : [...problems, problem];
    note('lockout', JSON.stringify({ reason, by, ...counts, problems: all }));
    if (failure === null) return { mode: state().mode, ...counts, problems: all };
    throw refuse(
      'audit-unavailable',
      'Everything is stopped and locked, but the lock could not be written to the disk.',
      'Make room on the disk and lock again before the runner is restarted.',
      { cause: failure },
    );
  };
  /** A lock that another process has made. Who made it rotates token and keys as well. */
  const follow = async (reason: string | null): Promise<void> => {
    const { stopped, withdrawn, swept } = stopEverything();
    untold = { stopped, withdrawn };
    note('lockout-noticed', JSON.stringify({ reason, stopped, withdrawn }));
    const { strays } = await swept;
    untold = { ...untold, stopped: untold.stopped + strays };
  };

  return {
    state,
    check: () => requireArmed(state()),
    lockout: async (reason, by) => {
      underWay ??= lockout(reason, by).finally(() => {
        underWay = null;
      });
      return underWay;
    },
    pause: (reason, by) => {
      writePauseState(paths, { paused: true, reason, at: now(), by });
      const withdrawn = options.pendingAsks();
      options.stopWaiting('pause');
      changed();
      note('pause', JSON.stringify({ reason, by, withdrawn }));
      return { mode: state().mode, stopped: 0, withdrawn, keysRotated: 0 };
    },
    resume: (by) => {
      writePauseState(paths, { paused: false, reason: null, at: now(), by });
      changed();
      note('resume', JSON.stringify({ by }));
      return { mode: state().mode, stopped: 0, withdrawn: 0, keysRotated: 0 };
    },
    look: () => {
      const before = last;
      const here = state();
      if (here.mode === before.mode && here.reason === before.reason) return;
      changed();
      if (here.mode === before.mode || underWay !== null) return;
      if (here.mode === 'locked') void follow(here.reason);
      else if (here.mode === 'paused') options.stopWaiting('pause');
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
