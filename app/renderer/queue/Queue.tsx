import { useState } from 'react';
import { floodThreshold } from '../../bridge/grouping.ts';
import type { AskGroup } from '../../bridge/grouping.ts';
import type { QueuedAsk } from '../../bridge/types.ts';
import { displayPlain } from '../../../shared/display/display.ts';
import { Button } from '../primitives/Button.tsx';
import { useText } from '../state/preferences.ts';
import { QueueItem } from './QueueItem.tsx';
import { ReviewDialog } from './ReviewDialog.tsx';
import { answerMany } from './answer-many.ts';
import { queueByAgent } from './by-agent.ts';

interface QueueProps {
  readonly queue: readonly QueuedAsk[];
  readonly shown: QueuedAsk;
}

/** All that waits, by agent and likeness, the oldest first. */
export function Queue({ queue, shown }: QueueProps) {
  const text = useText();
  const [review, setReview] = useState<readonly QueuedAsk[] | null>(null);
  return (
    <aside className="queue" aria-labelledby="queue-title">
      <header className="queue-head">
        <h2 id="queue-title">{text.queue.title}</h2>
        <span className="faint">{text.queue.count(queue.length)}</span>
      </header>
      {queueByAgent(queue).map(({ agent, groups, asks }) => (
        <section key={agent} className="queue-agent" aria-label={displayPlain(agent)}>
          <div className="queue-agent-head">
            <h3>{displayPlain(agent)}</h3>
            {asks.length > 1 && (
              <Button
                small
                look="plain"
                aria-label={text.queue.denyAgent(displayPlain(agent))}
                onClick={() => void answerMany(asks, 'deny', text)}
              >
                {text.queue.denyAll(asks.length)}
              </Button>
            )}
          </div>
          {groups.map((group) => (
            <Group key={group.key} group={group} shown={shown} onReview={setReview} />
          ))}
        </section>
      ))}
      {review !== null && <ReviewDialog asks={review} onClose={() => setReview(null)} />}
    </aside>
  );
}

interface GroupProps {
  readonly group: AskGroup;
  readonly shown: QueuedAsk;
  readonly onReview: (asks: readonly QueuedAsk[]) => void;
}

function Group({ group, shown, onReview }: GroupProps) {
  const text = useText();
  const flood = group.asks.length > floodThreshold;
  const [open, setOpen] = useState(false);
  const first = group.asks[0];
  const visible = flood && !open ? group.asks.slice(0, 1) : group.asks.slice(0, 200);
  if (first === undefined) return null;
  return (
    <div className="queue-group">
      {flood && (
        <p className="queue-flood small">
          {text.queue.flood(displayPlain(group.agent), group.asks.length)}
        </p>
      )}
      <ul>
        {visible.map((queued) => (
          <QueueItem key={queued.ask.id} queued={queued} current={queued.ask.id === shown.ask.id} />
        ))}
      </ul>
      {group.asks.length > 1 && (
        <div className="queue-actions">
          {flood && (
            <Button small look="plain" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? text.queue.hide : text.queue.reveal}
            </Button>
          )}
          <Button small onClick={() => void answerMany(group.asks, 'deny', text)}>
            {text.queue.denyAll(group.asks.length)}
          </Button>
          {group.allowTogether && (
            <Button small look="accent" onClick={() => onReview(group.asks)}>
              {text.queue.allowAll(group.asks.length)}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
