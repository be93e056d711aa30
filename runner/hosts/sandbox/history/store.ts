import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../../shared/base/index.ts';
import type { HistoryPlace } from '../git.ts';
import type { Layer, Owner } from '../root.ts';
import {
  hasChanges,
  headOf,
  isInTheMiddle,
  keepIndex,
  leftSlots,
  openSlot,
  prune,
  removeBlank,
  writeRecord,
} from './slot.ts';
import type { Slot } from './slot.ts';
import { takeOver } from './take-over.ts';

/**
 * Layers over histories, one for each that runs at the same time, as for caches. What a command did
 * there is taken over at its end, and again at the end of what it has left running; after a crash of
 * the runner at its next start.
 */
export interface Histories {
  /** For the command with that id; null where none can be had. */
  readonly take: (id: string, place: HistoryPlace, owner: Owner) => Layer | null;
  /** Nothing of the command lives any more. */
  readonly closed: (id: string) => void;
  /** Takes over what a command has done up to now; sentences for whoever ran it. */
  readonly ended: (id: string) => Promise<readonly string[]>;
  /** Settles when nothing is being taken over. */
  readonly settled: () => Promise<void>;
  /** Takes over what a runner before us has left. */
  readonly recover: () => Promise<void>;
}

interface HistoriesOptions {
  readonly clock: Clock;
  readonly launcher: string;
  /** A folder of ours. */
  readonly directory: string;
  readonly uid: number;
  /** Told of a folder that was just made in a workspace, as the place for a mount. */
  readonly made?: (path: string) => void;
}

/**
 * How long the box around a command may take to end after it; longer where Git is in the middle of
 * something, which the next command would not see from another layer.
 */
const lastMs = 200;
const lastInTheMiddleMs = 3_000;

/** Layers below a folder of ours. */
export function createHistories(options: HistoriesOptions): Histories {
  const { clock, directory } = options;
  const taken = new Map<string, Set<number>>();
  const running = new Map<string, Running>();
  const queue = createQueue();
  /** What is left to say to the next command on the same history. */
  const late = new Map<string, string[]>();

  const finish = async (slot: Slot, isLast: boolean): Promise<readonly string[]> =>
    queue.add(slot.record.common, async () => {
      const notes = await finishSlot(slot, { ...options, isLast });
      if (isLast) slot.release();
      return notes;
    });

  return {
    take: (id, place, owner) => {
      const key = keyOf(place, owner.uid);
      const slots = taken.get(key) ?? new Set();
      let number = 0;
      while (slots.has(number)) number += 1;
      const isNew = !existsSync(place.common);
      const slot = openSlot(join(directory, key, String(number)), place, owner, {
        ...options,
        now: clock.now(),
        release: () => {
          slots.delete(number);
          if (slots.size === 0) removeBlank(place.common);
        },
      });
      if (isNew) options.made?.(place.common);
      if (slot === null) return null;
      taken.set(key, slots.add(number));
      const mine = running.get(id) ?? newRunning();
      running.set(id, mine);
      mine.slots.push(slot);
      return { upper: join(slot.folder, 'upper'), work: join(slot.folder, 'work') };
    },
    closed: (id) => {
      const mine = running.get(id);
      if (mine === undefined || mine.last !== null) return;
      // Often before the command's own end is told, which waits for this look then.
      if (mine.isTold) running.delete(id);
      mine.last = Promise.all(
        mine.slots.map(async (slot) => {
          const notes = await finish(slot, true);
          if (mine.isTold && notes.length > 0)
            late.set(slot.record.common, [...(late.get(slot.record.common) ?? []), ...notes]);
          return notes;
        }),
      ).then((all) => all.flat());
      mine.tellGone();
    },
    ended: async (id) => {
      const mine = running.get(id);
      if (mine === undefined) return [];
      const before = mine.slots.flatMap(({ record: { common } }) => {
        const notes = late.get(common) ?? [];
        late.delete(common);
        return notes;
      });
      await Promise.race([mine.gone, pause(clock, lastMs)]);
      if (
        mine.last === null &&
        mine.slots.some(({ folder, record: { own } }) => isInTheMiddle({ folder, own }))
      )
        await Promise.race([mine.gone, pause(clock, lastInTheMiddleMs - lastMs)]);
      if (mine.last !== null) {
        running.delete(id);
        return [...before, ...(await mine.last)];
      }
      mine.isTold = true;
      const now = await Promise.all(mine.slots.map(async (slot) => finish(slot, false)));
      return [...before, ...now.flat()];
    },
    settled: queue.settled,
    recover: async () => {
      for (const slot of leftSlots({ ...options, now: clock.now() })) await finish(slot, true);
    },
  };
}

interface Running {
  readonly slots: Slot[];
  readonly gone: Promise<void>;
  readonly tellGone: () => void;
  /** What the last look came to; null while something lives. */
  last: Promise<readonly string[]> | null;
  /** Whoever ran the command has been answered. */
  isTold: boolean;
}

function newRunning(): Running {
  let tellGone: () => void = () => {};
  const gone = new Promise<void>((resolve) => (tellGone = resolve));
  return { slots: [], gone, tellGone, last: null, isTold: false };
}

async function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

/** One after the other for each history. */
function createQueue() {
  const last = new Map<string, Promise<unknown>>();
  return {
    add: async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const next = (last.get(name) ?? Promise.resolve()).then(work, work);
      last.set(name, next);
      void next.finally(() => {
        if (last.get(name) === next) last.delete(name);
      });
      return next;
    },
    settled: async (): Promise<void> => {
      while (last.size > 0) await Promise.allSettled(last.values());
    },
  };
}

function keyOf({ common, own }: HistoryPlace, uid: number): string {
  return createHash('sha256').update(`${uid}\0${common}\0${own}`).digest('hex').slice(0, 16);
}

interface FinishOptions extends HistoriesOptions {
  /** Nothing lives any more that sees the layer. */
  readonly isLast: boolean;
}

async function finishSlot(slot: Slot, options: FinishOptions): Promise<readonly string[]> {
  const { folder, record } = slot;
  const upper = join(folder, 'upper');
  const since = options.clock.now();
  try {
    const result = hasChanges(slot)
      ? await takeOver(
          {
            ...record,
            since: record.since ?? since,
            set: slot.set,
            upper,
            scratch: join(folder, 'taking'),
            indexWas: join(folder, 'index-was'),
          },
          options,
        )
      : null;
    if (result !== null) {
      slot.set = new Map([...slot.set, ...result.set]);
      if (result.ok && !result.busy) keepIndex(slot);
    }
    if (options.isLast) prune(slot, result);
    const notes = (result?.notes ?? []).filter((note) => !record.told.includes(note));
    slot.record = {
      ...slot.record,
      since: options.isLast && !(result?.busy ?? false) ? null : record.since,
      headWas:
        result?.ok === true && !result.busy ? headOf(record.common, record.own) : record.headWas,
      told: result === null ? record.told : [...result.notes],
    };
    writeRecord(slot);
    return notes;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    return [`What Git did in the sandbox was not taken over: it could not be written (${code}).`];
  }
}
