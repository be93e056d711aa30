import type { HistoryStats } from '../../bridge/types.ts';

type Day = HistoryStats['days'][number];

/** In the chart's own units; it is scaled to the space it has. */
export const chartWidth = 600;
export const chartHeight = 80;

/** The bar of one day: needed asks at the bottom, needless ones on top. */
interface Bar {
  readonly day: Day;
  readonly x: number;
  readonly width: number;
  readonly needed: { readonly y: number; readonly height: number };
  readonly extra: { readonly y: number; readonly height: number };
}

/** The bars of a chart; the highest day fills it. */
export function barsOf(days: readonly Day[]): readonly Bar[] {
  const most = Math.max(1, ...days.map(({ asks }) => asks));
  const step = chartWidth / Math.max(1, days.length);
  return days.map((day, index) => {
    const total = (day.asks / most) * chartHeight;
    const extra = (Math.min(day.needless, day.asks) / most) * chartHeight;
    return {
      day,
      x: index * step + step * 0.14,
      width: step * 0.72,
      needed: { y: chartHeight - total + extra, height: total - extra },
      extra: { y: chartHeight - total, height: extra },
    };
  });
}
