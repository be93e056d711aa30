import { RefusalError, refuse } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import type { WithdrawReason } from '../../shared/engine/index.ts';
import type { RunningCommand } from '../../shared/wire/index.ts';

/** Why a request that is under way has to end. */
export type StopReason = Extract<
  WithdrawReason,
  'requester-gone' | 'lockout' | 'box-lockout' | 'pause' | 'runner-stopping'
>;

/** One request from its admission to its end. */
export interface RequestInFlight {
  readonly id: string;
  /** Aborted with a `StopReason`. */
  readonly signal: AbortSignal;
  /** The command has been started; from now on it counts as running. */
  started(command: Omit<RunningCommand, 'id'>): void;
  /** It was handed to another machine, and may have been started there. */
  handedOn(): void;
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

const refusals: Readonly<Record<StopReason, Refusal>> = {
  lockout: {
    code: 'lockout-active',
    message: 'A person has locked Interlock; everything was stopped.',
    hint: 'Stop and wait: only a person can unlock it.',
  },
  'box-lockout': {
    code: 'lockout-active',
    message: 'A person has locked this box; what waited in its name was stopped.',
    hint: 'Stop and wait: only a person can unlock it.',
  },
  pause: {
    code: 'pause-active',
    message: 'Interlock was paused before this command started.',
    hint: 'Wait for "interlock resume", then ask again.',
  },
  'runner-stopping': {
    code: 'host-unavailable',
    message: 'The runner is stopping.',
    hint: 'Ask again once it has been started again.',
  },
  'requester-gone': {
    code: 'requester-gone',
    message: 'Whoever asked went away before the end.',
    hint: 'Ask again if it is still needed.',
  },
};

/** Whether a lock has stopped it: of everything, or of its box. */
export function isLock(reason: StopReason): boolean {
  return reason === 'lockout' || reason === 'box-lockout';
}

/** What a request that was stopped from outside is told. */
export function stoppedRefusal(reason: StopReason): RefusalError {
  return new RefusalError(refusals[reason]);
}

/** The same for a command that a host was not to start any more; an unknown reason is the host's. */
export function stoppedBeforeStart({ reason }: AbortSignal): RefusalError {
  const known = Object.entries(refusals).find(([name]) => name === reason);
  if (known !== undefined) return new RefusalError(known[1]);
  return refuse(
    'host-unavailable',
    'The command was stopped before it was started.',
    'Ask again if it is still needed.',
  );
}

interface Entry {
  readonly controller: AbortController;
  /** A pause lets it go on. */
  isBegun: boolean;
  command: RunningCommand | null;
}

/** The requests under way, in the order of their arrival. */
export function createInFlight(): InFlight {
  const entries = new Map<string, Entry>();
  const listeners: (() => void)[] = [];
  const waiters: (() => void)[] = [];
  let closedFor: StopReason | null = null;
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const stop = (pick: (entry: Entry) => boolean, reason: StopReason): number => {
    // Who was told to stop already is not counted a second time.
    const picked = [...entries.values()].filter(
      (entry) => !entry.controller.signal.aborted && pick(entry),
    );
    for (const { controller } of picked) controller.abort(reason);
    return picked.filter(({ isBegun }) => isBegun).length;
  };

  return {
    enter: (id, requester) => {
      const entry: Entry = { controller: new AbortController(), isBegun: false, command: null };
      entries.set(id, entry);
      const gone = (): void => entry.controller.abort('requester-gone' satisfies StopReason);
      requester.addEventListener('abort', gone, { once: true });
      if (requester.aborted) gone();
      if (closedFor !== null) entry.controller.abort(closedFor);
      return {
        id,
        signal: entry.controller.signal,
        started: (command) => {
          entry.isBegun = true;
          entry.command = { id, ...command };
          changed();
        },
        handedOn: () => {
          entry.isBegun = true;
        },
        ended: () => {
          requester.removeEventListener('abort', gone);
          if (!entries.delete(id)) return;
          if (entry.command !== null) changed();
          if (entries.size === 0) for (const waiter of waiters.splice(0)) waiter();
        },
      };
    },
    running: () =>
      [...entries.values()].flatMap(({ command }) => (command === null ? [] : [command])),
    stopAll: (reason) => {
      if (reason === 'runner-stopping') closedFor = reason;
      return stop(() => true, reason);
    },
    stopWaiting: (reason) => void stop(({ isBegun }) => !isBegun, reason),
    idle: async () =>
      entries.size === 0 ? Promise.resolve() : new Promise((resolve) => void waiters.push(resolve)),
    onChange: (listener) => void listeners.push(listener),
  };
}

/** Why a signal of a request in flight was aborted. */
export function stopReasonOf(signal: AbortSignal): StopReason {
  return signal.reason as StopReason;
}
