import type { Machine } from './belonging.ts';
import { withDescendants } from './belonging.ts';
import type { ProcessEntry } from './types.ts';

export interface FinderOptions {
  /** The machine as it is at this moment. */
  readonly look: () => Machine;
  readonly pick: (machine: Machine) => readonly ProcessEntry[];
}

/**
 * Finds what `pick` names. A process that was named stays named for as long as
 * it lives: what escaped into a session of its own without its mark is known only by its parent,
 * which may be gone when we look again.
 */
export function createFinder({ look, pick }: FinderOptions): () => readonly ProcessEntry[] {
  const seen = new Map<number, string>();
  return () => {
    const machine = look();
    const known = machine.processes.filter((entry) => seen.get(entry.pid) === startOf(entry));
    const found = withDescendants([...known, ...pick(machine)], machine);
    for (const entry of found) seen.set(entry.pid, startOf(entry));
    return found;
  };
}

function startOf({ startTicks, startedAt }: ProcessEntry): string {
  return `${startTicks ?? ''} ${startedAt ?? ''}`;
}
