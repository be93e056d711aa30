import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { agentWords } from '../../../shared/engine/index.ts';
import { decidedBy } from '../../../shared/wire/index.ts';
import type { HistoryEntry } from '../../bridge/types.ts';
import { startRuleFrom } from '../allowlist/draft.ts';
import { Button } from '../primitives/Button.tsx';
import { Empty } from '../primitives/Empty.tsx';
import { Segments } from '../primitives/Segments.tsx';
import { useApp } from '../state/app.ts';
import { useOwnPolicy } from '../state/policy.ts';
import { useText } from '../state/preferences.ts';
import { fullTime, shortTime } from '../text/format.ts';
import { ChangesDialog, useChanges } from './Changes.tsx';
import { Chart } from './Chart.tsx';
import { DecisionDialog } from './DecisionDialog.tsx';
import './history.css';
import { isFiltered, periods, useHistory, useHistoryQuery } from './useHistory.ts';
import type { HistoryQuery } from './useHistory.ts';

interface HistoryRowProps {
  /** Undefined while its page is on the way. */
  readonly entry: HistoryEntry | undefined;
  readonly index: number;
  readonly total: number;
  readonly top: number;
  /** How many paths it changed, where that can be taken back. */
  readonly changed: number | undefined;
  readonly onChanges: () => void;
  readonly onOpen: () => void;
}

/** One decision: the command, who decided, and the outcome. */
function HistoryRow({ entry, index, total, top, changed, onChanges, onOpen }: HistoryRowProps) {
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
  const planted = entry.planted?.length ?? 0;
  const notes = entry.notes?.length ?? 0;
  const left =
    planted > 0
      ? text.changes.planted(planted)
      : changed !== undefined
        ? text.changes.changed(changed)
        : notes > 0
          ? text.changes.notes(notes)
          : null;
  return (
    <li className="history-row" style={style} aria-setsize={total} aria-posinset={index + 1}>
      <span className={`history-decision ${allowed ? '' : 'history-denied'}`}>
        {allowed ? text.history.allowed : text.history.denied}
      </span>
      <div className="history-what">
        <button
          type="button"
          className="mono history-command"
          title={displayPlain(entry.command)}
          aria-haspopup="dialog"
          onClick={onOpen}
        >
          {displayPlain(entry.command)}
        </button>
        <p className="small faint history-meta">
          <span>{displayPlain(agentWords(entry.agent, text.prompt.unproven))}</span>
          <span>
            {text.history.by[entry.by]}, {text.codes.outcomes[entry.code] ?? entry.code}
          </span>
          {entry.host === 'sandbox' && entry.code !== 'sandbox-unasked' && (
            <span>{text.history.inSandbox}</span>
          )}
          {entry.trust !== undefined && <span>{text.history.trust(entry.trust)}</span>}
          {entry.exitCode !== null && <span>{text.history.exit(entry.exitCode)}</span>}
          <time dateTime={new Date(entry.at).toISOString()} title={fullTime(entry.at, text.code)}>
            {shortTime(entry.at, text.code)}
          </time>
        </p>
      </div>
      {left !== null && (
        <Button small icon={planted > 0 ? 'caution' : 'undo'} onClick={onChanges}>
          {left}
        </Button>
      )}
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

const rowHeight = 58;

const setQuery = (change: Partial<HistoryQuery>): void => useHistoryQuery.setState(change);

/** Which decisions are shown. */
function Filters({ agents }: { readonly agents: readonly string[] }) {
  const { history: words } = useText();
  const query = useHistoryQuery();
  return (
    <div className="history-filters">
      <input
        className="input history-search"
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        value={query.search}
        onChange={({ target }) => setQuery({ search: target.value })}
      />
      <select
        className="input history-agent"
        aria-label={words.agent}
        value={query.agent}
        onChange={({ target }) => setQuery({ agent: target.value })}
      >
        <option value="">{words.everyAgent}</option>
        {agents
          .filter((agent) => agent !== '*')
          .map((agent) => (
            <option key={agent} value={agent}>
              {displayPlain(agent)}
            </option>
          ))}
      </select>
      <select
        className="input history-agent"
        aria-label={words.who}
        value={query.by}
        onChange={({ target }) =>
          setQuery({ by: decidedBy.find((by) => by === target.value) ?? 'any' })
        }
      >
        <option value="any">{words.everybody}</option>
        {decidedBy.map((by) => (
          <option key={by} value={by}>
            {words.by[by]}
          </option>
        ))}
      </select>
      <select
        className="input history-agent"
        aria-label={words.when}
        value={query.period}
        onChange={({ target }) =>
          setQuery({ period: periods.find((period) => period === target.value) ?? 'any' })
        }
      >
        {periods.map((period) => (
          <option key={period} value={period}>
            {words.periods[period]}
          </option>
        ))}
      </select>
      <Segments
        legend={words.decision}
        options={[
          { value: 'any' as const, label: words.any },
          { value: 'allow' as const, label: words.allowed },
          { value: 'deny' as const, label: words.denied },
        ]}
        value={query.decision}
        onChange={(decision) => setQuery({ decision })}
      />
    </div>
  );
}

/** What was decided, by whom, and the outcome. */
export function HistoryView() {
  const { history: words } = useText();
  const query = useHistoryQuery();
  const { pages, loading, problem, want } = useHistory(query);
  const { changes, again } = useChanges(pages.total);
  const [shown, setShown] = useState<HistoryEntry | null>(null);
  const [whole, setWhole] = useState<HistoryEntry | null>(null);
  const running = useApp((model) => model.state !== null && model.state.runner !== null);
  const box = useRef<HTMLDivElement>(null);
  const named = Object.keys(useOwnPolicy()?.document?.agents ?? {});
  const agents = [...new Set([...named, ...pages.agents])].toSorted();
  const rows = useVirtualizer({
    count: pages.total,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 12,
  });
  const items = rows.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => want(first, last));
  // What was read before the runner went away is still valid.
  const unreadable = pages.total === 0 && (problem !== null || !running);
  const filtered = isFiltered(query);

  return (
    <section className="history" aria-labelledby="history-title">
      <header className="view-head">
        <h2 id="history-title">{words.title}</h2>
        <span className="faint" role="status">
          {!unreadable && (loading ? words.loading : words.total(pages.total, pages.more))}
        </span>
      </header>
      <Chart agent={query.agent} />
      <Filters agents={agents} />
      {unreadable ? (
        <Empty
          icon="danger"
          title={words.unreadable}
          text={running && problem !== null ? problem.message : words.unreadableText}
        />
      ) : !loading && pages.total === 0 ? (
        <Empty
          icon="history"
          title={filtered ? words.nothingFound : words.empty}
          {...(filtered ? {} : { text: words.emptyText })}
        />
      ) : (
        // A list that scrolls by itself has to be reachable by keyboard.
        <div ref={box} className="history-box" role="group" tabIndex={0} aria-label={words.title}>
          <ul className="history-list" style={{ blockSize: rows.getTotalSize() }}>
            {items.map(({ index, start }) => {
              const entry = pages.entries.get(index);
              return (
                <HistoryRow
                  key={index}
                  entry={entry}
                  index={index}
                  total={pages.total}
                  top={start}
                  changed={entry && changes.get(entry.id)?.files}
                  onChanges={() => setShown(entry ?? null)}
                  onOpen={() => setWhole(entry ?? null)}
                />
              );
            })}
          </ul>
        </div>
      )}
      {whole !== null && <DecisionDialog entry={whole} onClose={() => setWhole(null)} />}
      {shown !== null && (
        <ChangesDialog
          of={shown}
          takenBackBy={changes.get(shown.id)?.takenBackBy ?? null}
          onClose={() => {
            setShown(null);
            again();
          }}
        />
      )}
    </section>
  );
}
