import { useCallback, useEffect, useRef, useState } from 'react';
import { useApp } from '../state/app.ts';
import { callOrShow } from '../state/call.ts';
import { historyPage, missingPages, noPages, withPage } from './pages.ts';
import type { Pages } from './pages.ts';

export interface HistoryQuery {
  readonly search: string;
  readonly agent: string;
  readonly decision: 'any' | 'allow' | 'deny';
}

/** Waits this long after a key before it searches. */
const typingPause = 200;

/** The history that fits a query, fetched page by page as rows come into view. */
export function useHistory(query: HistoryQuery): {
  readonly pages: Pages;
  readonly loading: boolean;
  readonly want: (first: number, last: number) => void;
} {
  const { search, agent, decision } = query;
  const link = useApp((model) => model.link);
  const [pages, setPages] = useState<Pages>(noPages);
  const [loading, setLoading] = useState(true);
  const turn = useRef(0);
  const asked = useRef(new Set<number>());

  const fetchPage = useCallback(
    async (offset: number): Promise<void> => {
      const mine = turn.current;
      asked.current.add(offset);
      const result = await callOrShow('history', {
        offset,
        limit: historyPage,
        ...(search === '' ? {} : { search }),
        ...(agent === '' ? {} : { agent }),
        ...(decision === 'any' ? {} : { decision }),
      });
      // A slow answer to an older query would mix two lists.
      if (mine !== turn.current) return;
      if (result !== null) setPages((known) => withPage(known, offset, result));
      setLoading(false);
    },
    [search, agent, decision],
  );

  useEffect(() => {
    if (link !== 'open') return undefined;
    turn.current += 1;
    asked.current = new Set();
    setLoading(true);
    const timer = setTimeout(
      () => {
        setPages(noPages);
        void fetchPage(0);
      },
      search === '' ? 0 : typingPause,
    );
    return () => clearTimeout(timer);
  }, [fetchPage, link, search]);

  const want = (first: number, last: number): void => {
    for (const offset of missingPages(pages, first, last)) {
      if (!asked.current.has(offset)) void fetchPage(offset);
    }
  };
  return { pages, loading, want };
}
