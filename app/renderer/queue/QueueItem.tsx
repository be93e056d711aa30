import type { QueuedAsk } from '../../bridge/types.ts';
import { clockText, secondsLeft } from '../../bridge/countdown.ts';
import { displayPlain } from '../../../shared/display/display.ts';
import { Icon } from '../primitives/Icon.tsx';
import { useApp } from '../state/app.ts';
import { useHostNow } from '../state/clock.ts';
import { useText } from '../state/preferences.ts';

/** Only what one line can hold is rendered; the prompt shows the whole. */
const previewLength = 160;

interface QueueItemProps {
  readonly queued: QueuedAsk;
  readonly current: boolean;
}

/** One waiting ask: choosing it brings it on screen and answers nothing. */
export function QueueItem({ queued, current }: QueueItemProps) {
  const text = useText();
  const now = useHostNow();
  const select = useApp((model) => model.select);
  const { ask } = queued;
  return (
    <li>
      <button
        type="button"
        className="queue-item"
        aria-current={current ? 'true' : undefined}
        data-risk={ask.risk.level}
        onClick={() => select(ask.id)}
      >
        {ask.risk.level === 'high' && <Icon name="danger" size={14} />}
        <span className="mono queue-command">
          {displayPlain(ask.command.slice(0, previewLength))}
        </span>
        <span className="queue-time faint small">{clockText(secondsLeft(ask.expiresAt, now))}</span>
        {current && <span className="visually-hidden">{text.queue.onScreen}</span>}
      </button>
    </li>
  );
}
