import { useCallback, useEffect, useRef, useState } from 'react';
import { useApp } from '../state/app.ts';
import type { Refusal } from '../../../shared/refusal/refusal.ts';
import { call } from '../state/call.ts';
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
  /** Why it cannot be read now. */
  readonly problem: Refusal | null;
  readonly want: (first: number, last: number) => void;
} {
  const { search, agent, decision } = query;
  const link = useApp((model) => model.link);
  const [pages, setPages] = useState<Pages>(noPages);
  // The runner keeps it: when that comes back, so does the history.
  const running = useApp((model) => model.state !== null && model.state.runner !== null);
  const [loading, setLoading] = useState(true);
  const [problem, setProblem] = useState<Refusal | null>(null);
  const turn = useRef(0);
  const asked = useRef(new Set<number>());

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
      });
      // A slow answer to an older query would mix two lists.
      if (mine !== turn.current) return;
      if (answer.ok) setPages((known) => withPage(known, offset, answer.result));
      setProblem(answer.ok ? null : answer.refusal);
      setLoading(false);
    },
    [search, agent, decision],
  );

  useEffect(() => {
    if (link !== 'open' || !running) return undefined;
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
  }, [fetchPage, link, running, search]);

  const want = (first: number, last: number): void => {
    for (const offset of missingPages(pages, first, last)) {
      if (!asked.current.has(offset)) void fetchPage(offset);
    }
  };
  return { pages, loading, problem, want };
}
