import type { CSSProperties, Ref } from 'react';
import type { Ask } from '../../../shared/ask/types.ts';
import { clockText, secondsLeft } from '../../bridge/countdown.ts';
import { captionOf } from '../../bridge/keys.ts';
import { Key } from '../primitives/Button.tsx';
import { useHostNow } from '../state/clock.ts';
import { useText } from '../state/preferences.ts';

interface DenyButtonProps {
  readonly ask: Ask;
  readonly onDeny: () => void;
  readonly ref: Ref<HTMLButtonElement>;
}

/** Deny, with the time that is left: when it has run out the answer is the same. */
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
