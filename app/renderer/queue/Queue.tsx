import { useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { floodThreshold, groupAsks } from '../../bridge/grouping.ts';
import type { AskGroup } from '../../bridge/grouping.ts';
import { clockText, secondsLeft } from '../../bridge/state.ts';
import type { QueuedAsk } from '../../bridge/types.ts';
import { Button } from '../primitives/Button.tsx';
import { Icon } from '../primitives/Icon.tsx';
import { useApp, useHostNow } from '../state/app.ts';
import { useText } from '../state/preferences.ts';
import { ReviewDialog, answerMany } from './ReviewDialog.tsx';

/** All asks of one agent, in groups of similar ones. */
interface AgentQueue {
  readonly agent: string;
  readonly groups: readonly AskGroup[];
  readonly asks: readonly QueuedAsk[];
}

/** The queue by agent; the agent with the oldest ask comes first. */
function queueByAgent(queue: readonly QueuedAsk[]): readonly AgentQueue[] {
  const agents = new Map<string, AskGroup[]>();
  for (const group of groupAsks(queue)) {
    const groups = agents.get(group.agent);
    if (groups === undefined) agents.set(group.agent, [group]);
    else groups.push(group);
  }
  return [...agents].map(([agent, groups]) => ({
    agent,
    groups,
    asks: groups.flatMap(({ asks }) => asks),
  }));
}

/** Only what one line can hold is rendered; the prompt shows the whole. */
const previewLength = 160;

interface QueueItemProps {
  readonly queued: QueuedAsk;
  readonly current: boolean;
}

/** One waiting ask: choosing it brings it on screen and does not answer it. */
function QueueItem({ queued, current }: QueueItemProps) {
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

interface QueueProps {
  readonly queue: readonly QueuedAsk[];
  readonly shown: QueuedAsk;
}

/** All waiting asks, by agent and similarity, the oldest first. */
export function Queue({ queue, shown }: QueueProps) {
  const text = useText();
  const [review, setReview] = useState<readonly QueuedAsk[] | null>(null);
  return (
    <aside className="queue" aria-labelledby="queue-title" data-guarded="">
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
