import { useState } from 'react';
import type { CSSProperties, Ref } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { Ask } from '../../../shared/engine/index.ts';
import { labelOf } from '../../bridge/answering.ts';
import { confirmWord, defaultPace } from '../../bridge/arming.ts';
import { captionOf } from '../../bridge/keys.ts';
import { clockText, secondsLeft } from '../../bridge/state.ts';
import { Button, Key } from '../primitives/Button.tsx';
import { ownRpId } from '../passkeys/ceremony.ts';
import type { StepUpWays } from '../passkeys/ceremony.ts';
import { InBrowser, useCanOpenBrowser } from '../passkeys/InBrowser.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { HoldButton } from '../primitives/HoldButton.tsx';
import type { Hold } from '../primitives/HoldButton.tsx';
import { useApp, useHostNow } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import type { Answering } from './useAnswer.ts';

interface DenyButtonProps {
  readonly ask: Ask;
  readonly onDeny: () => void;
  readonly ref: Ref<HTMLButtonElement>;
}

/** Deny, with the time left: when it runs out, the answer is deny as well. */
export function DenyButton({ ask, onDeny, ref }: DenyButtonProps) {
  const { prompt } = useText();
  const now = useHostNow();
  const left = secondsLeft(ask.expiresAt, now);
  const share = (left * 1000) / Math.max(1000, ask.expiresAt - ask.createdAt);
  const style = { '--left': Math.min(1, share) } as CSSProperties;
  return (
    <button
      ref={ref}
      type="button"
      className="button button-solid deny"
      data-urgent={left <= 10}
      style={style}
      aria-keyshortcuts="d Escape"
      onClick={onDeny}
    >
      {prompt.deny}
      <Key name={captionOf('deny')} />
      <span className="deny-time" aria-hidden="true">
        {left > 0 ? clockText(left) : prompt.timeUp}
      </span>
      <span className="deny-left" aria-hidden="true" />
    </button>
  );
}

interface AllowProps {
  readonly answering: Answering;
  readonly enabled: boolean;
}

/** Denies for good, with the sentence of the rule that it writes. */
export function NeverButton({ answering, enabled }: AllowProps) {
  const { prompt } = useText();
  const { never } = answering.choices;
  if (never === null) return null;
  const sentence = displayPlain(never.sentence);
  return (
    <Button
      className="never"
      shortcut={captionOf('never')}
      aria-disabled={!enabled}
      title={enabled ? sentence : prompt.arming}
      aria-description={sentence}
      onClick={() => enabled && answering.never()}
    >
      {prompt.never}
    </Button>
  );
}

interface AllowButtonsProps extends AllowProps {
  readonly ask: Ask;
  /** The sentence of the wider answer was read. */
  readonly read: boolean;
}

/** Allow once, and beside it the chosen wider answer. Neither is the form's default. */
export function AllowButtons({ ask, answering, enabled, read }: AllowButtonsProps) {
  const { prompt } = useText();
  const { duration, proposal } = answering;
  const title = enabled ? undefined : prompt.arming;
  const label = proposal === null ? null : labelOf(ask, proposal);
  return (
    <>
      <Button
        look="accent"
        shortcut={captionOf('allow-once')}
        aria-disabled={!enabled}
        title={title}
        onClick={() => enabled && answering.answer('allow-once')}
      >
        {prompt.allowOnce}
      </Button>
      {proposal !== null && duration !== 'once' && (
        <Button
          className="allow-always"
          shortcut={captionOf('remember')}
          aria-disabled={!enabled || !read}
          title={enabled && !read ? prompt.readFirst : title}
          onClick={() => enabled && read && answering.answer('allow-always')}
        >
          <span>
            {prompt.allowFor[duration]}{' '}
            {label === null ? (
              prompt.rules(Math.max(1, proposal.rules.length))
            ) : (
              <code className="mono">{displayPlain(label)}</code>
            )}
          </span>
        </Button>
      )}
    </>
  );
}

interface StepUpProps extends AllowProps {
  readonly ask: Ask;
  readonly ways: StepUpWays;
  readonly hold: Hold;
}

/** Allow where a click is not enough: a passkey, a button that is held, or a word that is typed. */
export function StepUpAllow({ ask, answering, enabled, ways, hold }: StepUpProps) {
  const { passkeys, prompt, device: words } = useText();
  const device = useApp(({ state }) => state?.device);
  const why = device === undefined ? passkeys.wanted : words.onlyLow;
  const canOpenBrowser = useCanOpenBrowser();
  const noneHere = canOpenBrowser ? passkeys.noneYet : ownRpId() === null ? passkeys.notHere : why;
  const isOthers = (ask.answered ?? []).length > 0;
  if (!ways.hold && !ways.passkey && !ways.browser)
    return (
      <div className="step-up">
        <p className="note note-caution" role="note">
          <Icon name="caution" />
          {isOthers ? passkeys.other : noneHere}
        </p>
        {canOpenBrowser && (
          <InBrowser errand={{ errand: 'passkeys' }} label={passkeys.addInBrowser} />
        )}
      </div>
    );
  return (
    <div className="step-up">
      {ways.passkey && (
        <Button
          look="danger-outline"
          {...(!ways.hold && { shortcut: captionOf('allow-once') })}
          aria-disabled={!enabled}
          title={enabled ? undefined : prompt.arming}
          onClick={() => enabled && answering.signed()}
        >
          {passkeys.allow}
        </Button>
      )}
      {ways.browser && (
        <InBrowser
          errand={{ errand: 'ask', id: ask.id }}
          label={passkeys.allowInBrowser}
          look="danger-outline"
          {...(!ways.hold && { shortcut: captionOf('allow-once') })}
        />
      )}
      {ways.hold && <HoldAllow answering={answering} enabled={enabled} hold={hold} />}
    </div>
  );
}

function HoldAllow({ answering, enabled, hold }: AllowProps & { readonly hold: Hold }) {
  const { prompt, code } = useText();
  const { holdMs } = useApp(({ state }) => state?.pace) ?? defaultPace;
  const help = prompt.holdHelp((holdMs / 1000).toLocaleString(code));
  const [typing, setTyping] = useState(false);
  const [typed, setTyped] = useState('');
  const right = typed.trim().toLowerCase() === confirmWord;
  return (
    <>
      <HoldButton
        look="danger-outline"
        shortcut={captionOf('allow-once')}
        hold={hold}
        enabled={enabled}
        holding={prompt.holdKeep}
        title={enabled ? help : prompt.arming}
        aria-description={help}
      >
        {prompt.holdToAllow}
      </HoldButton>
      {typing ? (
        <form
          className="step-up-words"
          onSubmit={(event) => {
            event.preventDefault();
            if (right && enabled) answering.answer('allow-once', true);
          }}
        >
          <input
            className="input"
            aria-label={prompt.typeLabel(confirmWord)}
            placeholder={prompt.typeLabel(confirmWord)}
            value={typed}
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
          />
          <Button type="submit" look="danger-outline" disabled={!right || !enabled}>
            {prompt.typeGo}
          </Button>
        </form>
      ) : (
        <Button small look="plain" onClick={() => setTyping(true)}>
          {prompt.typeInstead}
        </Button>
      )}
    </>
  );
}
