import { readFileSync } from 'node:fs';
import type { DirectoryEvents } from '../../../shared/home/index.ts';

interface StillnessOptions {
  /** Absolute real path. */
  readonly workspace: string;
  /** Null where folders cannot be watched. */
  readonly openEvents: () => DirectoryEvents | null;
  /** Changes with what is mounted anywhere; null where that cannot be told. */
  readonly mounts?: () => string | null;
}

/** Folders; each costs the kernel memory. */
const mostWatched = 20_000;

/** Whether anything at all has happened in folders since they were looked at. */
export interface Stillness {
  /** Before a folder is looked at. */
  readonly add: (path: string) => void;
  /** False also where the kernel may have told less than all. */
  readonly holds: () => boolean;
  readonly close: () => void;
}

/** @param top absolute; the folder in which the others lie, itself to be added */
export function openStillness({
  workspace: top,
  openEvents,
  mounts = mountsNow,
}: StillnessOptions): Stillness {
  const mounted = mounts();
  const events = mounted === null ? null : opened(openEvents);
  const watched = new Map<string, number>();
  let isWhole = events !== null;
  return {
    add: (path) => {
      if (!isWhole) return;
      const number = watched.size < mostWatched ? (events?.add(path) ?? null) : null;
      if (number === null) isWhole = false;
      else watched.set(path, number);
    },
    holds: () => {
      if (!isWhole || events === null || !watched.has(top)) return false;
      // What leads there may lead to another folder by now.
      const told = events.add(top) === watched.get(top) ? events.read() : 'overflow';
      isWhole = told !== 'overflow' && told.length === 0 && mounts() === mounted;
      return isWhole;
    },
    close: () => {
      isWhole = false;
      events?.close();
    },
  };
}

function opened(openEvents: StillnessOptions['openEvents']): DirectoryEvents | null {
  try {
    return openEvents();
  } catch {
    return null;
  }
}

/** What the kernel watches is a folder, not its place: something else can be mounted there. */
function mountsNow(): string | null {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return null;
  }
}
