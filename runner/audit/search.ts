import { basename } from 'node:path';
import { linesOf } from './lines.ts';
import { monthFile, monthFiles } from './log-files.ts';
import { isStarting, parseRow } from './rows.ts';
import { searchedText } from './signature.ts';
import type { AuditRow, DecisionRow, LoggedRow, NoteRow, OutcomeRow } from './rows.ts';

/** The words of a search, in lower case. A decision matches when each of them is in it somewhere. */
export function wordsOf(search: string | undefined): readonly string[] {
  return (search ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** True when every word is in the agent, code, folder, command or reason. */
export function hasWords(row: DecisionRow, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = searchedText(row);
  return words.every((word) => text.includes(word));
}

/** Characters that stand in a line of JSON as they are. */
const plain = /^[a-z0-9 _./:@=+,-]+$/;

/**
 * False only when no row in this text can have all the words: then it need not be parsed. Words that
 * JSON may write in another way are not looked at here.
 */
export function mayHaveWords(text: string, words: readonly string[]): boolean {
  return words.every((word) => !plain.test(word) || text.includes(word));
}

/** Bytes as the text for `mayHaveWords`: lower case, a character for each byte. */
export function searchable(bytes: Buffer): string {
  return bytes.toString('latin1').toLowerCase();
}

/** Milliseconds since the epoch; `since` is in, `until` is out. */
interface Period {
  readonly since?: number;
  readonly until?: number;
}

/** All rows of a period in the order of the log. Lines that are no rows are passed over. */
export async function* scanRows(directory: string, period: Period): AsyncGenerator<LoggedRow> {
  for (const path of filesSince(directory, period.since))
    for await (const lines of linesOf(path))
      for (const { bytes } of lines) {
        const logged = parseRow(bytes);
        if (logged !== null && isWithin(logged.row, period)) yield logged;
      }
}

interface SearchQuery extends Period {
  /** In lower case; each must be somewhere in the row. */
  readonly words: readonly string[];
  readonly agent?: string;
  readonly code?: string;
  readonly decision?: 'allow' | 'deny';
  /** How many of the newest are kept. */
  readonly limit: number;
}

export interface Hit {
  readonly seq: number;
  readonly row: DecisionRow | NoteRow;
  /** How it ended, where it ran and has ended. */
  outcome: OutcomeRow | null;
}

/** The newest decisions and notes that match, oldest first, and how many match in all. */
export async function searchLog(
  directory: string,
  query: SearchQuery,
): Promise<{ readonly total: number; readonly hits: readonly Hit[] }> {
  let hits: Hit[] = [];
  let total = 0;
  const waiting = new Map<string, Hit>();
  for (const path of filesSince(directory, query.since))
    for await (const lines of linesOf(path))
      for (const { bytes } of lines) {
        if (isStarting(bytes) || !isWorthParsing(bytes, query, waiting.size > 0)) continue;
        const logged = parseRow(bytes);
        if (logged === null) continue;
        const { seq, row } = logged;
        if (row.type === 'outcome') {
          const hit = waiting.get(row.id);
          if (hit !== undefined) hit.outcome = row;
          waiting.delete(row.id);
        } else if (row.type !== 'starting' && isWithin(row, query) && matches(row, query)) {
          const hit: Hit = { seq, row, outcome: null };
          total += 1;
          hits.push(hit);
          if (row.type === 'decision' && row.decision === 'allow') waiting.set(row.id, hit);
          if (hits.length >= 2 * query.limit) hits = newestOf(hits, query.limit, waiting);
        }
      }
  return { total, hits: newestOf(hits, query.limit, waiting) };
}

function newestOf(hits: Hit[], limit: number, waiting: Map<string, Hit>): Hit[] {
  const tooMany = Math.max(0, hits.length - limit);
  for (const { row } of hits.slice(0, tooMany)) if (row.type === 'decision') waiting.delete(row.id);
  return hits.slice(tooMany);
}

function isWorthParsing(bytes: Buffer, { words }: SearchQuery, wantsOutcomes: boolean): boolean {
  if (words.length === 0) return true;
  if (wantsOutcomes && bytes.subarray(0, 120).includes('"row":{"type":"outcome"')) return true;
  return mayHaveWords(searchable(bytes), words);
}

function matches(row: DecisionRow | NoteRow, query: SearchQuery): boolean {
  if (query.code !== undefined && row.code !== query.code) return false;
  if (row.type === 'decision')
    return (
      (query.agent === undefined || row.agent === query.agent) &&
      (query.decision === undefined || row.decision === query.decision) &&
      hasWords(row, query.words)
    );
  if (query.agent !== undefined || query.decision !== undefined) return false;
  const text = `${row.code} ${row.text}`.toLowerCase();
  return query.words.every((word) => text.includes(word));
}

function isWithin({ at }: AuditRow, { since, until }: Period): boolean {
  return (since === undefined || at >= since) && (until === undefined || at < until);
}

/** A row is never in a file of an earlier month than its own, but may be in a later one. */
function filesSince(directory: string, since: number | undefined): readonly string[] {
  const files = monthFiles(directory);
  return since === undefined ? files : files.filter((path) => basename(path) >= monthFile(since));
}
