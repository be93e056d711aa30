import {
  createFinder,
  listProcesses,
  processesOf,
  readBootId,
  readRunningRecords,
  removeRunningRecord,
  stopProcesses,
} from '../../shared/home/index.ts';
import type { FoundRecords, ProcessEntry } from '../../shared/home/index.ts';

/** What an earlier runner left behind, and what became of it. */
interface RecoveredRunning {
  /** Commands that were under way, or asked about, when the earlier runner ended. */
  readonly ids: readonly string[];
  /** Processes of theirs that were still there and were told to end. */
  readonly stopped: number;
  /** Processes that could not be ended, such as those of another user. */
  readonly left: readonly number[];
}

interface RecoverOptions {
  /** `state/running` below the home. */
  readonly directory: string;
  readonly uid: number;
  /** Between SIGTERM and SIGKILL, in milliseconds. */
  readonly graceMs: number;
  readonly processes?: () => readonly ProcessEntry[];
}

/**
 * Ends what a runner that crashed has left running, before anything new may start. To be called
 * only by the one runner that has claimed the home.
 */
export async function recoverRunning(options: RecoverOptions): Promise<RecoveredRunning> {
  const { directory, uid, graceMs, processes = listProcesses } = options;
  const found = readRunningRecords(directory, uid);
  const ids = idsOf(found);
  if (ids.length === 0) return { ids, stopped: 0, left: [] };
  const bootId = readBootId();
  const find = createFinder({
    look: () => ({ processes: processes(), bootId, spare: process.pid }),
    pick: (machine) => processesOf(found, machine),
  });
  const { signalled, left } = await stopProcesses({ find, graceMs });
  if (left.length === 0) for (const id of ids) removeRunningRecord(directory, id);
  return { ids, stopped: signalled, left };
}

function idsOf({ records, damaged }: FoundRecords): readonly string[] {
  return [...records.map(({ id }) => id), ...damaged];
}
