import { recoveryDone } from './reading/open-decisions.ts';
import type { AuditLog } from './types.ts';

/**
 * Closes what a crash left open: `not-executed` where the start was never reached, `unknown` where
 * it was. Nothing is ever run again. Answers how many rows were closed. A note ends it, so that the
 * next recovery looks no further back.
 */
export async function closeOpenDecisions(audit: AuditLog, now: () => number): Promise<number> {
  const open = await audit.openDecisions();
  await Promise.all(
    open.map(async ({ id, starting }) =>
      audit.durable({
        type: 'outcome',
        id,
        at: now(),
        outcome: starting ? 'unknown' : 'not-executed',
        exitCode: null,
        signal: null,
        durationMs: null,
        code: 'stale-on-recovery',
      }),
    ),
  );
  const text = `${open.length} commands of an earlier runner were still open.`;
  try {
    audit.append({ type: 'note', at: now(), code: recoveryDone, text });
  } catch {
    // The next recovery then looks further back and finds the same.
  }
  return open.length;
}
