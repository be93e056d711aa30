import { useCallback, useEffect, useRef, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { GuideState, GuideStep } from '../../bridge/types.ts';
import { ConnectButton } from '../connect/ConnectDialog.tsx';
import { Button } from '../primitives/Button.tsx';
import { Field } from '../primitives/Field.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { NotifyOffer } from '../notify/Notifications.tsx';
import { useSettings } from '../settings/useSettings.ts';
import { StarterStep } from '../starters/StarterStep.tsx';
import { call, callOrShow, useApp } from '../state/app.ts';
import { usePreferences, useText } from '../state/preferences.ts';
import './guide.css';

/** What is set up, looked up again when something that matters changes; null while it stays away. */
export function useGuide(): GuideState | null {
  const closed = usePreferences(({ guideClosed }) => guideClosed);
  const link = useApp((model) => model.link);
  const hash = useApp((model) => model.state?.policy.hash);
  const running = useApp((model) => model.state !== null && model.state.runner !== null);
  const waiting = useApp((model) => model.state?.queue.length ?? 0);
  const [state, setState] = useState<GuideState | null>(null);
  const [seen, setSeen] = useState(false);
  // Each of these may have completed a step.
  const turn = useApp((model) => model.guideTurn);
  const reason = [hash, running, waiting, turn].join(' ');
  const look = useCallback(async (): Promise<void> => {
    const answer = await call('guide', {});
    if (!answer.ok) return;
    setState(answer.result);
    if (!answer.result.finished) setSeen(true);
  }, []);
  const asked = useRef('');
  useEffect(() => {
    // An answered ask may have completed a step too.
    if (waiting > 0) asked.current = '';
    if (link !== 'open' || closed || waiting > 0 || asked.current === reason) return;
    asked.current = reason;
    void look();
  }, [link, closed, waiting, reason, look]);
  // A guide that was finished before this page opened is not celebrated again.
  return closed || state === null || (state.finished && !seen) ? null : state;
}

/** The first passphrase, typed twice. It goes to the host and is kept nowhere in the page. */
function FirstPassphrase() {
  const { guide } = useText();
  const [first, setFirst] = useState('');
  const [second, setSecond] = useState('');
  const [busy, setBusy] = useState(false);
  const differs = second !== '' && first !== second;
  const set = async (): Promise<void> => {
    setBusy(true);
    const result = await callOrShow('setPassphrase', { passphrase: first });
    setBusy(false);
    setFirst('');
    setSecond('');
    if (result !== null) useApp.setState(({ guideTurn }) => ({ guideTurn: guideTurn + 1 }));
  };
  const isNew = { type: 'password', autoComplete: 'new-password' } as const;
  return (
    <form
      className="guide-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (first !== '' && first === second && !busy) void set();
      }}
    >
      <p className="quiet small">{guide.passphraseText}</p>
      <Field label={guide.passphrase} {...isNew} value={first} onChange={setFirst} />
      <Field label={guide.passphraseAgain} {...isNew} value={second} onChange={setSecond} />
      {differs && <p className="field-problem">{guide.passphraseDiffers}</p>}
      <Button type="submit" disabled={first === '' || first !== second || busy}>
        {guide.passphraseSet}
      </Button>
    </form>
  );
}

/** Steps that are done in the page itself. */
const inPage: ReadonlySet<GuideStep> = new Set(['passphrase', 'starter', 'first-ask']);

/** The first steps: what is set up, what is next, and a real ask to answer. It can be left any time. */
export function Guide({ state }: { readonly state: GuideState }) {
  const { guide } = useText();
  const [busy, setBusy] = useState(false);
  const { steps, agents, finished } = state;
  const running = steps.some(({ step, done }) => step === 'runner' && done);
  const { change } = useSettings();
  const close = (): void => change({ guideClosed: true });
  const ask = async (): Promise<void> => {
    setBusy(true);
    await callOrShow('tryAsk', {});
    setBusy(false);
  };

  return (
    <section className="guide" aria-labelledby="guide-title">
      <header>
        <h2 id="guide-title">{finished ? guide.finishedTitle : guide.title}</h2>
        <p className="quiet">{finished ? guide.finishedText : guide.text}</p>
      </header>
      <ol className="guide-steps">
        {steps.map(({ step, done, hint }) => (
          <li key={step} className="guide-step" data-done={done}>
            {done ? <Icon name="ok" size={18} /> : <span className="guide-open" />}
            <div>
              <p className="guide-name">
                {guide.steps[step]}
                <span className="visually-hidden">: {done ? guide.done : guide.open}</span>
              </p>
              {done && step === 'agent' && (
                <p className="faint small">{agents.map(displayPlain).join(', ')}</p>
              )}
              {!done && step === 'passphrase' && <FirstPassphrase />}
              {!done && step === 'starter' && <StarterStep />}
              {!done && !inPage.has(step) && (
                <p className="quiet small">{guide.hints[step] ?? hint}</p>
              )}
              {!done && step === 'agent' && <ConnectButton />}
              {!done && step === 'first-ask' && (
                <>
                  <p className="quiet small">{guide.tryText}</p>
                  <Button
                    look={running ? 'solid' : 'default'}
                    disabled={busy || !running}
                    onClick={() => void ask()}
                  >
                    {busy ? guide.trying : guide.try}
                  </Button>
                </>
              )}
            </div>
          </li>
        ))}
      </ol>
      {running && <NotifyOffer />}
      <footer>
        <Button look={finished ? 'solid' : 'plain'} onClick={close}>
          {finished ? guide.close : guide.skip}
        </Button>
      </footer>
    </section>
  );
}
