import { linesBackward } from './lines.ts';
import { monthFiles } from './log-files.ts';
import { parseRow } from './rows.ts';
import type { AuditLog, OpenDecision } from './rows.ts';

/** Code of the note after which no older decision is open. */
const recoveryDone = 'recovery-done';

/** Decisions to run without an outcome since the last recovery, oldest first; read from the end. */
export function readOpenDecisions(directory: string): readonly OpenDecision[] {
  const closed = new Set<string>();
  const starting = new Set<string>();
  const open: OpenDecision[] = [];
  for (const file of monthFiles(directory).toReversed()) {
    for (const { bytes } of linesBackward(file)) {
      const row = parseRow(bytes)?.row;
      if (row?.type === 'note' && row.code === recoveryDone) return open.toReversed();
      if (row?.type === 'outcome') closed.add(row.id);
      else if (row?.type === 'starting') starting.add(row.id);
      else if (row?.type === 'decision' && row.decision === 'allow') {
        if (!closed.delete(row.id)) open.push({ id: row.id, starting: starting.has(row.id) });
        starting.delete(row.id);
      }
    }
  }
  return open.toReversed();
}

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
