import type { AuditRow } from '../types.ts';
import type { Line } from './lines.ts';
import { linesOf } from './lines.ts';
import { isStarting, parseRow } from './rows.ts';

/** Where the decisions of one file are, and what a page of history needs beside their text. */
export interface FileIndex {
  readonly path: string;
  /** The last line that is known; null before the first. */
  last: Line | null;
  /** Parallel: one entry for each decision, oldest first. */
  readonly offsets: number[];
  readonly lengths: number[];
  readonly agents: string[];
  readonly exits: (number | null)[];
}

/** Decisions to run whose outcome was not seen yet, by id; shared by all files of a log. */
export type OpenExits = Map<string, { readonly index: FileIndex; readonly at: number }>;

export function emptyIndex(path: string): FileIndex {
  return { path, last: null, offsets: [], lengths: [], agents: [], exits: [] };
}

/**
 * Reads what was added since the last call, beginning with the last known line. If that is another
 * one now, rows were taken out again, and the file is read anew.
 */
export async function updateIndex(index: FileIndex, open: OpenExits): Promise<void> {
  let { last } = index;
  if (last !== null && !(await isStillThere(index.path, last))) {
    for (const column of [index.offsets, index.lengths, index.agents, index.exits])
      column.length = 0;
    last = null;
  }
  const from = last === null ? 0 : last.offset + last.bytes.length + 1;
  for await (const lines of linesOf(index.path, { from })) {
    for (const line of lines) {
      if (isStarting(line.bytes)) continue;
      const logged = parseRow(line.bytes);
      if (logged !== null) take(index, logged.row, { line, open });
    }
    const { offset, bytes } = lines.at(-1) ?? { offset: 0, bytes: Buffer.alloc(0) };
    // A copy: the line itself would keep its whole block in memory.
    index.last = { offset, bytes: Buffer.from(bytes) };
  }
}

async function isStillThere(path: string, { offset, bytes }: Line): Promise<boolean> {
  for await (const [first] of linesOf(path, { from: offset }))
    return first !== undefined && first.bytes.equals(bytes);
  return false;
}

function take(
  index: FileIndex,
  row: AuditRow,
  at: { readonly line: Line; readonly open: OpenExits },
): void {
  if (row.type === 'outcome') {
    const decided = at.open.get(row.id);
    if (decided === undefined) return;
    decided.index.exits[decided.at] = row.exitCode;
    at.open.delete(row.id);
  } else if (row.type === 'decision') {
    if (row.decision === 'allow') at.open.set(row.id, { index, at: index.offsets.length });
    index.offsets.push(at.line.offset);
    index.lengths.push(at.line.bytes.length);
    index.agents.push(row.agent);
    index.exits.push(null);
  }
}
