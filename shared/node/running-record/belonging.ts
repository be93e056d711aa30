import type { FoundRecords, ProcessEntry, RunningRecord } from './types.ts';

export interface Machine {
  readonly processes: readonly ProcessEntry[];
  readonly bootId: string | null;
  /** A process that must never be named, such as our own; its ancestors are spared as well. */
  readonly spare: number;
}

/** `ps` tells seconds, and a record is written a moment before the start. */
const startToleranceMs = 3_000;

/**
 * The processes that come from recorded commands: the leader when its start is the recorded one,
 * its process group and session, what carries the command's mark, and all that these have started.
 * A number that the system has given to somebody else since then is never among them: a group
 * counts only while its leader or a marked member vouches for it.
 */
export function processesOf(found: FoundRecords, machine: Machine): readonly ProcessEntry[] {
  const here = found.records.filter(
    ({ bootId }) => bootId === null || machine.bootId === null || bootId === machine.bootId,
  );
  const ids = new Set([...here.map(({ id }) => id), ...found.damaged]);
  const marked = machine.processes.filter(({ runId }) => runId !== null && ids.has(runId));
  const groups = new Set(
    here.flatMap((record) => (isVouchedFor(record, machine.processes) ? [record.pid] : [])),
  );
  const members = machine.processes.filter(
    ({ group, session }) => groups.has(group) || groups.has(session),
  );
  return withDescendants([...marked, ...members], machine);
}

/** The processes that come from any command of one home's runners, by their mark. */
export function processesOfHome(tag: string, machine: Machine): readonly ProcessEntry[] {
  return withDescendants(
    machine.processes.filter((entry) => entry.homeTag === tag),
    machine,
  );
}

function isVouchedFor(record: RunningRecord, processes: readonly ProcessEntry[]): boolean {
  const { pid, id } = record;
  if (pid === null) return false;
  return processes.some(
    (entry) =>
      (entry.pid === pid && isSameStart(record, entry)) ||
      (entry.runId === id && (entry.group === pid || entry.session === pid)),
  );
}

function isSameStart(record: RunningRecord, entry: ProcessEntry): boolean {
  if (entry.startTicks !== null || record.startTicks !== null)
    return entry.startTicks === record.startTicks;
  if (entry.startedAt === null) return false;
  return Math.abs(entry.startedAt - record.startedAt) <= startToleranceMs;
}

/** Processes with all that they have started, less those to be spared. */
export function withDescendants(
  roots: readonly ProcessEntry[],
  { processes, spare }: Machine,
): readonly ProcessEntry[] {
  const spared = ancestors(spare, processes);
  const found = new Map(roots.map((entry) => [entry.pid, entry]));
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const entry of processes) if (found.has(entry.parent)) found.set(entry.pid, entry);
  }
  return [...found.values()].filter(({ pid }) => pid > 1 && !spared.has(pid));
}

function ancestors(pid: number, processes: readonly ProcessEntry[]): ReadonlySet<number> {
  const parents = new Map(processes.map((entry) => [entry.pid, entry.parent]));
  const chain = new Set<number>();
  for (let next: number | undefined = pid; next !== undefined && !chain.has(next);) {
    chain.add(next);
    next = parents.get(next);
  }
  return chain;
}
