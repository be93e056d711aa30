import type { DayStats, HistoryStats, StatsQuery } from '../../shared/wire/index.ts';
import { rowsOf } from './history.ts';
import type { LogIndex } from './history.ts';
import type { DecisionRow } from './rows.ts';

/** A person who said yes to the same so many times learns nothing from being asked again. */
export const needlessAfter = 3;

/** How long an earlier yes counts, in days. */
const rememberedDays = 30;
const mostWorthARule = 10;
const dayMs = 86_400_000;

/** What the runner writes when a person was to be asked. */
const saidYes: ReadonlySet<string> = new Set(['allow-once', 'allow-always']);
/** Not among them: an ask that was taken back, which says nothing of who was to answer. */
const unanswered: ReadonlySet<string> = new Set(['approval-timeout', 'approver-unavailable']);

/**
 * Counts day by day up to and with today. What nobody was asked about is counted from the index alone;
 * only the rows of asks are read.
 */
export async function readStats(
  index: LogIndex,
  query: StatsQuery,
  now: number,
): Promise<HistoryStats> {
  const days = lastDays(query.days, now);
  const counter = createCounter(days);
  const since = now - (query.days + rememberedDays) * dayMs;
  const dayAt = dayFinder(days);
  for (const month of await index.current()) {
    const asked: number[] = [];
    month.each({ agent: query.agent, since }, (place, about) => {
      if (wasAsked(about)) asked.push(place);
      else counter.addUnasked(dayAt(about.at));
    });
    for await (const row of rowsOf(month, asked)) counter.add(row);
  }
  return counter.stats();
}

/** Which of the days a moment falls into, by its place; null for none. */
function dayFinder(days: readonly string[]): (at: number) => number | null {
  const starts = days.map((day) => {
    const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
    return new Date(year, month - 1, date).getTime();
  });
  return (at) => {
    for (let day = starts.length - 1; day >= 0; day -= 1) if (at >= (starts[day] ?? 0)) return day;
    return null;
  };
}

type Counts = { -readonly [K in keyof DayStats]: DayStats[K] };

interface Known {
  readonly agent: string;
  readonly command: string;
  readonly cwd: string;
  yes: number[];
  needless: number;
}

/** Counts decisions that come in the order of the log. Days that are not listed only teach. */
export function createCounter(days: readonly string[]): {
  add(row: DecisionRow): void;
  /** A decision about which nobody was asked, by the place of its day; null for a day that is not listed. */
  addUnasked(day: number | null): void;
  stats(): HistoryStats;
} {
  const byDay = new Map<string, Counts>(
    days.map((day) => [day, { day, asks: 0, allowed: 0, unanswered: 0, needless: 0, unasked: 0 }]),
  );
  const inOrder = [...byDay.values()];
  const known = new Map<string, Known>();

  const knownOf = ({ agent, command, cwd }: DecisionRow): Known => {
    const key = `${agent}\0${cwd}\0${command}`;
    const found = known.get(key) ?? { agent, command, cwd, yes: [], needless: 0 };
    known.set(key, found);
    return found;
  };

  return {
    add: (row) => {
      const counts = byDay.get(dayOf(row.at));
      const isYes = saidYes.has(row.code);
      const of = isYes ? knownOf(row) : null;
      const before = of?.yes.filter((at) => at > row.at - rememberedDays * dayMs) ?? [];
      const isNeedless = row.code === 'allow-once' && before.length >= needlessAfter;
      if (of !== null) of.yes = [...before.slice(-needlessAfter), row.at];
      if (counts === undefined) return;
      counts.asks += 1;
      if (isYes) counts.allowed += 1;
      if (unanswered.has(row.code) || row.by === 'fallback') counts.unanswered += 1;
      if (!isNeedless || of === null) return;
      counts.needless += 1;
      of.needless += 1;
    },
    addUnasked: (day) => {
      const counts = day === null ? undefined : inOrder[day];
      if (counts !== undefined) counts.unasked += 1;
    },
    stats: () => ({
      days: inOrder,
      needlessAfter,
      worthARule: [...known.values()]
        .filter(({ needless }) => needless > 0)
        .toSorted((one, other) => other.needless - one.needless)
        .slice(0, mostWorthARule)
        .map(({ agent, command, cwd, needless }) => ({ agent, command, cwd, needless })),
    }),
  };
}

/** An ask that nobody could be reached for counts too: it is what the fallback decided. */
export function wasAsked({ code, by }: Pick<DecisionRow, 'code' | 'by'>): boolean {
  return (
    saidYes.has(code) || unanswered.has(code) || code === 'confirm-rejected' || by === 'fallback'
  );
}

/** The day of a moment, `2026-11-21`, in the time zone of this machine. */
export function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${String(date.getFullYear())}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The last days, oldest first. A day of a change of clocks is not 24 hours long. */
export function lastDays(count: number, now: number): readonly string[] {
  const today = new Date(now);
  return Array.from({ length: count }, (_, index) => {
    const noon = new Date(today.getFullYear(), today.getMonth(), today.getDate(), 12);
    noon.setDate(noon.getDate() - (count - 1 - index));
    return dayOf(noon.getTime());
  });
}
