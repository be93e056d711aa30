/** The parts of a service worker's scope that are used here: its types and a page's exclude each other. */
interface WorkerScope {
  readonly registration: { showNotification(title: string, options: object): Promise<void> };
  readonly clients: {
    matchAll(options: object): Promise<readonly { focus(): Promise<unknown> }[]>;
    openWindow(address: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install', listener: () => void): void;
  addEventListener(type: 'push', listener: (event: Waiting) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: Click) => void): void;
}

interface Waiting {
  waitUntil(work: Promise<unknown>): void;
}

interface Click extends Waiting {
  readonly notification: { close(): void };
}

/**
 * The service worker of a device. It says that an ask waits, whatever a push holds, and opens the page,
 * which is behind its lock screen. It caches nothing, answers nothing, and touches no request.
 */
const worker = globalThis as unknown as WorkerScope;

worker.addEventListener('install', () => void worker.skipWaiting());

worker.addEventListener('push', (event) => {
  const options = { body: 'An ask waits.', tag: 'ask', renotify: true };
  event.waitUntil(worker.registration.showNotification('Interlock', options));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open());
});

async function open(): Promise<void> {
  const [page] = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  await (page === undefined ? worker.clients.openWindow('./') : page.focus());
}
