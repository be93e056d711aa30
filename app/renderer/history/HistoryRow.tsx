import type { HistoryEntry } from '../../bridge/types.ts';
import { displayPlain } from '../../../shared/display/display.ts';
import { startRuleFrom } from '../allowlist/from-command.ts';
import { Button } from '../primitives/Button.tsx';
import { useText } from '../state/preferences.ts';
import { fullTime, shortTime } from '../text/when.ts';

interface HistoryRowProps {
  /** Undefined while its page is on the way. */
  readonly entry: HistoryEntry | undefined;
  readonly index: number;
  readonly total: number;
  readonly top: number;
}

/** One decision: command, who decided, what came of it. */
export function HistoryRow({ entry, index, total, top }: HistoryRowProps) {
  const text = useText();
  const style = { transform: `translateY(${top}px)` };
  if (entry === undefined) {
    return (
      <li className="history-row" style={style} aria-setsize={total} aria-posinset={index + 1}>
        <span className="faint">{text.history.loading}</span>
      </li>
    );
  }
  const allowed = entry.decision === 'allow';
  return (
    <li className="history-row" style={style} aria-setsize={total} aria-posinset={index + 1}>
      <span className={`history-decision ${allowed ? '' : 'history-denied'}`}>
        {allowed ? text.history.allowed : text.history.denied}
      </span>
      <div className="history-what">
        <p className="mono history-command" title={displayPlain(entry.command)}>
          {displayPlain(entry.command)}
        </p>
        <p className="small faint history-meta">
          <span>{displayPlain(entry.agent)}</span>
          <span>
            {text.history.by[entry.by]}, {text.codes.outcomes[entry.code] ?? entry.code}
          </span>
          {entry.exitCode !== null && <span>{text.history.exit(entry.exitCode)}</span>}
          <time dateTime={new Date(entry.at).toISOString()} title={fullTime(entry.at, text.code)}>
            {shortTime(entry.at, text.code)}
          </time>
        </p>
      </div>
      <Button
        small
        look="plain"
        icon="add"
        className="history-rule"
        aria-label={text.history.makeRule}
        title={text.history.makeRule}
        onClick={() => startRuleFrom(entry)}
      />
    </li>
  );
}
