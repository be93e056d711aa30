import { askerOf } from '../../../shared/engine/index.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import { Button } from '../primitives/Button.tsx';
import { Empty } from '../primitives/Empty.tsx';
import { startRuleFrom } from '../allowlist/draft.ts';
import { useApp } from '../state/app.ts';
import { useHostNow } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { fullTime, relativeTime } from '../text/format.ts';
import './missed.css';

/** Asks that ended without an answer from here, the newest first. */
export function MissedView() {
  const text = useText();
  const missed = useApp((model) => model.state?.missed) ?? [];
  const now = useHostNow();
  return (
    <section className="missed" aria-labelledby="missed-title">
      <header className="view-head">
        <h2 id="missed-title">{text.missed.title}</h2>
      </header>
      {missed.length === 0 ? (
        <Empty icon="missed" title={text.missed.empty} text={text.missed.emptyText} />
      ) : (
        <ul className="missed-list">
          {missed.map(({ ask, reason, at }) => (
            <li key={ask.id} className="missed-item">
              <p className="missed-head small">
                <strong>{displayPlain(askerOf(ask, text.prompt.unproven))}</strong>
                <span className={reason === 'expired' ? 'tag tag-caution' : 'tag'}>
                  {text.missed.reasons[reason]}
                </span>
                <time
                  className="faint"
                  dateTime={new Date(at).toISOString()}
                  title={fullTime(at, text.code)}
                >
                  {relativeTime(at, now, text.code)}
                </time>
              </p>
              <pre className="missed-command">{displayPlain(ask.command)}</pre>
              <div className="missed-foot">
                <span className="mono faint small">{displayPlain(ask.cwd)}</span>
                {ask.risk.level !== 'high' && ask.opaque === null && ask.node === undefined && (
                  <Button small look="plain" icon="add" onClick={() => startRuleFrom(ask)}>
                    {text.missed.makeRule}
                  </Button>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
