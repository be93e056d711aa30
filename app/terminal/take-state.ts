import type { AppState } from '../bridge/types.ts';
import type { Focus, Message, ScreenState } from './screen-state.ts';

/**
 * The screen with a new state of the app. The ask in view stays in view while it waits. When it is
 * gone the oldest takes its place, armed anew, and for a moment no key answers it.
 */
export function takeState(screen: ScreenState, app: AppState, now: number): ScreenState {
  const next = { ...screen, app, receivedAt: now };
  if (app.queue.some(({ ask }) => ask.id === screen.shown)) return next;
  const oldest = app.queue[0]?.ask.id ?? null;
  if (oldest === screen.shown) return next;
  return {
    ...next,
    ...inView(oldest, now),
    replacedAt: screen.shown === null ? screen.replacedAt : now,
    focus: focusAfter(screen.focus),
    message: messageAfter(screen),
  };
}

/** The fields that begin anew with each ask that comes into view. */
export function inView(
  id: string | null,
  now: number,
): Pick<ScreenState, 'shown' | 'shownAt' | 'duration' | 'proposal' | 'note' | 'scroll'> {
  return { shown: id, shownAt: now, duration: null, proposal: 0, note: '', scroll: 0 };
}

function focusAfter(focus: Focus): Focus {
  return focus.kind === 'note' || focus.kind === 'confirm' ? { kind: 'gone' } : focus;
}

/** What was said of the ask that came into view before is old news; what became of this one is not. */
function messageAfter({ shown, message }: ScreenState): Message | null {
  if (shown === null) return null;
  const told = message !== null && message.tone !== 'caution';
  return told ? message : { text: 'The request in view is gone.', tone: 'caution' };
}
