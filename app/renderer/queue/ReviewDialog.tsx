import { useState } from 'react';
import { displayPlain } from '../../../shared/base/index.ts';
import type { QueuedAsk } from '../../bridge/types.ts';
import { announce } from '../primitives/Announcer.tsx';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { callOrShow, useApp } from '../state/app.ts';
import { useShown } from '../state/exposure.ts';
import { useText } from '../state/preferences.ts';
import type { Catalogue } from '../text/en.ts';

/** The host takes this many answers in one call. */
const mostAtOnce = 200;

/** Gives all of them the same answer, each bound to the ask that was seen. */
export async function answerMany(
  asks: readonly QueuedAsk[],
  decision: 'deny' | 'allow-once',
  text: Catalogue,
): Promise<void> {
  let accepted = 0;
  for (let from = 0; from < asks.length; from += mostAtOnce) {
    const answers = asks
      .slice(from, from + mostAtOnce)
      .map(({ ask, askDigest }) => ({ id: ask.id, askDigest, decision }));
    const result = await callOrShow('answerMany', { answers });
    if (result === null) return;
    accepted += result.accepted.filter(Boolean).length;
  }
  announce(text.queue.done(accepted, asks.length));
}

interface ReviewDialogProps {
  /** The similar asks at the time the dialog opened; none joins later. */
  readonly asks: readonly QueuedAsk[];
  readonly onClose: () => void;
}

/** The list of similar asks, each in full, before all are allowed once. */
export function ReviewDialog({ asks, onClose }: ReviewDialogProps) {
  const text = useText();
  const queue = useApp((model) => model.state?.queue) ?? [];
  const waiting = asks.filter(({ askDigest }) =>
    queue.some((queued) => queued.askDigest === askDigest),
  );
  const { armed } = useShown(asks[0]?.askDigest ?? '');
  const [busy, setBusy] = useState(false);
  const enabled = armed && !busy && waiting.length > 0;
  return (
    <Dialog title={text.queue.reviewTitle(waiting.length)} onClose={onClose}>
      <p className="quiet">{text.queue.reviewText}</p>
      <ol className="review" tabIndex={-1}>
        {waiting.map(({ ask }) => (
          <li key={ask.id}>
            <pre className="mono">{displayPlain(ask.command)}</pre>
            <span className="faint small mono">{displayPlain(ask.cwd)}</span>
            {ask.node !== undefined && (
              <p className="small">{text.prompt.onNode(displayPlain(ask.node.name))}</p>
            )}
            {ask.opaque !== null && (
              <p className="small review-care">
                {text.prompt.opaqueTitle}: {text.prompt.opaque[ask.opaque.reason]}
              </p>
            )}
            {ask.risk.findings.map(({ code, text: found }) => (
              <p key={`${code} ${found}`} className="small review-care">
                {text.codes.risks[code] ?? displayPlain(found)}
              </p>
            ))}
          </li>
        ))}
      </ol>
      <div className="dialog-actions" data-guarded="">
        <Button look="solid" onClick={onClose}>
          {text.queue.cancel}
        </Button>
        <Button
          look="accent"
          aria-disabled={!enabled}
          onClick={() => {
            if (!enabled) return;
            setBusy(true);
            void answerMany(waiting, 'allow-once', text).finally(onClose);
          }}
        >
          {text.queue.allowThese(waiting.length)}
        </Button>
      </div>
    </Dialog>
  );
}
