import type { HistoryStats } from '../../bridge/types.ts';
import { useText } from '../state/preferences.ts';
import { dayName } from '../text/when.ts';

/** The chart in numbers, newest day first. */
export function ChartTable({ stats }: { readonly stats: HistoryStats }) {
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
