import { askerOf } from '../../shared/engine/index.ts';
import type { Notification } from 'electron';
import { isArmed } from '../bridge/arming.ts';
import type { AttentionMode } from '../bridge/settings.ts';
import type { Answer, AppState, QueuedAsk } from '../bridge/types.ts';
import { noticeOf, notifyLimit, oneLine } from '../bridge/notice.ts';
import type { NoticeChoice } from '../bridge/notice.ts';
import type { ShellTexts } from './texts/texts.ts';
import type { ShellPort } from './types.ts';
import type { Windows } from './windows.ts';

interface AskNotification {
  readonly title: string;
  readonly body: string;
  /** In the order of the buttons. */
  readonly choices: readonly NoticeChoice[];
}

/** The words of a notification, around what may be shown and offered. */
function askNotification(queued: QueuedAsk, texts: ShellTexts): AskNotification {
  const words = texts.notification;
  const title = words.title(oneLine(askerOf(queued.ask), 80).text);
  const { command, whole, place, highRisk, choices } = noticeOf(queued);
  if (highRisk) return { title, body: `${words.highRisk}\n${command}`, choices };
  if (choices.includes('allow-once')) return { title, body: `${command}\n${place}`, choices };
  return { title, body: whole ? command : `${command}\n${words.cut}`, choices };
}

interface NotifierOptions {
  readonly port: Pick<ShellPort, 'Notification'>;
  readonly texts: ShellTexts;
  readonly now: () => number;
  readonly sound: () => boolean;
  readonly showAsk: (id: string) => void;
  readonly answer: (answer: Answer) => Promise<boolean>;
}

/** Tells the person about asks outside the window. */
interface Notifier {
  readonly ask: (queued: QueuedAsk) => void;
  /** Many at once become one notification. */
  readonly many: (count: number, oldestId: string) => void;
  /** Takes back the notification of an ask that is no longer waiting. */
  readonly withdraw: (id: string) => void;
  readonly tell: (body: string) => void;
  readonly dispose: () => void;
}

/** Notifications of the system; where there are none, every call does nothing. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { port, texts } = options;
  const open = new Map<string, Notification>();
  const labels: Readonly<Record<NoticeChoice, string>> = {
    'allow-once': texts.notification.allowOnce,
    deny: texts.notification.deny,
    show: texts.notification.show,
  };

  const show = (
    key: string | null,
    content: { title: string; body: string; actions: string[] },
  ) => {
    if (!port.Notification.isSupported()) return null;
    const notification = new port.Notification({
      title: content.title,
      body: content.body,
      silent: !options.sound(),
      actions: content.actions.map((text) => ({ type: 'button', text })),
    });
    if (key !== null) {
      open.get(key)?.close();
      open.set(key, notification);
    }
    notification.show();
    return notification;
  };

  const tell = (body: string): void => {
    show(null, { title: 'Interlock', body, actions: [] });
  };

  const decide = async (queued: QueuedAsk, choice: NoticeChoice, shownAt: number) => {
    const { ask, askDigest } = queued;
    const armed = isArmed({ shownAt, focusedAt: shownAt }, options.now());
    if (choice === 'show' || (choice === 'allow-once' && !armed)) {
      options.showAsk(ask.id);
      return;
    }
    const counted = await options.answer({ id: ask.id, askDigest, decision: choice });
    if (!counted) tell(texts.notification.notCounted);
  };

  return {
    ask: (queued) => {
      const content = askNotification(queued, texts);
      const shownAt = options.now();
      const notification = show(queued.ask.id, {
        ...content,
        actions: content.choices.map((choice) => labels[choice]),
      });
      notification?.on('click', () => options.showAsk(queued.ask.id));
      notification?.on('action', (details, index) => {
        const choice = content.choices[details.actionIndex ?? index];
        if (choice !== undefined) void decide(queued, choice, shownAt);
      });
    },
    many: (count, oldestId) => {
      const notification = show('many', {
        title: 'Interlock',
        body: texts.status.asking(count),
        actions: [texts.notification.show],
      });
      notification?.on('click', () => options.showAsk(oldestId));
      notification?.on('action', () => options.showAsk(oldestId));
    },
    withdraw: (id) => {
      open.get(id)?.close();
      open.delete(id);
    },
    tell,
    dispose: () => {
      for (const notification of open.values()) notification.close();
      open.clear();
    },
  };
}

interface AttentionOptions {
  readonly windows: Pick<Windows, 'showPrompt' | 'hidePrompt' | 'inFront'>;
  readonly notifier: Pick<Notifier, 'ask' | 'many' | 'withdraw'>;
  readonly mode: () => AttentionMode;
}

/**
 * Draws the person's attention to new asks, and withdraws notifications of asks that are gone. An
 * ask that was seen and put aside is not shown again by itself.
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
