import { readdirSync, unlinkSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { HistoryBody, HistoryEntry, HistoryQuery } from '../../shared/wire/index.ts';
import { ensurePrivateDirectory, ownUid } from '../../shared/home/index.ts';
import { monthFiles } from './log-files.ts';
import { MonthIndex } from './month-index.ts';
import type { Found, OpenDecisions } from './month-index.ts';
import { parseRow } from './rows.ts';
import type { DecisionRow, OutcomeRow } from './rows.ts';
import { hasWords, mayHaveWords, searchable, wordsOf } from './search.ts';
import { mayHaveAll } from './signature.ts';

/** Where the decisions of a log are, month by month. */
export interface LogIndex {
  /** Every month up to now, oldest first. */
  current(): Promise<readonly MonthIndex[]>;
  close(): void;
}

/**
 * The index of a log, kept in a folder beside it. The first question takes in what was written since
 * the last one, of an earlier runner too.
 */
export function createLogIndex(directory: string): LogIndex {
  const folder = join(directory, 'index');
  const open: OpenDecisions = new Map();
  let months: readonly MonthIndex[] = [];
  let updating: Promise<unknown> = Promise.resolve();
  const opened = (path: string): MonthIndex => {
    const month = new MonthIndex(path, folder);
    month.addOpen(open);
    return month;
  };
  const update = async (): Promise<readonly MonthIndex[]> => {
    const paths = monthFiles(directory);
    if (months.length === 0 && paths.length > 0) prepareFolder(folder, paths);
    for (const month of months) if (!paths.includes(month.path)) month.close();
    const known = new Map(months.map((month) => [month.path, month]));
    months = paths.map((path) => known.get(path) ?? opened(path));
    for (const month of months) await month.update(open);
    return months;
  };
  return {
    current: async () => {
      const result = updating.catch(() => {}).then(update);
      updating = result;
      return result;
    },
    close: () => {
      for (const month of months) month.close();
      months = [];
    },
  };
}

const ofIndex = /^(\d{4}-\d{2})\.(?:json|json\.new|records|words)$/u;

/** Makes it, and removes what is of months that are gone. Where that cannot be, the index is in memory. */
function prepareFolder(folder: string, paths: readonly string[]): void {
  const months = new Set(paths.map((path) => basename(path, '.jsonl')));
  try {
    ensurePrivateDirectory(folder, { uid: ownUid() });
    for (const name of readdirSync(folder)) {
      const month = ofIndex.exec(name)?.[1];
      if (month !== undefined && !months.has(month)) unlinkSync(join(folder, name));
    }
  } catch {
    // Nothing in it is opened then either, or what is left is in nobody's way.
  }
}

/** Bytes of a file that are read at once. */
const blockBytes = 512 * 1024;

const rowsAtOnce = 1_000;
/** How long a question may look for words before it answers with what it has. */
const searchMs = 50;
/** Searches that are remembered, so that the next page goes on where this one ended. */
const mostSearches = 4;
/** A search that is asked for again from its beginning sooner than this is the same one. */
const sameSearchMs = 5_000;

/** Answers questions about the past. */
interface History {
  /**
   * One page, newest first, and how many decisions there are that match. Without words only the rows
   * of the page are read. With words it looks for so long and answers what it has found, with `more`;
   * whoever asks again gets further.
   */
  read(query: HistoryQuery): Promise<Omit<HistoryBody, 'ok'>>;
}

/** @param elapsed milliseconds that never go back */
export function createHistory(index: LogIndex, elapsed: () => number): History {
  const searches = new Map<string, Search>();
  const searchFor = (query: HistoryQuery, months: readonly MonthIndex[]): Search => {
    const { offset, limit: _limit, ...what } = query;
    const key = JSON.stringify(what);
    const known = searches.get(key);
    const goesOn =
      known !== undefined &&
      (offset > 0 || (!known.isDone && elapsed() - known.askedAt < sameSearchMs));
    const search = goesOn ? known : new Search(months, query);
    search.askedAt = elapsed();
    searches.delete(key);
    searches.set(key, search);
    for (const oldest of [...searches.keys()].slice(0, -mostSearches)) searches.delete(oldest);
    return search;
  };
  return {
    read: async (query) => {
      const months = await index.current();
      const agents = [...new Set(months.flatMap((month) => month.agents()))].toSorted();
      if (wordsOf(query.search).length === 0) return { ...(await readPage(months, query)), agents };
      const search = searchFor(query, months);
      const until = elapsed() + searchMs;
      while (!search.isDone && elapsed() < until) await search.goOn();
      const page = search.matches.slice(query.offset, query.offset + query.limit);
      const entries = await entriesOf(page);
      return {
        total: search.matches.length,
        entries,
        agents,
        ...(!search.isDone && { more: true }),
      };
    },
  };
}

interface Match {
  readonly month: MonthIndex;
  readonly found: Found;
}

async function readPage(
  months: readonly MonthIndex[],
  query: HistoryQuery,
): Promise<Omit<HistoryBody, 'ok' | 'agents'>> {
  const page: Match[] = [];
  let total = 0;
  for (const month of months.toReversed()) {
    const offset = Math.max(0, query.offset - total);
    const read = month.matching(query, { offset, limit: query.limit - page.length });
    total += read.total;
    for (const found of month.found(read.places)) page.push({ month, found });
  }
  return { total, entries: await entriesOf(page) };
}

/** A search for words through the log as it was when it began, the newest first. */
class Search {
  readonly matches: Match[] = [];
  isDone = false;
  askedAt = 0;
  readonly #steps: AsyncGenerator<Match | null>;

  constructor(months: readonly MonthIndex[], query: HistoryQuery) {
    this.#steps = matchesOf(months, query, wordsOf(query.search));
  }

  async goOn(): Promise<void> {
    const { value, done } = await this.#steps.next();
    if (done === true) this.isDone = true;
    else if (value !== null) this.matches.push(value);
  }
}

/** What matches, and null in between, so that nobody waits long for a next one. */
async function* matchesOf(
  months: readonly MonthIndex[],
  query: HistoryQuery,
  words: readonly string[],
): AsyncGenerator<Match | null> {
  for (const month of months.toReversed()) {
    const file = await openFile(month.path, 'r').catch(() => null);
    if (file === null) continue;
    try {
      for (const places of month.blocks(query, mayHaveAll(words))) {
        yield null;
        for await (const { row, found } of rowsAt(file, month.found(places), words))
          if (hasWords(row, words)) yield { month, found };
      }
    } finally {
      await file.close();
    }
  }
}

/** The decisions at these places of a month, which fall; the oldest first. */
export async function* rowsOf(
  month: MonthIndex,
  places: readonly number[],
): AsyncGenerator<DecisionRow> {
  if (places.length === 0) return;
  const file = await openFile(month.path, 'r');
  try {
    // From the end of the list, in parts that are then read as they lie.
    for (let end = places.length; end > 0; end -= rowsAtOnce) {
      const rows: DecisionRow[] = [];
      const part = month.found(places.slice(Math.max(0, end - rowsAtOnce), end));
      for await (const { row } of rowsAt(file, part, [])) rows.push(row);
      yield* rows.toReversed();
    }
  } finally {
    await file.close();
  }
}

async function entriesOf(page: readonly Match[]): Promise<readonly HistoryEntry[]> {
  const entries: HistoryEntry[] = [];
  for (let first = 0; first < page.length;) {
    const month = page[first]?.month;
    const of = page.slice(first).filter((match) => match.month === month);
    first += of.length;
    if (month === undefined) continue;
    const file = await openFile(month.path, 'r');
    try {
      const found = of.map((match) => match.found);
      for await (const one of rowsAt(file, found, []))
        entries.push(await entryOf(one.row, one.found));
    } finally {
      await file.close();
    }
  }
  return entries;
}

/** Reads decisions whose places fall, as many at once as lie close together; only those that may have the words. */
async function* rowsAt(
  file: FileHandle,
  found: readonly Found[],
  words: readonly string[],
): AsyncGenerator<{ readonly row: DecisionRow; readonly found: Found }> {
  for (let first = 0; first < found.length;) {
    const end = endOf(found[first]);
    let last = first;
    while (last + 1 < found.length && end - startOf(found[last + 1]) <= blockBytes) last += 1;
    const start = startOf(found[last]);
    const block = Buffer.allocUnsafe(end - start);
    const { bytesRead } = await file.read(block, 0, block.length, start);
    const text = words.length === 0 ? '' : searchable(block);
    for (const one of mayHaveWords(text, words) ? found.slice(first, last + 1) : []) {
      const from = one.offset - start;
      const to = Math.min(from + one.length, bytesRead);
      if (!mayHaveWords(text.slice(from, to), words)) continue;
      const row = parseRow(block.subarray(from, to))?.row;
      if (row?.type === 'decision') yield { row, found: one };
    }
    first = last + 1;
  }
}

function startOf(found: Found | undefined): number {
  return found?.offset ?? 0;
}

function endOf(found: Found | undefined): number {
  return startOf(found) + (found?.length ?? 0);
}

async function entryOf(row: DecisionRow, found: Found): Promise<HistoryEntry> {
  const { id, at, agent, session, command, cwd, decision, code, by, host } = row;
  const { trust, advice, proof, answers } = row;
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
    exitCode: found.exitCode,
    host,
    ...(trust !== undefined && trust !== 'owner' && { trust }),
    ...(advice !== undefined && { advice }),
    ...(proof !== undefined && { passkey: proof.passkey.name }),
    ...(answers !== undefined && { answers }),
    ...(found.left !== null && (await leftBy(found.left))),
  };
}

const mostOutcome = 1 << 20;

/** What the line of an outcome says that it left; nothing where it is not there any more. */
async function leftBy({
  path,
  offset,
}: NonNullable<Found['left']>): Promise<Pick<OutcomeRow, 'planted' | 'notes'>> {
  const bytes = Buffer.alloc(mostOutcome);
  const file = await openFile(path, 'r').catch(() => null);
  if (file === null) return {};
  const { bytesRead } = await file.read(bytes, 0, mostOutcome, offset);
  await file.close();
  const end = bytes.subarray(0, bytesRead).indexOf(10);
  const row = parseRow(bytes.subarray(0, end === -1 ? bytesRead : end))?.row;
  if (row?.type !== 'outcome') return {};
  const { planted, notes } = row;
  return { ...(planted !== undefined && { planted }), ...(notes !== undefined && { notes }) };
}
