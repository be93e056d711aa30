import { open as openFile } from 'node:fs/promises';
import type { HistoryBody, HistoryEntry, HistoryQuery } from '../../shared/wire/index.ts';
import { linesOf } from './lines.ts';
import type { Line } from './lines.ts';
import { monthFiles } from './log-files.ts';
import { isStarting, parseRow } from './rows.ts';
import type { AuditRow, DecisionRow, OutcomeRow } from './rows.ts';
import { hasWords, mayHaveWords, searchable, wordsOf } from './search.ts';

/** Where the decisions of one file are, and what a page of history needs beside their text. */
interface FileIndex {
  readonly path: string;
  /** The last line that is known; null before the first. */
  last: Line | null;
  /** Parallel: one entry for each decision, oldest first. */
  readonly offsets: number[];
  readonly lengths: number[];
  readonly agents: string[];
  readonly exits: (number | null)[];
  /** By place, for the few that left something to say. */
  readonly left: Map<number, Left>;
}

type Left = Pick<OutcomeRow, 'planted' | 'notes'>;

/** Decisions to run whose outcome was not seen yet, by id; shared by all files of a log. */
type OpenExits = Map<string, { readonly index: FileIndex; readonly at: number }>;

interface TakeParts {
  readonly open: OpenExits;
  /** The same text for the same name: a row's own would keep one in memory for each row. */
  readonly nameOf: (agent: string) => string;
}

function emptyIndex(path: string): FileIndex {
  return { path, last: null, offsets: [], lengths: [], agents: [], exits: [], left: new Map() };
}

/**
 * Reads what was added since the last call, beginning with the last known line. If that is another
 * one now, rows were taken out again, and the file is read anew.
 */
async function updateIndex(index: FileIndex, parts: TakeParts): Promise<void> {
  let { last } = index;
  if (last !== null && !(await isStillThere(index.path, last))) {
    for (const column of [index.offsets, index.lengths, index.agents, index.exits])
      column.length = 0;
    index.left.clear();
    last = null;
  }
  const from = last === null ? 0 : last.offset + last.bytes.length + 1;
  for await (const lines of linesOf(index.path, { from })) {
    for (const line of lines) {
      if (isStarting(line.bytes)) continue;
      const logged = parseRow(line.bytes);
      if (logged !== null) take(index, logged.row, { line, ...parts });
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

function take(index: FileIndex, row: AuditRow, at: TakeParts & { readonly line: Line }): void {
  if (row.type === 'outcome') {
    const decided = at.open.get(row.id);
    if (decided === undefined) return;
    decided.index.exits[decided.at] = row.exitCode;
    const { planted, notes } = row;
    if (planted !== undefined || notes !== undefined)
      decided.index.left.set(decided.at, {
        ...(planted !== undefined && { planted }),
        ...(notes !== undefined && { notes }),
      });
    at.open.delete(row.id);
  } else if (row.type === 'decision') {
    if (row.decision === 'allow') at.open.set(row.id, { index, at: index.offsets.length });
    index.offsets.push(at.line.offset);
    index.lengths.push(at.line.bytes.length);
    index.agents.push(at.nameOf(row.agent));
    index.exits.push(null);
  }
}

interface LogIndex {
  /** Every file's index up to now, oldest first. */
  current(): Promise<readonly FileIndex[]>;
}

/**
 * Knows where the decisions of a log are, some 60 bytes for each. Built at the first question, and
 * then from what was added since the last one.
 */
export function createLogIndex(directory: string): LogIndex {
  let files: readonly FileIndex[] = [];
  const names = new Map<string, string>();
  const parts: TakeParts = {
    open: new Map(),
    nameOf: (agent) => {
      const known = names.get(agent) ?? agent;
      names.set(known, known);
      return known;
    },
  };
  let updating: Promise<unknown> = Promise.resolve();
  const update = async (): Promise<readonly FileIndex[]> => {
    const known = new Map(files.map((file) => [file.path, file]));
    files = monthFiles(directory).map((path) => known.get(path) ?? emptyIndex(path));
    for (const file of files) await updateIndex(file, parts);
    return files;
  };
  return {
    current: async () => {
      const result = updating.catch(() => {}).then(update);
      updating = result;
      return result;
    },
  };
}

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
  const files = await index.current();
  const agents = [...new Set(files.flatMap((file) => [...new Set(file.agents)]))].toSorted();
  for (const file of files.toReversed()) {
    const wanted = decisionsOf(file, query.agent);
    if (words.length === 0 && !picks(query)) {
      const before = total;
      total += wanted.length;
      const page = wanted.slice(
        Math.max(0, query.offset - before),
        Math.max(0, query.offset + query.limit - before),
      );
      for await (const { row, at } of readDecisions(file, page, []))
        entries.push(entryOf(row, file, at));
    } else {
      for await (const { row, at } of readDecisions(file, wanted, words)) {
        if (!isPicked(row, query) || !hasWords(row, words)) continue;
        total += 1;
        if (total > query.offset && entries.length < query.limit)
          entries.push(entryOf(row, file, at));
      }
    }
  }
  return { total, entries, agents };
}

type Picks = Pick<HistoryQuery, 'decision' | 'code' | 'by' | 'since'>;

/** Whether a query asks for some rows only, by what the index does not hold. */
function picks({ decision, code, by, since }: Picks): boolean {
  return [decision, code, by, since].some((wanted) => wanted !== undefined);
}

function isPicked(row: DecisionRow, { decision, code, by, since }: Picks): boolean {
  return (
    (decision === undefined || row.decision === decision) &&
    (code === undefined || row.code === code) &&
    (by === undefined || row.by === by) &&
    (since === undefined || row.at >= since)
  );
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
  const handle = await openFile(file.path, 'r');
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

function entryOf(row: DecisionRow, file: FileIndex, place: number): HistoryEntry {
  const { id, at, agent, session, command, cwd, decision, code, by, host, trust, advice } = row;
  const exitCode = file.exits[place] ?? null;
  return {
    id,
    at,
    agent,
    session,
    command,
    cwd,
    decision,
    code,
    by,
    exitCode,
    host,
    ...(trust !== undefined && trust !== 'owner' && { trust }),
    ...(advice !== undefined && { advice }),
    ...file.left.get(place),
  };
}
