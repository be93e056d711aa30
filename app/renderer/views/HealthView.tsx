import { useCallback, useEffect, useState } from 'react';
import type { HealthCheck } from '../../bridge/types.ts';
import { Button } from '../primitives/Button.tsx';
import { Icon } from '../primitives/Icon.tsx';
import type { IconName } from '../primitives/Icon.tsx';
import { useApp } from '../state/app.ts';
import { callOrShow, situationOf } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import './health.css';

const icons: Record<HealthCheck['level'], IconName> = {
  ok: 'ok',
  warning: 'caution',
  danger: 'danger',
};
const order: readonly HealthCheck['level'][] = ['danger', 'warning', 'ok'];

/** What is unsafe in the present set-up, and a button to fix what can be fixed. */
export function HealthView() {
  const [looks, setLooks] = useState(0);
  // A verdict of before a lockout, a pause or an edit says nothing of now: it is a view anew.
  const situation = useApp(({ state }) => (state === null ? '' : situationOf(state)));
  return <Verdict key={`${looks} ${situation}`} onAgain={() => setLooks(looks + 1)} />;
}

function Verdict({ onAgain }: { readonly onAgain: () => void }) {
  const text = useText();
  const link = useApp((model) => model.link);
  const [checks, setChecks] = useState<readonly HealthCheck[] | null>(null);
  const [mending, setMending] = useState<string | null>(null);

  const look = useCallback(async (): Promise<void> => {
    const result = await callOrShow('health', {});
    if (result !== null) setChecks(result.checks);
  }, []);
  useEffect(() => {
    if (link === 'open') void look();
  }, [link, look]);

  const mend = async (id: string): Promise<void> => {
    setMending(id);
    const result = await callOrShow('mend', { id });
    if (result !== null) setChecks(result.checks);
    setMending(null);
  };

  const titleOf = ({ title }: HealthCheck): string => text.codes.healthTitle(title) ?? title;
  const sorted = (checks ?? []).toSorted((a, b) => order.indexOf(a.level) - order.indexOf(b.level));
  const wanting = sorted.filter(({ level }) => level !== 'ok').length;
  return (
    <section className="health" aria-labelledby="health-title">
      <header className="view-head">
        <h2 id="health-title">{text.health.title}</h2>
        <span className="quiet" role="status">
          {checks === null
            ? text.health.checking
            : wanting === 0
              ? text.health.allGood
              : text.health.found(wanting)}
        </span>
        <Button onClick={onAgain}>{text.health.again}</Button>
      </header>
      <ul className="health-list">
        {sorted.map((check) => (
          <li key={check.id} className={`health-item health-${check.level}`}>
            <Icon name={icons[check.level]} size={18} />
            <div className="health-words">
              <h3>
                {titleOf(check)}
                <span className="visually-hidden">: {text.health.levels[check.level]}</span>
              </h3>
              <p className="quiet" lang="en">
                {check.detail}
              </p>
            </div>
            {check.mendable && (
              <Button
                small
                aria-label={`${text.health.mend}: ${titleOf(check)}`}
                disabled={mending !== null}
                onClick={() => void mend(check.id)}
              >
                {mending === check.id ? text.health.mending : text.health.mend}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
