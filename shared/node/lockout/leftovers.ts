import type { HomePaths } from '../home/paths.ts';
import { processesOf, processesOfHome } from '../running-record/belonging.ts';
import type { Machine } from '../running-record/belonging.ts';
import { readBootId } from '../running-record/boot.ts';
import { homeTag } from '../running-record/mark.ts';
import { listProcesses } from '../running-record/processes.ts';
import { readRunningRecords } from '../running-record/records.ts';
import type { FinderOptions } from '../running-record/find.ts';
import type { ProcessEntry } from '../running-record/types.ts';

/** How to find what a lockout has to stop. */
export type CommandProcesses = FinderOptions;

/**
 * Every process that comes from a command of this home's runners, as far as the system lets us see:
 * by the records of commands, by the mark in the environment, by process group, session and descent.
 * What left its group, its session and its parents and cleared its environment is not among them.
 */
export function commandProcesses(
  paths: Pick<HomePaths, 'home' | 'runningDirectory'>,
  uid: number,
  processes: () => readonly ProcessEntry[] = listProcesses,
): CommandProcesses {
  const bootId = readBootId();
  const tag = homeTag(paths.home);
  return {
    look: () => ({ processes: processes(), bootId, spare: process.pid }),
    pick: (machine: Machine) => {
      const recorded = processesOf(readRunningRecords(paths.runningDirectory, uid), machine);
      const all = [...recorded, ...processesOfHome(tag, machine)];
      return [...new Map(all.map((entry) => [entry.pid, entry])).values()];
    },
  };
}

/**
 * Tells apart the commands that these processes come from: by their marks where the system shows
 * them, else by their sessions. One that is ending has no mark any more; the others of its command
 * speak for it.
 */
export function commandsOf(entries: readonly ProcessEntry[]): ReadonlySet<string> {
  const showsMarks = (entry: ProcessEntry): boolean => entry.startTicks !== null;
  return new Set(
    entries.flatMap((entry) =>
      showsMarks(entry) ? (entry.runId ?? []) : [`session ${entry.session}`],
    ),
  );
}
