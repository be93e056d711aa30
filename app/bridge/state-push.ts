import { applyListChange, listChange } from '../../shared/base/index.ts';
import type { ListChange } from '../../shared/base/index.ts';
import type { AppState, MissedAsk, QueuedAsk } from './types.ts';

/** The parts of a state that are small enough to be sent whole when they change. */
type SmallParts = Omit<AppState, 'revision' | 'now' | 'queue' | 'missed'>;

/** What became different between two states of one host. */
interface StateChange {
  /** The revision that this changes. */
  readonly base: number;
  readonly revision: number;
  readonly now: number;
  readonly set?: Partial<SmallParts>;
  readonly queue?: ListChange<QueuedAsk>;
  readonly missed?: ListChange<MissedAsk>;
}

/** What a host sends to a page: the whole state first, then what changes. */
export type StatePush =
  | { readonly type: 'state'; readonly state: AppState }
  | { readonly type: 'change'; readonly change: StateChange };

/** A record, so that none is left out: it would reach no page that is connected. */
const smallParts: Readonly<Record<keyof SmallParts, true>> = {
  runner: true,
  covered: true,
  policy: true,
  stop: true,
  wayOut: true,
  pace: true,
  settings: true,
  canStartRunner: true,
  canOpenBrowser: true,
  passkeys: true,
  devices: true,
  device: true,
  hasPassphrase: true,
};
const small = Object.keys(smallParts) as readonly (keyof SmallParts)[];

const queueKey = ({ ask }: QueuedAsk): string => ask.id;
const missedKey = ({ ask, at }: MissedAsk): string => `${at} ${ask.id}`;
const sameValue = (one: unknown, other: unknown): boolean =>
  one === other || JSON.stringify(one) === JSON.stringify(other);

/** The push that takes a page from the state it was sent last (null: none yet) to this one. */
export function pushBetween(before: AppState | null, after: AppState): StatePush {
  const change = before === null ? null : changeBetween(before, after);
  return change === null ? { type: 'state', state: after } : { type: 'change', change };
}

/** Null when the whole state has to be sent: a part is gone, or asks cannot be told apart. */
function changeBetween(before: AppState, after: AppState): StateChange | null {
  if (small.some((part) => before[part] !== undefined && after[part] === undefined)) return null;
  const queue = listChange(before.queue, after.queue, {
    key: queueKey,
    same: (one, other) => one.askDigest === other.askDigest,
  });
  // An ask that has ended no longer changes.
  const missed = listChange(before.missed, after.missed, { key: missedKey, same: () => true });
  if (queue === null || missed === null) return null;
  const set = Object.fromEntries(
    small
      .filter((part) => !sameValue(before[part], after[part]))
      .map((part) => [part, after[part]]),
  );
  return {
    base: before.revision,
    revision: after.revision,
    now: after.now,
    ...(Object.keys(set).length > 0 && { set }),
    ...(Object.keys(queue).length > 0 && { queue }),
    ...(Object.keys(missed).length > 0 && { missed }),
  };
}

/** The state after a push, or null when the push was made for another state than this one. */
export function applyPush(state: AppState | null, push: StatePush): AppState | null {
  if (push.type === 'state') return push.state;
  const { base, revision, now, set, queue, missed } = push.change;
  if (state === null || state.revision !== base) return null;
  const waiting = queue === undefined ? state.queue : applyListChange(state.queue, queue, queueKey);
  const ended =
    missed === undefined ? state.missed : applyListChange(state.missed, missed, missedKey);
  if (waiting === null || ended === null) return null;
  return { ...state, ...set, revision, now, queue: waiting, missed: ended };
}
