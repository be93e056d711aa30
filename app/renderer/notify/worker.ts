import type { ClickMessage } from './message.ts';

/** The parts of a service worker's scope that are used here: its types and a page's exclude each other. */
interface WorkerScope {
  readonly registration: { unregister(): Promise<boolean> };
  readonly clients: {
    matchAll(
      options: object,
    ): Promise<readonly { postMessage(message: ClickMessage): void; focus(): Promise<unknown> }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install', listener: () => void): void;
  addEventListener(type: 'notificationclick', listener: (event: Click) => void): void;
}

interface Click {
  readonly notification: { readonly tag: string; close(): void };
  readonly action: string;
  waitUntil(work: Promise<void>): void;
}

/**
 * The service worker of the console. It only passes on which button of a notification was pressed:
 * it knows no session and no ask, answers nothing by itself, and touches no request. Nothing is
 * imported here, so that it is a script of its own.
 */
const worker = globalThis as unknown as WorkerScope;

worker.addEventListener('install', () => void worker.skipWaiting());

worker.addEventListener('notificationclick', (event) => {
  const { notification, action } = event;
  notification.close();
  event.waitUntil(passOn({ type: 'interlock.clicked', tag: notification.tag, action }));
});

/** To every page of this console; the one that showed the notification knows what it was about. */
async function passOn(message: ClickMessage): Promise<void> {
  const pages = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  if (pages.length === 0) {
    // Its console is not open any more.
    await worker.registration.unregister();
    return;
  }
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  for (const page of pages) page.postMessage(message);
  if (message.action === 'deny' || message.action === 'allow-once') return;
  // A browser may refuse to bring a page to the front; the ask is on screen in it all the same.
  await pages[0]?.focus().catch(() => undefined);
}
