import type { AuditRow } from '../types.ts';

/** A row with its place in the chain. */
export interface LoggedRow {
  readonly seq: number;
  readonly row: AuditRow;
}

/** The row in a line of the log; null for a line that is none. Says nothing of its mac. */
export function parseRow(line: Buffer | string): LoggedRow | null {
  try {
    const { seq, row } = JSON.parse(line.toString()) as Partial<LoggedRow>;
    if (typeof seq !== 'number' || typeof row?.type !== 'string' || typeof row.at !== 'number')
      return null;
    return { seq, row };
  } catch {
    return null;
  }
}

const starting = Buffer.from('"row":{"type":"starting"');
const prefixAtMost = 120;

/** True for the rows that only say that a start was about to happen; told without parsing. */
export function isStarting(line: Buffer): boolean {
  return line.subarray(0, prefixAtMost).includes(starting);
}
