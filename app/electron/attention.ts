import type { AppState, QueuedAsk } from '../bridge/types.ts';
import type { Notifier } from './notifications/notifications.ts';
import type { AttentionMode } from '../bridge/settings.ts';
import type { Windows } from './window/windows.ts';

/** More new asks than this at once are told in one notification. */
export const notifyLimit = 3;

export interface AttentionOptions {
  readonly windows: Pick<Windows, 'showPrompt' | 'hidePrompt' | 'inFront'>;
  readonly notifier: Pick<Notifier, 'ask' | 'many' | 'withdraw'>;
  readonly mode: () => AttentionMode;
}

/**
 * Gets the person's attention for asks that are new, takes it back from asks that are gone. An ask
 * that was seen and put aside is not pushed at the person again.
 */
export function createAttention(options: AttentionOptions): (state: AppState) => void {
  let known: ReadonlySet<string> = new Set();

  const notify = (fresh: readonly QueuedAsk[], oldestId: string): void => {
    if (fresh.length > notifyLimit) options.notifier.many(fresh.length, oldestId);
    else for (const queued of fresh) options.notifier.ask(queued);
  };

  return ({ queue }) => {
    const fresh = queue.filter(({ ask }) => !known.has(ask.id));
    const waiting = new Set(queue.map(({ ask }) => ask.id));
    for (const id of known) if (!waiting.has(id)) options.notifier.withdraw(id);
    known = waiting;

    const oldest = queue[0];
    if (oldest === undefined) {
      options.windows.hidePrompt();
      return;
    }
    if (fresh.length === 0 || options.windows.inFront()) return;
    const mode = options.mode();
    if (mode === 'window' || mode === 'both') {
      options.windows.showPrompt({ askId: oldest.ask.id, focus: false });
    }
    if (mode === 'notification' || mode === 'both') notify(fresh, oldest.ask.id);
  };
}
