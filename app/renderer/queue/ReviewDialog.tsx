import { useState } from 'react';
import type { QueuedAsk } from '../../bridge/types.ts';
import { displayPlain } from '../../../shared/display/display.ts';
import { Button } from '../primitives/Button.tsx';
import { Dialog } from '../primitives/Dialog.tsx';
import { useApp } from '../state/app.ts';
import { useShown } from '../state/exposure.ts';
import { useText } from '../state/preferences.ts';
import { answerMany } from './answer-many.ts';

interface ReviewDialogProps {
  /** Those that were alike when the dialog opened; none joins later. */
  readonly asks: readonly QueuedAsk[];
  readonly onClose: () => void;
}

/** The list of like asks, each in full, before all are allowed once. */
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
          </li>
        ))}
      </ol>
      <div className="dialog-actions">
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
