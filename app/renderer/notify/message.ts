/** What the service worker tells its pages: a notification, or a button of it, was pressed. */
export interface ClickMessage {
  readonly type: 'interlock.clicked';
  /** Of the notification. */
  readonly tag: string;
  /** Of the button; empty for the notification itself. */
  readonly action: string;
}

/** The message in a value from outside, or null where it is none. */
export function readClick(value: unknown): ClickMessage | null {
  if (typeof value !== 'object' || value === null) return null;
  const { type, tag, action } = value as Record<string, unknown>;
  if (type !== 'interlock.clicked' || typeof tag !== 'string' || typeof action !== 'string')
    return null;
  return { type, tag, action };
}
