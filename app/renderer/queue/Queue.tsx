import { useId, useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import { agentWords, needsStepUp } from '../../../shared/engine/index.ts';
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

/** What the rows of the queue share: which are chosen, which have gone, and what can be done. */
interface Rows {
  readonly shown: QueuedAsk;
  readonly chosen: ReadonlySet<string>;
  readonly choose: (askDigest: string, isChosen: boolean) => void;
  readonly chooseNone: () => void;
  /** Not waiting any more; it keeps its place while a pointer is on the queue. */
  readonly isGone: (queued: QueuedAsk) => boolean;
  readonly deny: (asks: readonly QueuedAsk[]) => void;
  readonly review: (asks: readonly QueuedAsk[]) => void;
}

interface QueueItemProps {
  readonly queued: QueuedAsk;
  readonly rows: Rows;
}

/** How much care an ask needs, as a sign with a word. */
function RiskMark({ queued: { ask } }: { readonly queued: QueuedAsk }) {
  const { prompt } = useText();
  const isHigh = ask.risk.level === 'high';
  if (!isHigh && ask.risk.level === 'none' && ask.opaque === null) return null;
  const word = isHigh
    ? prompt.riskHigh
    : ask.risk.level === 'low'
      ? prompt.riskLow
      : prompt.opaqueTitle;
  return (
    <span className="queue-risk" data-risk={isHigh ? 'high' : 'low'} title={word}>
      <Icon name={isHigh ? 'danger' : 'caution'} size={14} />
      <span className="visually-hidden">{word}</span>
    </span>
  );
}

/** One waiting ask: it is brought on screen, chosen among others, denied, or looked at to be allowed. */
function QueueItem({ queued, rows }: QueueItemProps) {
  const text = useText();
  const id = useId();
  const now = useHostNow();
  const select = useApp((model) => model.select);
  const { ask, askDigest } = queued;
  const current = askDigest === rows.shown.askDigest;
  const gone = rows.isGone(queued);
  return (
    <li className="queue-row" data-current={current} data-gone={gone}>
      <input
        type="checkbox"
        className="queue-check"
        aria-label={text.queue.choose}
        aria-describedby={id}
        disabled={gone}
        checked={!gone && rows.chosen.has(askDigest)}
        onChange={({ target }) => rows.choose(askDigest, target.checked)}
      />
      <button
        type="button"
        className="queue-item"
        aria-current={current ? 'true' : undefined}
        data-risk={ask.risk.level}
        disabled={gone}
        onClick={() => select(ask.id)}
      >
        <RiskMark queued={queued} />
        <span id={id} className="mono queue-command">
          {displayPlain(ask.command.slice(0, previewLength))}
        </span>
        {ask.node !== undefined && (
          <span className="tag tag-accent">
            <Icon name="nodes" size={12} />
            {displayPlain(ask.node.name)}
          </span>
        )}
        {current && <span className="visually-hidden">{text.queue.onScreen}</span>}
      </button>
      <span className="queue-time faint small">
        {gone ? text.queue.gone : clockText(secondsLeft(ask.expiresAt, now))}
      </span>
      {/* Out of sight and of reach once it is gone, but in its place. */}
      <span className="queue-inline">
        {!needsStepUp(ask) && (
          <Button small look="plain" aria-describedby={id} onClick={() => rows.review([queued])}>
            {text.queue.allowOne}
          </Button>
        )}
        <Button small look="plain" aria-describedby={id} onClick={() => rows.deny([queued])}>
          {text.prompt.deny}
        </Button>
      </span>
    </li>
  );
}

interface QueueProps {
  readonly queue: readonly QueuedAsk[];
  readonly shown: QueuedAsk;
}

/**
 * All waiting asks, by agent and similarity, the oldest first. While a pointer is on it nothing in it
 * moves: what comes is counted, what goes keeps its place, so that no button slides under a click.
 */
export function Queue({ queue, shown }: QueueProps) {
  const text = useText();
  const [review, setReview] = useState<readonly QueuedAsk[] | null>(null);
  const [still, setStill] = useState<readonly QueuedAsk[] | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const listed = still ?? queue;
  const waiting = new Set(queue.map(({ askDigest }) => askDigest));
  const known = new Set(listed.map(({ askDigest }) => askDigest));
  const came = queue.filter(({ askDigest }) => !known.has(askDigest)).length;
  const picked = queue.filter(({ askDigest }) => chosen.has(askDigest));
  const rows: Rows = {
    shown,
    chosen,
    choose: (askDigest, isChosen) =>
      setChosen((old) => {
        const next = new Set(old);
        if (isChosen) next.add(askDigest);
        else next.delete(askDigest);
        return next;
      }),
    chooseNone: () => setChosen(new Set()),
    isGone: ({ askDigest }) => !waiting.has(askDigest),
    deny: (asks) => {
      const left = asks.filter(({ askDigest }) => waiting.has(askDigest));
      setChosen(new Set());
      // The person's own answer may move things: it is what they wait to see.
      if (left.length > 0) void answerMany(left, 'deny', text).finally(() => setStill(null));
    },
    review: setReview,
  };
  return (
    <aside
      className="queue"
      aria-labelledby="queue-title"
      data-guarded=""
      onPointerMove={({ pointerType }) => {
        if (pointerType === 'mouse' && still === null) setStill(queue);
      }}
      onPointerLeave={() => setStill(null)}
    >
      <header className="queue-head">
        <h2 id="queue-title">{text.queue.title}</h2>
        <span className="faint" role="status">
          {came > 0 ? text.queue.came(came) : text.queue.count(queue.length)}
        </span>
      </header>
      {queueByAgent(listed).map((each) => (
        <Agent key={each.agent} {...each} rows={rows} />
      ))}
      {picked.length > 0 && <Picked picked={picked} rows={rows} />}
      {review !== null && (
        <ReviewDialog
          asks={review}
          onClose={() => {
            setReview(null);
            setStill(null);
            setChosen(new Set());
          }}
        />
      )}
    </aside>
  );
}

/** The asks of one agent, in groups of like ones. */
function Agent({ agent, groups, asks, rows }: AgentQueue & { readonly rows: Rows }) {
  const text = useText();
  return (
    <section
      className="queue-agent"
      aria-label={displayPlain(agentWords(agent, text.prompt.unproven))}
    >
      <div className="queue-agent-head">
        <h3>{displayPlain(agentWords(agent, text.prompt.unproven))}</h3>
        {asks.length > 1 && (
          <Button
            small
            look="plain"
            aria-label={text.queue.denyAgent(
              displayPlain(agentWords(agent, text.prompt.unprovenWithin)),
            )}
            onClick={() => rows.deny(asks)}
          >
            {text.queue.denyAll(asks.length)}
          </Button>
        )}
      </div>
      {groups.map((group) => (
        <Group key={group.key} group={group} rows={rows} />
      ))}
    </section>
  );
}

/** What becomes of the chosen ones. What can do harm is only denied with others. */
function Picked({ picked, rows }: { readonly picked: readonly QueuedAsk[]; readonly rows: Rows }) {
  const text = useText();
  return (
    <div className="queue-picked" role="group" aria-label={text.queue.chosen(picked.length)}>
      <span className="small">{text.queue.chosen(picked.length)}</span>
      <Button small look="plain" onClick={() => rows.chooseNone()}>
        {text.queue.chooseNone}
      </Button>
      <Button small onClick={() => rows.deny(picked)}>
        {text.queue.denyChosen(picked.length)}
      </Button>
      {picked.every(({ ask }) => !needsStepUp(ask)) && (
        <Button small look="accent" onClick={() => rows.review(picked)}>
          {text.queue.allowAll(picked.length)}
        </Button>
      )}
    </div>
  );
}

interface GroupProps {
  readonly group: AskGroup;
  readonly rows: Rows;
}

function Group({ group, rows }: GroupProps) {
  const text = useText();
  const flood = group.asks.length > floodThreshold;
  const [open, setOpen] = useState(false);
  const first = group.asks[0];
  const visible = flood && !open ? group.asks.slice(0, 1) : group.asks.slice(0, 200);
  if (first === undefined) return null;
  return (
    <div className="queue-group">
      {group.asks.length > 1 && (
        <p className="queue-like small">
          <span className="faint">{text.queue.like(group.asks.length)}</span>{' '}
          <span className="mono">{displayPlain(group.label)}</span>
        </p>
      )}
      {flood && (
        <p className="queue-flood small">
          {text.queue.flood(
            displayPlain(agentWords(group.agent, text.prompt.unproven)),
            group.asks.length,
          )}
        </p>
      )}
      <ul>
        {visible.map((queued) => (
          <QueueItem key={queued.askDigest} queued={queued} rows={rows} />
        ))}
      </ul>
      {group.asks.length > 1 && (
        <div className="queue-actions">
          {flood && (
            <Button small look="plain" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? text.queue.hide : text.queue.reveal}
            </Button>
          )}
          <Button small onClick={() => rows.deny(group.asks)}>
            {text.queue.denyAll(group.asks.length)}
          </Button>
          {group.allowTogether && (
            <Button small look="accent" onClick={() => rows.review(group.asks)}>
              {text.queue.allowAll(group.asks.length)}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
