import { useCallback, useEffect, useState } from 'react';
import { clockText, secondsLeft } from '../../bridge/state.ts';
import type { GrantEntry } from '../../bridge/types.ts';
import { displayPlain } from '../../../shared/base/index.ts';
import { agentWords } from '../../../shared/engine/index.ts';
import { Button } from '../primitives/Button.tsx';
import { call, callOrShow, useApp, useHostNow } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { showChange, useToast } from '../state/toast.ts';
import './grants.css';

/** What holds for a while, asked for again when an answer may have changed it; null before it is known. */
function useGrants(): readonly [readonly GrantEntry[] | null, () => Promise<void>] {
  const [grants, setGrants] = useState<readonly GrantEntry[] | null>(null);
  const link = useApp((model) => model.link);
  const running = useApp((model) => model.state !== null && model.state.runner !== null);
  const waiting = useApp((model) => model.state?.queue.length ?? 0);
  const mode = useApp((model) => model.state?.runner?.mode);
  const toast = useToast((model) => model.toast);
  const look = useCallback(async (): Promise<void> => {
    const answer = await call('grants', {});
    setGrants(answer.ok ? answer.result.grants : null);
  }, []);
  // Each of these may have brought a grant or ended one.
  const turn = [waiting, mode, toast?.kind, toast?.id].join(' ');
  const reason = link === 'open' && running ? turn : null;
  useEffect(() => {
    if (reason === null) setGrants(null);
    else void look();
  }, [reason, look]);
  return [grants, look];
}

/** Every yes that holds for a while, with the time left and a way to take it back. Nothing where there is none. */
export function Grants() {
  const { grants: text, prompt } = useText();
  const [grants, look] = useGrants();
  const now = useHostNow();
  const [busy, setBusy] = useState<string | null>(null);
  // What a session was raised to stands at the top of every view.
  const holding = (grants ?? []).filter(
    ({ kind, expiresAt }) => kind !== 'elevation' && (expiresAt === null || expiresAt > now),
  );
  if (holding.length === 0) return null;
  const revoke = async (id: string): Promise<void> => {
    setBusy(id);
    const result = await callOrShow('endGrant', { id });
    if (result !== null) showChange('revoked', null);
    await look();
    setBusy(null);
  };
  return (
    <section className="grants" aria-labelledby="grants-title">
      <h3 id="grants-title">{text.title}</h3>
      <ul className="grants-list">
        {holding.map((grant) => (
          <li key={grant.id} className="grant">
            <div className="grant-words">
              {grant.covers.length === 0 && <p>{text.oneCommand}</p>}
              {grant.covers.map((line) => (
                <p key={line} className="mono">
                  {displayPlain(line)}
                </p>
              ))}
              <p className="faint small">
                <strong>{displayPlain(agentWords(grant.agent, prompt.unproven))}</strong>
                {' · '}
                {grant.session === null
                  ? text.everySession
                  : text.session(displayPlain(grant.session))}
              </p>
            </div>
            <span className="grant-left">
              {grant.expiresAt === null
                ? grant.session === null
                  ? text.untilRestart
                  : text.untilEnd
                : text.left(clockText(secondsLeft(grant.expiresAt, now)))}
            </span>
            <Button small disabled={busy === grant.id} onClick={() => void revoke(grant.id)}>
              {text.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
