import { useState } from 'react';
import type { GuideState } from '../../bridge/guide.ts';
import { displayPlain } from '../../../shared/display/display.ts';
import { Button } from '../primitives/Button.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { callOrShow } from '../state/call.ts';
import { useSettings } from '../settings/use-settings.ts';
import { useText } from '../state/preferences.ts';
import './guide.css';

/** The first steps: what is set up, what is next, and a real ask to answer. It is left at any time. */
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
              {!done && step !== 'first-ask' && (
                <p className="quiet small">{guide.hints[step] ?? hint}</p>
              )}
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
      <footer>
        <Button look={finished ? 'solid' : 'plain'} onClick={close}>
          {finished ? guide.close : guide.skip}
        </Button>
      </footer>
    </section>
  );
}
