import { useEffect, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { agentWords } from '../../../shared/engine/index.ts';
import { guideAgent } from '../../bridge/types.ts';
import type { HistoryEntry, HistoryStats } from '../../bridge/types.ts';
import { ConnectButton, useConnectable } from '../connect/ConnectDialog.tsx';
import { Button } from '../primitives/Button.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { call, useApp } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { shortTime } from '../text/format.ts';
import './calm.css';

const lastShown = 5;

interface Past {
  readonly today: HistoryStats['days'][number] | null;
  readonly answers: readonly HistoryEntry[];
  /** Agents that have asked, of whatever kind. */
  readonly agents: readonly string[];
}

/** What happened lately, looked up again when something was decided; null before it is known. */
function usePast(): Past | null {
  const [past, setPast] = useState<Past | null>(null);
  const link = useApp((model) => model.link);
  const runner = useApp((model) => model.state?.runner ?? null);
  const turn = runner === null || link !== 'open' ? null : `${runner.running} ${runner.pending}`;
  useEffect(() => {
    if (turn === null) return undefined;
    let isCurrent = true;
    const look = async (): Promise<void> => {
      const [stats, history] = await Promise.all([
        call('historyStats', { days: 1 }),
        call('history', { offset: 0, limit: lastShown, by: 'person' }),
      ]);
      if (!isCurrent || !stats.ok || !history.ok) return;
      const { entries, agents } = history.result;
      setPast({ today: stats.result.days.at(-1) ?? null, answers: entries, agents });
    };
    void look();
    return () => {
      isCurrent = false;
    };
  }, [turn]);
  return past;
}

/** Where nothing waits: which agents there are, how quiet the day was, and what was answered last. */
export function Calm() {
  const { calm, history, prompt, code } = useText();
  const past = usePast();
  const connectable = useConnectable();
  const show = useApp((model) => model.show);
  if (past === null) return null;
  const { today, answers, agents } = past;
  const connected = (connectable?.hosts ?? []).filter((host) => host.connected);
  const others = agents.filter(
    (agent) => agent !== guideAgent && connected.every(({ host }) => host !== agent),
  );
  return (
    <div className="calm-parts">
      <section className="calm-part" aria-labelledby="calm-agents">
        <h3 id="calm-agents">{calm.agents}</h3>
        <ul className="calm-agents">
          {connected.map(({ host, title }) => (
            <li key={host}>
              <Icon name="ok" size={14} /> {title}
            </li>
          ))}
          {others.map((agent) => (
            <li key={agent}>{displayPlain(agentWords(agent, prompt.unproven))}</li>
          ))}
        </ul>
        <ConnectButton />
      </section>
      <section className="calm-part" aria-labelledby="calm-today">
        <h3 id="calm-today">{calm.today}</h3>
        {today === null || today.asks + today.unasked === 0 ? (
          <p className="quiet">{calm.nothing}</p>
        ) : (
          <p className="quiet">
            {calm.quiet(today.unasked)}, {calm.asked(today.asks)}.
          </p>
        )}
      </section>
      {answers.length > 0 && (
        <section className="calm-part calm-last" aria-labelledby="calm-last">
          <h3 id="calm-last">{calm.last}</h3>
          <ul>
            {answers.map((entry) => (
              <li key={entry.id}>
                <span className={entry.decision === 'deny' ? 'calm-denied' : 'calm-word'}>
                  {entry.decision === 'deny' ? history.denied : history.allowed}
                </span>
                <span className="mono calm-command">{displayPlain(entry.command)}</span>
                <time className="faint small" dateTime={new Date(entry.at).toISOString()}>
                  {shortTime(entry.at, code)}
                </time>
              </li>
            ))}
          </ul>
          <Button small look="plain" icon="history" onClick={() => show('history')}>
            {calm.all}
          </Button>
        </section>
      )}
    </div>
  );
}
