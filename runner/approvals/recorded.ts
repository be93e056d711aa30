import type { RunningRecords } from '../../shared/node/running-record/types.ts';
import type { Approver } from '../gate/ports.ts';

/**
 * Remembers what waits for a person beyond a crash of the runner, so that whoever comes back with
 * an old id can be told what became of it.
 */
export function recordedApprover(approver: Approver, records: RunningRecords): Approver {
  return {
    ask: async (draft, options) => {
      attempt(() => records.begin(draft.id));
      try {
        return await approver.ask(draft, options);
      } finally {
        attempt(() => records.ended(draft.id));
      }
    },
  };
}

/** Nothing runs on the strength of this record, so a full disk must not keep a person from answering. */
function attempt(write: () => void): void {
  try {
    write();
  } catch {
    // Told as "no such question" instead of "stale" after a crash; both are a no.
  }
}
