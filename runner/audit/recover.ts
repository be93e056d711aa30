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

/** Code of the note by which a run on another machine ends for which nobody waits any more. */
export const lateEnd = 'node-run-ended';

/**
 * Those of these requests whose end is in the record as its host told it: neither missing, nor guessed
 * by a recovery. Read from the end, back to the last of their decisions.
 */
export function endsInRecord(directory: string, ids: ReadonlySet<string>): ReadonlySet<string> {
  const wanted = new Set(ids);
  const found = new Set<string>();
  for (const file of monthFiles(directory).toReversed()) {
    for (const { bytes } of linesBackward(file)) {
      if (wanted.size === 0) return found;
      const row = parseRow(bytes)?.row;
      if (row?.type === 'outcome' && row.code !== staleCode && ids.has(row.id)) found.add(row.id);
      else if (row?.type === 'note' && row.code === lateEnd) {
        const [id = ''] = row.text.split(' ', 1);
        if (ids.has(id)) found.add(id);
      } else if (row?.type === 'decision') wanted.delete(row.id);
    }
  }
  return found;
}

/** Code of an outcome that a recovery has put down. */
const staleCode = 'stale-on-recovery';

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
        code: staleCode,
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
