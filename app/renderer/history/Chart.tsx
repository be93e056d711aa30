import { useEffect, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { agentWords } from '../../../shared/engine/index.ts';
import type { HistoryStats } from '../../bridge/types.ts';
import { startRuleFrom } from '../allowlist/draft.ts';
import { Button } from '../primitives/Button.tsx';
import { call, useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { dayName } from '../text/format.ts';
import './chart.css';

/** The chart in numbers, newest day first. */
function ChartTable({ stats }: { readonly stats: HistoryStats }) {
  const { history: words, code } = useText();
  return (
    <div className="chart-table" role="group" tabIndex={0} aria-label={words.chart}>
      <table className="small">
        <thead>
          <tr>
            <th scope="col">{words.day}</th>
            <th scope="col">{words.asks}</th>
            <th scope="col">{words.allowedAsks}</th>
            <th scope="col">{words.unanswered}</th>
            <th scope="col">{words.needless}</th>
            <th scope="col">{words.unasked}</th>
          </tr>
        </thead>
        <tbody>
          {stats.days.toReversed().map((day) => (
            <tr key={day.day}>
              <th scope="row">{dayName(day.day, code)}</th>
              <td>{day.asks}</td>
              <td>{day.allowed}</td>
              <td>{day.unanswered}</td>
              <td>{day.needless}</td>
              <td>{day.unasked}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const days = 30;

/** What the runner counted; null where it says nothing. */
function useStats(agent: string): HistoryStats | null {
  const link = useApp((model) => model.link);
  const running = useApp((model) => model.state !== null && model.state.runner !== null);
  const [stats, setStats] = useState<HistoryStats | null>(null);
  useEffect(() => {
    if (link !== 'open' || !running) return undefined;
    let current = true;
    const look = async (): Promise<void> => {
      const answer = await call('historyStats', { days, ...(agent === '' ? {} : { agent }) });
      // Without statistics from the runner, there is no chart.
      if (current) setStats(answer.ok ? answer.result : null);
    };
    void look();
    return () => {
      current = false;
    };
  }, [agent, link, running]);
  return stats;
}

/** How often a person was asked on each of the last days, and how many asks were needless. */
export function Chart({ agent }: { readonly agent: string }) {
  const text = useText();
  const stats = useStats(agent);
  if (stats === null) return null;

  const words = text.history;
  const asks = stats.days.reduce((sum, day) => sum + day.asks, 0);
  const needless = stats.days.reduce((sum, day) => sum + day.needless, 0);
  if (asks === 0) return <p className="faint small">{words.chartNone}</p>;
  const summary = words.chartText(asks, needless, stats.days.length);
  return (
    <section className="chart" aria-label={words.chart}>
      <header className="chart-head">
        <h3>{words.chart}</h3>
        <span className="faint small">{summary}</span>
        <span className="chart-key small" aria-hidden="true">
          <span className="chart-swatch" /> {words.asks}
          <span className="chart-swatch chart-swatch-needless" /> {words.needless}
        </span>
      </header>
      <svg
        className="chart-bars"
        viewBox={`0 0 ${chartWidth} ${chartHeight}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {barsOf(stats.days).map(({ day, x, width, needed, extra }) => (
          <g key={day.day}>
            <title>{words.dayText(dayName(day.day, text.code), day.asks, day.needless)}</title>
            <rect className="chart-reach" x={x} y={0} width={width} height={chartHeight} />
            <rect className="chart-needed" x={x} width={width} {...needed} />
            <rect className="chart-needless" x={x} width={width} {...extra} />
          </g>
        ))}
      </svg>
      <div className="chart-axis faint small" aria-hidden="true">
        <span>{dayName(stats.days[0]?.day ?? '', text.code)}</span>
        <span>{dayName(stats.days.at(-1)?.day ?? '', text.code)}</span>
      </div>
      <details className="past">
        <summary className="small">{words.table}</summary>
        <ChartTable stats={stats} />
      </details>
      {stats.worthARule.length > 0 && <WorthARule stats={stats} />}
    </section>
  );
}

/** Commands that were asked about again and again, each with the way to a rule. */
function WorthARule({ stats }: { readonly stats: HistoryStats }) {
  const { history: words, prompt } = useText();
  return (
    <div className="chart-worth">
      <h3>{words.worth}</h3>
      <p className="faint small">{words.needlessMeans(stats.needlessAfter)}</p>
      <ul>
        {stats.worthARule.slice(0, 5).map((past) => (
          <li key={`${past.agent} ${past.cwd} ${past.command}`}>
            <div>
              <p className="mono">{displayPlain(past.command)}</p>
              <p className="faint small">
                {displayPlain(agentWords(past.agent, prompt.unproven))} ·{' '}
                {words.worthTimes(past.needless)}
              </p>
            </div>
            <Button
              small
              icon="add"
              aria-label={`${words.makeRule}: ${displayPlain(past.command)}`}
              onClick={() => startRuleFrom(past)}
            >
              {words.makeRule}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

type Day = HistoryStats['days'][number];

/** In the chart's own units; it is scaled to the space it has. */
const chartWidth = 600;
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
export function barsOf(shown: readonly Day[]): readonly Bar[] {
  const most = Math.max(1, ...shown.map(({ asks }) => asks));
  const step = chartWidth / Math.max(1, shown.length);
  return shown.map((day, index) => {
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
