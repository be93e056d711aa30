import { useEffect, useRef, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { clockText, secondsLeft, timeOfDay } from '../../bridge/state.ts';
import type { ElevationEntry } from '../../bridge/types.ts';
import { announce } from '../primitives/Announcer.tsx';
import { Button } from '../primitives/Button.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { callOrShow, useApp, useHostNow, useMode } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { showChange } from '../state/toast.ts';

const none: readonly ElevationEntry[] = [];

/** Sessions that run with fewer questions for a while, each with its end. Nothing where there is none. */
export function Elevations() {
  const elevated = useApp((model) => model.state?.runner?.elevated) ?? none;
  const open = useApp((model) => model.link === 'open');
  const locked = useMode() === 'locked';
  if (elevated.length === 0 || !open || locked) return null;
  return <Raised elevated={elevated} />;
}

function Raised({ elevated }: { readonly elevated: readonly ElevationEntry[] }) {
  const { elevation: text } = useText();
  const now = useHostNow();
  // A device that may not end it is told of it all the same.
  const mayEnd = useApp(({ state }) => {
    const rights = state?.device?.rights;
    return rights === undefined || rights === 'everything';
  });
  const [busy, setBusy] = useState<string | null>(null);
  const told = useRef(new Set<string>());
  useEffect(() => {
    for (const { id, agent } of elevated)
      if (!told.current.has(id)) announce(text.announce(displayPlain(agent)));
    told.current = new Set(elevated.map(({ id }) => id));
  }, [elevated, text]);
  const holding = elevated.filter(({ expiresAt }) => expiresAt > now);
  if (holding.length === 0) return null;
  const end = async (id: string): Promise<void> => {
    setBusy(id);
    if ((await callOrShow('endGrant', { id })) !== null) showChange('revoked', null);
    setBusy(null);
  };
  return (
    <section className="banner banner-caution" aria-labelledby="raised-title">
      <Icon name="caution" />
      <div className="banner-words">
        <h2 id="raised-title" className="raised-title">
          {text.title}
        </h2>
        <ul>
          {holding.map(({ id, agent, session, as, since, expiresAt }) => (
            <li key={id} className="raised">
              <div>
                <p>
                  <strong>{displayPlain(agent)}</strong>
                  {', '}
                  {text.session(displayPlain(session))}
                  {': '}
                  <span className="mono">{displayPlain(as)}</span>
                </p>
                <p className="small">
                  {text.times(timeOfDay(since), timeOfDay(expiresAt))}
                  {' · '}
                  {text.left(clockText(secondsLeft(expiresAt, now)))}
                </p>
              </div>
              {mayEnd && (
                <Button
                  small
                  disabled={busy === id}
                  aria-label={text.endOf(displayPlain(agent), displayPlain(session))}
                  onClick={() => void end(id)}
                >
                  {text.end}
                </Button>
              )}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
