import type { HistoryEntry } from '../../bridge/types.ts';

export const historyPage = 100;

/** What is known of a list that is fetched in pages as it is scrolled. */
export interface Pages {
  readonly total: number;
  readonly entries: ReadonlyMap<number, HistoryEntry>;
}

export const noPages: Pages = { total: 0, entries: new Map() };

/** The offset of the page that holds a row. */
export function pageOffset(row: number): number {
  return Math.floor(row / historyPage) * historyPage;
}

/** The pages with one more page in them. */
export function withPage(
  pages: Pages,
  offset: number,
  page: { readonly total: number; readonly entries: readonly HistoryEntry[] },
): Pages {
  const entries = new Map(pages.entries);
  page.entries.forEach((entry, index) => entries.set(offset + index, entry));
  return { total: page.total, entries };
}

/** Offsets of the pages that the rows `first` to `last` still want. */
export function missingPages(pages: Pages, first: number, last: number): number[] {
  const offsets = new Set<number>();
  for (let row = first; row <= Math.min(last, pages.total - 1); row += 1) {
    if (!pages.entries.has(row)) offsets.add(pageOffset(row));
  }
  return [...offsets];
}
