import { useCallback, useEffect, useRef, useState } from 'react';
import { create } from 'zustand';
import type { Refusal } from '../../../shared/base/index.ts';
import type { BridgeCalls, HistoryEntry } from '../../bridge/types.ts';
import { call, readHostNow, useApp } from '../state/app.ts';

const historyPage = 100;

/** What is known of a list that is fetched in pages as it is scrolled. */
interface Pages {
  readonly total: number;
  /** A search for words is not at its end yet. */
  readonly more: boolean;
  readonly entries: ReadonlyMap<number, HistoryEntry>;
  /** Every agent that has rows, whatever is searched for. */
  readonly agents: readonly string[];
}

export const noPages: Pages = { total: 0, more: false, entries: new Map(), agents: [] };

/** The offset of the page that holds a row. */
function pageOffset(row: number): number {
  return Math.floor(row / historyPage) * historyPage;
}

/** The pages with one more page in them. */
export function withPage(
  pages: Pages,
  offset: number,
  page: BridgeCalls['history']['result'],
): Pages {
  const entries = new Map(pages.entries);
  page.entries.forEach((entry, index) => entries.set(offset + index, entry));
  // An answer that comes late may be of a time when less was found.
  const total = page.more === true ? Math.max(pages.total, page.total) : page.total;
  return { total, more: page.more === true, entries, agents: page.agents };
}

/** Offsets of the pages that are still missing for the rows `first` to `last`. */
export function missingPages(pages: Pages, first: number, last: number): number[] {
  const offsets = new Set<number>();
  for (let row = first; row <= Math.min(last, pages.total - 1); row += 1) {
    if (!pages.entries.has(row)) offsets.add(pageOffset(row));
  }
  return [...offsets];
}

export const periods = ['any', 'hour', 'day', 'week', 'month'] as const;
type Period = (typeof periods)[number];

const hour = 3_600_000;
const lengths: Record<Exclude<Period, 'any'>, number> = {
  hour,
  day: 24 * hour,
  week: 7 * 24 * hour,
  month: 30 * 24 * hour,
};

export interface HistoryQuery {
  readonly search: string;
  readonly agent: string;
  readonly decision: 'any' | 'allow' | 'deny';
  readonly by: 'any' | HistoryEntry['by'];
  /** How far back. */
  readonly period: Period;
}

const everything: HistoryQuery = {
  search: '',
  agent: '',
  decision: 'any',
  by: 'any',
  period: 'any',
};

/** What the history shows; kept while other views are open. */
export const useHistoryQuery = create<HistoryQuery>()(() => everything);

/** Goes to the history and searches all of it. */
export function startSearch(search: string): void {
  useHistoryQuery.setState({ ...everything, search });
  useApp.getState().show('history');
}

/** Whether a query leaves decisions out. */
export function isFiltered(query: HistoryQuery): boolean {
  return JSON.stringify(query) !== JSON.stringify(everything);
}

/** Waits this long after a key before it searches. */
const typingPause = 200;
/** A search that is not at its end yet goes on after this. */
const searchPause = 50;
/** So many rows a search looks for by itself, and for more when somebody comes to the end. */
const enough = 2 * historyPage;

/** The history that fits a query, fetched page by page as rows come into view. */
export function useHistory(query: HistoryQuery): {
  readonly pages: Pages;
  readonly loading: boolean;
  /** Why it cannot be read now. */
  readonly problem: Refusal | null;
  readonly want: (first: number, last: number) => void;
} {
  const { search, agent, decision, by, period } = query;
  const link = useApp((model) => model.link);
  const [pages, setPages] = useState<Pages>(noPages);
  // The history comes from the runner, so it is read again when the runner is back.
  const running = useApp((model) => model.state !== null && model.state.runner !== null);
  const [loading, setLoading] = useState(true);
  const [problem, setProblem] = useState<Refusal | null>(null);
  const turn = useRef(0);
  // The same for all pages of one list, or they would not fit together.
  const since = useRef(0);
  const asked = useRef(new Set<number>());
  /** How many there were when somebody came to the end of a search. */
  const reached = useRef(0);

  const fetchPage = useCallback(
    async (offset: number): Promise<void> => {
      const mine = turn.current;
      asked.current.add(offset);
      const answer = await call('history', {
        offset,
        limit: historyPage,
        ...(search === '' ? {} : { search }),
        ...(agent === '' ? {} : { agent }),
        ...(decision === 'any' ? {} : { decision }),
        ...(by === 'any' ? {} : { by }),
        ...(period === 'any' ? {} : { since: since.current }),
      });
      // A slow answer to an older query would mix two lists.
      if (mine !== turn.current) return;
      if (answer.ok) setPages((known) => withPage(known, offset, answer.result));
      setProblem(answer.ok ? null : answer.refusal);
      setLoading(false);
    },
    [search, agent, decision, by, period],
  );

  useEffect(() => {
    if (link !== 'open' || !running) return undefined;
    turn.current += 1;
    if (period !== 'any') since.current = Math.max(0, Math.floor(readHostNow() - lengths[period]));
    asked.current = new Set();
    reached.current = 0;
    setLoading(true);
    const timer = setTimeout(
      () => {
        setPages(({ agents }) => ({ ...noPages, agents }));
        void fetchPage(0);
      },
      search === '' ? 0 : typingPause,
    );
    return () => clearTimeout(timer);
  }, [fetchPage, link, running, search, period]);

  useEffect(() => {
    if (loading || !pages.more || pages.total >= enough) return undefined;
    // What it finds next stands behind what is known, on a page that may be begun already.
    const timer = setTimeout(() => void fetchPage(pageOffset(pages.total)), searchPause);
    return () => clearTimeout(timer);
  }, [fetchPage, loading, pages]);

  const want = (first: number, last: number): void => {
    const next = pageOffset(pages.total);
    const isAtEnd = pages.more && last >= pages.total - 1 && pages.total >= enough;
    if (isAtEnd && pages.total !== reached.current) {
      reached.current = pages.total;
      asked.current.delete(next);
      void fetchPage(next);
    }
    for (const offset of missingPages(pages, first, last)) {
      if (!asked.current.has(offset)) void fetchPage(offset);
    }
  };
  return { pages, loading, problem, want };
}
