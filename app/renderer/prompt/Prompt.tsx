import { useEffect, useRef, useState } from 'react';
import type { Ref } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { agentWords, boxOfAgent } from '../../../shared/engine/index.ts';
import type { Ask } from '../../../shared/engine/index.ts';
import { noteLimit } from '../../bridge/answering.ts';
import { actionOf, captionOf } from '../../bridge/keys.ts';
import type { KeyAction } from '../../bridge/keys.ts';
import { secondsLeft } from '../../bridge/state.ts';
import type { QueuedAsk } from '../../bridge/types.ts';
import { CommandText } from '../command/CommandText.tsx';
import { useWays } from '../passkeys/ceremony.ts';
import type { StepUpWays } from '../passkeys/ceremony.ts';
import { goToBrowser } from '../passkeys/InBrowser.tsx';
import { Button, Key } from '../primitives/Button.tsx';
import { useHold } from '../primitives/HoldButton.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { neighbour, useApp, useHostNow } from '../state/app.ts';
import { isTyping, ownsArrows } from '../state/focus.ts';
import { useText } from '../state/preferences.ts';
import { AllowButtons, DenyButton, NeverButton, StepUpAllow } from './AnswerButtons.tsx';
import { Detail } from './Detail.tsx';
import { AdvisorSays, Approvers, Reasons, StatedReason } from './Reasons.tsx';
import { OfferSentence, Remember, useSentence } from './Remember.tsx';
import { Environment, Stages } from './Stages.tsx';
import './prompt.css';
import './answers.css';
import { useAnswer } from './useAnswer.ts';
import type { Answering } from './useAnswer.ts';

interface PromptKeys {
  readonly act: (action: KeyAction) => void;
  /** A key was let go. */
  readonly release: () => void;
  /** A key was pressed while the ask was not armed. */
  readonly early: () => void;
  readonly armed: boolean;
}

/** The keys of the prompt, bound to the ask on screen. Typing into a field never answers. */
function usePromptKeys(keys: PromptKeys): void {
  const current = useRef(keys);
  useEffect(() => {
    current.current = keys;
  });
  useEffect(() => {
    const down = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTyping(event.target)) return;
      const { act, early, armed } = current.current;
      const action = actionOf(event);
      if (!armed && !event.repeat) early();
      if (action === null || (event.key.startsWith('Arrow') && ownsArrows(event.target))) return;
      event.preventDefault();
      act(action);
    };
    const up = (): void => current.current.release();
    document.addEventListener('keydown', down);
    document.addEventListener('keyup', up);
    return () => {
      document.removeEventListener('keydown', down);
      document.removeEventListener('keyup', up);
    };
  }, []);
}

/** Who asks and where: session, host, directory, and the processes the request came through. */
function Who({ ask }: { readonly ask: Ask }) {
  const { prompt } = useText();
  const chain = ask.ancestry.toReversed();
  return (
    <dl className="who">
      <div className="who-item who-directory">
        <dt>{prompt.directory}</dt>
        <dd className="mono">{displayPlain(ask.cwd)}</dd>
      </div>
      <div className="who-item">
        <dt>{prompt.host}</dt>
        <dd>{prompt.hosts[ask.host] ?? displayPlain(ask.host)}</dd>
      </div>
      {ask.session !== null && (
        <div className="who-item">
          <dt>{prompt.session}</dt>
          <dd className="mono">{displayPlain(ask.session)}</dd>
        </div>
      )}
      {ask.toolUseId !== null && (
        <div className="who-item">
          <dt>{prompt.toolUse}</dt>
          <dd className="mono">{displayPlain(ask.toolUseId)}</dd>
        </div>
      )}
      {ask.node === undefined && (chain.length > 0 || ask.kind !== 'egress') && (
        <div className="who-item who-chain">
          <dt>{prompt.processes}</dt>
          <dd>
            {chain.length === 0 ? (
              prompt.processUnknown
            ) : (
              <ol className="chain">
                {chain.map(({ pid, name, command }) => (
                  <li key={pid} title={displayPlain(command)}>
                    <span className="mono">{displayPlain(name)}</span>{' '}
                    <span className="faint">{pid}</span>
                  </li>
                ))}
              </ol>
            )}
          </dd>
        </div>
      )}
    </dl>
  );
}

interface NoteProps {
  readonly answering: Answering;
  readonly field: Ref<HTMLTextAreaElement>;
  readonly onLeave: () => void;
}

/** What the agent is told with a denial. Return denies with it. */
function Note({ answering, field, onLeave }: NoteProps) {
  const { prompt } = useText();
  return (
    <label className="answers-note">
      <span className="field-label">
        {prompt.note} <Key name={captionOf('note')} />
      </span>
      <textarea
        ref={field}
        className="input"
        rows={1}
        maxLength={noteLimit}
        placeholder={prompt.notePlaceholder}
        value={answering.note}
        onChange={({ target }) => answering.setNote(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onLeave();
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            answering.answer('deny');
          }
        }}
      />
    </label>
  );
}

interface PromptProps {
  readonly queued: QueuedAsk;
  readonly position: number;
  readonly total: number;
}

/** One ask, and everything a person needs to answer it. Rendered with the ask's digest as key. */
export function Prompt({ queued, position, total }: PromptProps) {
  const { ask } = queued;
  const { prompt } = useText();
  const answering = useAnswer(queued);
  return (
    <article
      className="prompt"
      aria-labelledby="prompt-title"
      data-risk={ask.risk.level}
      data-guarded=""
    >
      <div className="prompt-scroll">
        <header className="prompt-head">
          <h2 id="prompt-title" className="prompt-title">
            <strong>{displayPlain(agentWords(ask.agent, prompt.unproven))}</strong>{' '}
            {prompt.wants[ask.kind]}
          </h2>
          {ask.kind === 'egress' && (
            <span className="tag">{prompt.from(boxOfAgent(ask.agent))}</span>
          )}
          {ask.node !== undefined && (
            <span className="tag tag-accent prompt-node" title={ask.node.id}>
              <Icon name="nodes" size={12} />
              {prompt.onNode(displayPlain(ask.node.name))}
            </span>
          )}
          {ask.risk.level === 'high' && (
            <span className="tag tag-danger">
              <Icon name="danger" size={12} />
              {prompt.riskHigh}
            </span>
          )}
          {total > 1 && <span className="faint small">{prompt.position(position, total)}</span>}
        </header>
        {ask.node !== undefined && (
          <p className="note small">
            <Icon name="nodes" />
            {prompt.nodeSays(displayPlain(ask.node.name))}
          </p>
        )}
        <CommandText ask={ask} />
        <Detail ask={ask} />
        <Approvers ask={ask} />
        <Reasons ask={ask} />
        <Stages ask={ask} />
        <StatedReason ask={ask} />
        <AdvisorSays ask={ask} />
        <Environment ask={ask} />
        <Who ask={ask} />
        <Remember ask={ask} answering={answering} />
      </div>
      <Answers queued={queued} answering={answering} />
    </article>
  );
}

interface AnswersProps {
  readonly queued: QueuedAsk;
  readonly answering: Answering;
}

/** The ways to answer, by hand and by keys. */
function Answers({ queued, answering }: AnswersProps) {
  const { ask } = queued;
  const { prompt } = useText();
  const deny = useRef<HTMLButtonElement>(null);
  const note = useRef<HTMLTextAreaElement>(null);
  const [noting, setNoting] = useState(false);
  const { box, read } = useSentence(
    `${queued.askDigest} ${answering.proposal?.id ?? ''} ${String(answering.everyAgent)}`,
  );
  const expired = secondsLeft(ask.expiresAt, useHostNow()) === 0;
  const connected = useApp(({ link }) => link === 'open');
  const enabled = answering.armed && !answering.sending && !expired && connected;
  const { stepUp } = answering.choices;
  const ways = useWays(ask);
  const mayHold = enabled && stepUp && ways.hold;
  const hold = useHold(() => answering.answer('allow-once', true), mayHold);

  useEffect(() => deny.current?.focus({ preventScroll: true }), []);
  useEffect(() => {
    if (noting) note.current?.focus();
  }, [noting]);

  usePromptKeys({
    act: (action) =>
      perform(action, { ask, answering, enabled, read, ways, hold, note: () => setNoting(true) }),
    release: hold.cancel,
    early: answering.restart,
    armed: answering.armed,
  });

  return (
    <footer className="answers">
      {answering.late && (
        <p className="note note-caution" role="alert">
          <Icon name="caution" />
          {prompt.notAccepted}
        </p>
      )}
      {!stepUp && <OfferSentence agent={ask.agent} answering={answering} ref={box} />}
      {noting && (
        <Note
          answering={answering}
          field={note}
          onLeave={() => {
            if (answering.note === '') setNoting(false);
            deny.current?.focus();
          }}
        />
      )}
      <div className="answers-row">
        <DenyButton ref={deny} ask={ask} onDeny={() => answering.answer('deny')} />
        <NeverButton answering={answering} enabled={enabled} />
        {!noting && (
          <Button
            look="plain"
            className="answers-note-open"
            shortcut={captionOf('note')}
            title={prompt.notePlaceholder}
            onClick={() => setNoting(true)}
          >
            {prompt.noteShort}
          </Button>
        )}
        <div className="answers-allow">
          {stepUp ? (
            <StepUpAllow
              ask={ask}
              answering={answering}
              enabled={enabled}
              ways={ways}
              hold={hold}
            />
          ) : (
            <AllowButtons ask={ask} answering={answering} enabled={enabled} read={read} />
          )}
        </div>
      </div>
    </footer>
  );
}

interface Acting {
  readonly ask: Ask;
  readonly answering: Answering;
  /** The ask can be allowed now. */
  readonly enabled: boolean;
  /** What would be remembered was in view. */
  readonly read: boolean;
  readonly ways: StepUpWays;
  readonly hold: ReturnType<typeof useHold>;
  readonly note: () => void;
}

/** Does what a key stands for. */
function perform(
  action: KeyAction,
  { ask, answering, enabled, read, ways, hold, note }: Acting,
): void {
  const { state, selected, select } = useApp.getState();
  const { stepUp } = answering.choices;
  switch (action.type) {
    case 'deny':
      return answering.answer('deny');
    case 'never':
      return enabled ? answering.never() : undefined;
    case 'allow-once':
      if (!enabled) return undefined;
      if (!stepUp) return answering.answer('allow-once');
      if (ways.hold) return hold.begin();
      if (ways.browser) void goToBrowser({ errand: 'ask', id: ask.id });
      return ways.passkey ? answering.signed() : undefined;
    case 'remember':
      return !stepUp && enabled && read ? answering.answer('allow-always') : undefined;
    case 'widen':
      return answering.widen();
    case 'everyone':
      return answering.setEveryAgent(!answering.everyAgent);
    case 'duration':
      return answering.setDuration(action.duration);
    case 'note':
      return note();
    case 'next':
      return select(neighbour(state?.queue ?? [], selected, 1));
    case 'previous':
      return select(neighbour(state?.queue ?? [], selected, -1));
    default:
      return undefined;
  }
}
