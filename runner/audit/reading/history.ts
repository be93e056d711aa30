import { open } from 'node:fs/promises';
import type { HistoryBody, HistoryEntry, HistoryQuery } from '../../../shared/api/types.ts';
import type { DecisionRow } from '../types.ts';
import type { FileIndex } from './file-index.ts';
import type { LogIndex } from './log-index.ts';
import { parseRow } from './rows.ts';
import { hasWords, mayHaveWords, searchable, wordsOf } from './search-text.ts';

/** Bytes of a file that are read at once. */
const blockBytes = 512 * 1024;

/**
 * One page of the past, newest first, and how many decisions there are that match. Without words
 * only the rows of the page are read; with words all rows, a block at a time.
 */
export async function readHistory(
  index: LogIndex,
  query: HistoryQuery,
): Promise<Omit<HistoryBody, 'ok'>> {
  const words = wordsOf(query.search);
  const entries: HistoryEntry[] = [];
  let total = 0;
  for (const file of (await index.current()).toReversed()) {
    const wanted = decisionsOf(file, query.agent);
    if (words.length === 0 && query.decision === undefined) {
      const before = total;
      total += wanted.length;
      const page = wanted.slice(
        Math.max(0, query.offset - before),
        Math.max(0, query.offset + query.limit - before),
      );
      for await (const { row, at } of readDecisions(file, page, []))
        entries.push(entryOf(row, file.exits[at] ?? null));
    } else {
      for await (const { row, at } of readDecisions(file, wanted, words)) {
        if (query.decision !== undefined && row.decision !== query.decision) continue;
        if (!hasWords(row, words)) continue;
        total += 1;
        if (total > query.offset && entries.length < query.limit)
          entries.push(entryOf(row, file.exits[at] ?? null));
      }
    }
  }
  return { total, entries };
}

/** Places in the index, newest first. */
function decisionsOf(file: FileIndex, agent: string | undefined): readonly number[] {
  const places: number[] = [];
  for (let at = file.offsets.length - 1; at >= 0; at -= 1)
    if (agent === undefined || file.agents[at] === agent) places.push(at);
  return places;
}

/** Reads decisions by their places (falling), as many at once as lie close together. */
async function* readDecisions(
  file: FileIndex,
  places: readonly number[],
  words: readonly string[],
): AsyncGenerator<{ readonly row: DecisionRow; readonly at: number }> {
  if (places.length === 0) return;
  const handle = await open(file.path, 'r');
  try {
    for (let first = 0; first < places.length;) {
      const end = endOf(file, places[first] ?? 0);
      let last = first;
      while (last + 1 < places.length && end - startOf(file, places[last + 1] ?? 0) <= blockBytes)
        last += 1;
      const start = startOf(file, places[last] ?? 0);
      const block = Buffer.allocUnsafe(end - start);
      const { bytesRead } = await handle.read(block, 0, block.length, start);
      const text = words.length === 0 ? '' : searchable(block);
      for (const at of mayHaveWords(text, words) ? places.slice(first, last + 1) : []) {
        const from = startOf(file, at) - start;
        const to = Math.min(from + (file.lengths[at] ?? 0), bytesRead);
        if (!mayHaveWords(text.slice(from, to), words)) continue;
        const row = parseRow(block.subarray(from, to))?.row;
        if (row?.type === 'decision') yield { row, at };
      }
      first = last + 1;
    }
  } finally {
    await handle.close();
  }
}

function startOf(file: FileIndex, at: number): number {
  return file.offsets[at] ?? 0;
}

function endOf(file: FileIndex, at: number): number {
  return startOf(file, at) + (file.lengths[at] ?? 0);
}

function entryOf(row: DecisionRow, exitCode: number | null): HistoryEntry {
  const { id, at, agent, session, command, cwd, decision, code, by } = row;
  return { id, at, agent, session, command, cwd, decision, code, by, exitCode };
}
