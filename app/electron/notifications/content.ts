import type { QueuedAsk } from '../../bridge/types.ts';
import { oneLine } from '../texts/one-line.ts';
import type { ShellTexts } from '../texts/types.ts';

export type NotificationChoice = 'allow-once' | 'deny' | 'show';

export interface AskNotification {
  readonly title: string;
  readonly body: string;
  /** In the order of the buttons. */
  readonly choices: readonly NotificationChoice[];
}

const bodyLength = 160;

/**
 * What a notification says about an ask, and what it offers. Never "always". "Allow once" only where
 * the whole command stands in the notification as it is; a high risk offers nothing but the window.
 */
export function askNotification({ ask }: QueuedAsk, texts: ShellTexts): AskNotification {
  const words = texts.notification;
  const title = words.title(oneLine(ask.agent, 40).text);
  const command = oneLine(ask.command, bodyLength);
  if (ask.risk.level === 'high') {
    return { title, body: `${words.highRisk}\n${command.text}`, choices: ['show'] };
  }
  if (!command.faithful || ask.opaque !== null || ask.env.some((entry) => entry.unsafe)) {
    const body = command.faithful ? command.text : `${command.text}\n${words.cut}`;
    return { title, body, choices: ['show', 'deny'] };
  }
  const place = oneLine(ask.cwd, 80).text;
  return { title, body: `${command.text}\n${place}`, choices: ['allow-once', 'deny'] };
}
