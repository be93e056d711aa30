import { refuse, messageOf } from '../../shared/base/index.ts';
import {
  closeLock,
  readLockoutState,
  readStopState,
  writePauseState,
  rotateToken,
} from '../../shared/home/index.ts';
import type { HomePaths, RotateTokenOptions, StopState } from '../../shared/home/index.ts';
import { lockOutsideHome } from '../../shared/operations/index.ts';
import type { KeyRotation } from '../../shared/operations/index.ts';
import type { StopReason } from '../gate/in-flight.ts';
import type { Swept } from './sweep.ts';

export type { KeyRotation } from '../../shared/operations/index.ts';

/** What a stop has done. */
interface StopResult {
  readonly mode: StopState['mode'];
  /** Commands that were running and were told to stop. */
  readonly stopped: number;
  /** Asks that were taken back. */
  readonly withdrawn: number;
  readonly keysRotated: number;
}

/** What a lockout has done: its confirmation. */
interface LockoutResult extends StopResult {
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

/** Throws `lockout-active` or `pause-active` unless the switch is armed. */
function requireArmed({ mode, reason }: StopState): void {
  if (mode === 'armed') return;
  const why = reason === null ? '' : `: ${reason}`;
  throw mode === 'locked'
    ? refuse(
        'lockout-active',
        `Interlock is locked${why}.`,
        'Stop and wait: only a person can unlock it, with "interlock unlock".',
      )
    : refuse(
        'pause-active',
        `Interlock is paused${why}.`,
        'Wait for "interlock resume", then ask again.',
      );
}

/** What a lockout has made worthless. */
interface Rotated {
  readonly tokenRotated: boolean;
  readonly keysRotated: number;
  /** Sentences about what could not be done. */
  readonly problems: readonly string[];
}

/** A new approvals token, and no agent with a key any more. Never rejects. */
export async function rotateSecrets(
  paths: Pick<HomePaths, 'policy'>,
  { keys, ...token }: RotateTokenOptions & { readonly keys: KeyRotation },
): Promise<Rotated> {
  const [rotation, revoked] = await Promise.all([rotateToken(paths, token), revoke(keys)]);
  const problems = rotation.rotated ? [] : [`The approvals token was not rotated: ${rotation.why}`];
  return {
    tokenRotated: rotation.rotated,
    keysRotated: revoked.count,
    problems: [...problems, ...revoked.problems],
  };
}

async function revoke(
  keys: KeyRotation,
): Promise<{ readonly count: number; readonly problems: readonly string[] }> {
  try {
    return { count: await keys.revokeAll(), problems: [] };
  } catch (error) {
    const why = messageOf(error);
    return { count: 0, problems: [`The keys of agents were not revoked: ${why}`] };
  }
}

interface StopSwitchOptions {
  readonly paths: Pick<HomePaths, 'home' | 'lockout' | 'pause'>;
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

type Stopped = Counts & { readonly signalledAt: number; readonly swept: Promise<Swept> };

function stopEverything(options: StopSwitchOptions): Stopped {
  const withdrawn = options.pendingAsks();
  options.stopWaiting('lockout');
  const sweep = options.prepareSweep();
  options.signalAll();
  const signalledAt = options.now();
  const stopped = options.stopAll('lockout');
  return { stopped, withdrawn, signalledAt, swept: sweep() };
}

/** Closes the lock; returns what is wrong with where it stands, and why it stands nowhere, if so. */
function close(
  { paths, now }: StopSwitchOptions,
  reason: string | null,
  by: string,
): { readonly problems: readonly string[]; readonly failure: unknown } {
  const there = readLockoutState(paths);
  if (there.ok && there.value.locked) return { problems: [], failure: null };
  try {
    const stored = closeLock(paths, { reason, at: now(), by });
    return { problems: stored === 'runtime' ? [lockOutsideHome] : [], failure: null };
  } catch (error) {
    return { problems: [], failure: error };
  }
}

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

  /** Stops everything; counts what a lock from outside had stopped, once. */
  const stopAll = (): Stopped => {
    const { stopped, withdrawn, ...rest } = stopEverything(options);
    const all = { stopped: stopped + untold.stopped, withdrawn: withdrawn + untold.withdrawn };
    untold = { stopped: 0, withdrawn: 0 };
    return { ...all, ...rest };
  };
  const lockout = async (reason: string | null, by: string): Promise<LockoutResult> => {
    const closed = close(options, reason, by);
    // It must close all the same; it then holds until this process ends.
    if (closed.failure !== null) heldInMemory = { mode: 'locked', reason };
    const { stopped, withdrawn, signalledAt, swept } = stopAll();
    changed();
    const { problems, ...rotated } = await options.rotate();
    const { strays, left, problem } = await swept;
    const counts = { stopped: stopped + strays, withdrawn, left, signalledAt, ...rotated };
    const all = [...closed.problems, ...problems, ...(problem === null ? [] : [problem])];
    note('lockout', JSON.stringify({ reason, by, ...counts, problems: all }));
    if (closed.failure === null) return { mode: state().mode, ...counts, problems: all };
    throw refuse(
      'audit-unavailable',
      'Everything is stopped and locked, but the lock could not be written to the disk.',
      'Make room on the disk and lock again before the runner is restarted.',
      { cause: closed.failure },
    );
  };
  /** A lock that another process has made. Who made it rotates token and keys as well. */
  const follow = async (reason: string | null): Promise<void> => {
    const { stopped, withdrawn, swept } = stopAll();
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
      const nothing = { stopped: 0, withdrawn: 0, keysRotated: 0 } as const;
      // Nothing is resumed, so nothing says that it was; the pause below the lock stays as well.
      if (state().mode === 'locked') return { mode: 'locked', ...nothing };
      writePauseState(paths, { paused: false, reason: null, at: now(), by });
      changed();
      note('resume', JSON.stringify({ by }));
      return { mode: state().mode, ...nothing };
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
