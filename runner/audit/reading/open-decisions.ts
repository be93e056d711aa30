import type { OpenDecision } from '../types.ts';
import { linesBackward } from './lines-backward.ts';
import { monthFiles } from './month-files.ts';
import { parseRow } from './rows.ts';

/** Code of the note after which no older decision is open. */
export const recoveryDone = 'recovery-done';

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
