import { useEffect, useRef } from 'react';
import { noteLimit } from '../../bridge/answering.ts';
import { secondsLeft } from '../../bridge/countdown.ts';
import { captionOf } from '../../bridge/keys.ts';
import type { KeyAction } from '../../bridge/keys.ts';
import type { QueuedAsk } from '../../bridge/types.ts';
import { displayPlain } from '../../../shared/display/display.ts';
import { CommandText } from '../command/CommandText.tsx';
import { Key } from '../primitives/Button.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { useHold } from '../primitives/hold.ts';
import { useApp } from '../state/app.ts';
import { useHostNow } from '../state/clock.ts';
import { useText } from '../state/preferences.ts';
import { neighbour } from '../state/selection.ts';
import { AllowButtons, StepUpAllow } from './AllowButtons.tsx';
import { Detail } from './Detail.tsx';
import { DenyButton } from './DenyButton.tsx';
import { Reasons, StatedReason } from './Reasons.tsx';
import { Remember } from './Remember.tsx';
import { Environment, Stages } from './Stages.tsx';
import { Who } from './Who.tsx';
import { useAnswer } from './useAnswer.ts';
import { usePromptKeys } from './usePromptKeys.ts';
import './prompt.css';

interface PromptProps {
  readonly queued: QueuedAsk;
  readonly position: number;
  readonly total: number;
}

/** One ask, and everything a person needs to answer it. Rendered with the ask's digest as key. */
export function Prompt({ queued, position, total }: PromptProps) {
  const { ask } = queued;
  const text = useText();
  const answering = useAnswer(queued);
  const deny = useRef<HTMLButtonElement>(null);
  const note = useRef<HTMLTextAreaElement>(null);
  const expired = secondsLeft(ask.expiresAt, useHostNow()) === 0;
  const connected = useApp(({ link }) => link === 'open');
  const enabled = answering.armed && !answering.sending && !expired && connected;
  const { stepUp } = answering.choices;
  const hold = useHold(() => answering.answer('allow-once', true), enabled && stepUp);

  useEffect(() => deny.current?.focus({ preventScroll: true }), []);

  const act = (action: KeyAction): void => {
    const { state, selected, select } = useApp.getState();
    switch (action.type) {
      case 'deny':
        return answering.answer('deny');
      case 'allow-once':
        if (enabled) return stepUp ? hold.begin() : answering.answer('allow-once');
        return undefined;
      case 'remember':
        if (stepUp || !enabled) return undefined;
        if (answering.duration !== 'once') return answering.answer('allow-always');
        return answering.setDuration(answering.choices.durations.at(-1) ?? 'once');
      case 'duration':
        return answering.setDuration(action.duration);
      case 'note':
        return note.current?.focus();
      case 'next':
        return select(neighbour(state?.queue ?? [], selected, 1));
      case 'previous':
        return select(neighbour(state?.queue ?? [], selected, -1));
      default:
        return undefined;
    }
  };
  usePromptKeys({
    act,
    release: hold.cancel,
    early: answering.restart,
    armed: answering.armed,
  });

  return (
    <article className="prompt" aria-labelledby="prompt-title" data-risk={ask.risk.level}>
      <div className="prompt-scroll">
        <header className="prompt-head">
          <h2 id="prompt-title" className="prompt-title">
            <strong>{displayPlain(ask.agent)}</strong> {text.prompt.wants[ask.kind]}
          </h2>
          {ask.risk.level === 'high' && (
            <span className="tag tag-danger">
              <Icon name="danger" size={12} />
              {text.prompt.riskHigh}
            </span>
          )}
          {total > 1 && (
            <span className="faint small">{text.prompt.position(position, total)}</span>
          )}
        </header>
        <CommandText ask={ask} />
        <Detail ask={ask} />
        <Reasons ask={ask} />
        <StatedReason ask={ask} />
        <Who ask={ask} />
        <Stages ask={ask} />
        <Environment ask={ask} />
        <Remember ask={ask} answering={answering} />
      </div>
      <footer className="answers">
        {answering.late && (
          <p className="note note-caution" role="alert">
            <Icon name="caution" />
            {text.prompt.notAccepted}
          </p>
        )}
        <label className="answers-note">
          <span className="field-label">
            {text.prompt.note} <Key name={captionOf('note')} />
          </span>
          <textarea
            ref={note}
            className="input"
            rows={1}
            maxLength={noteLimit}
            placeholder={text.prompt.notePlaceholder}
            value={answering.note}
            onChange={({ target }) => answering.setNote(target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') deny.current?.focus();
              if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
                event.preventDefault();
                answering.answer('deny');
              }
            }}
          />
        </label>
        <div className="answers-row">
          <DenyButton ref={deny} ask={ask} onDeny={() => answering.answer('deny')} />
          <div className="answers-allow">
            {stepUp ? (
              <StepUpAllow answering={answering} enabled={enabled} hold={hold} />
            ) : (
              <AllowButtons answering={answering} enabled={enabled} />
            )}
          </div>
        </div>
      </footer>
    </article>
  );
}
