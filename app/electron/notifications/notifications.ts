import type { Notification } from 'electron';
import { isArmed } from '../../bridge/arming.ts';
import type { Answer, QueuedAsk } from '../../bridge/types.ts';
import type { ShellPort } from '../port.ts';
import type { ShellTexts } from '../texts/types.ts';
import { askNotification } from './content.ts';
import type { NotificationChoice } from './content.ts';

export interface NotifierOptions {
  readonly port: Pick<ShellPort, 'Notification'>;
  readonly texts: ShellTexts;
  readonly now: () => number;
  readonly sound: () => boolean;
  readonly showAsk: (id: string) => void;
  readonly answer: (answer: Answer) => Promise<boolean>;
}

/** Tells the person about asks outside the window. */
export interface Notifier {
  readonly ask: (queued: QueuedAsk) => void;
  /** Many at once are told as one. */
  readonly many: (count: number, oldestId: string) => void;
  /** Takes back the notification of an ask that is no longer waiting. */
  readonly withdraw: (id: string) => void;
  readonly tell: (body: string) => void;
  readonly close: () => void;
}

/** Notifications through the system; on one without them every call does nothing. */
export function createNotifier(options: NotifierOptions): Notifier {
  const { port, texts } = options;
  const open = new Map<string, Notification>();
  const labels: Readonly<Record<NotificationChoice, string>> = {
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

  const decide = async (queued: QueuedAsk, choice: NotificationChoice, shownAt: number) => {
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
    close: () => {
      for (const notification of open.values()) notification.close();
      open.clear();
    },
  };
}
