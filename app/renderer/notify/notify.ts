import { askerOf } from '../../../shared/engine/index.ts';
import { noticeOf, notifyLimit, oneLine } from '../../bridge/notice.ts';
import { modeOf } from '../../bridge/state.ts';
import type { AppState, QueuedAsk } from '../../bridge/types.ts';
import { isDevicePage } from '../device/identity.ts';
import { call, reviewAsk, useApp } from '../state/app.ts';
import { usePreferences } from '../state/preferences.ts';
import { catalogueFor } from '../text/languages.ts';
import type { Catalogue } from '../text/en.ts';
import { pressed } from './decide.ts';
import type { Standing } from './decide.ts';
import { readClick } from './message.ts';

/** The scripts that may become a worker, on the machine and on a device; the content security policy knows no other policy. */
const workerPaths = ['./notify-worker.js', './device-worker.js'] as const;
type WorkerPath = (typeof workerPaths)[number];

const scripts = (
  globalThis as unknown as {
    readonly trustedTypes?: {
      createPolicy(
        name: string,
        rules: { createScriptURL: (address: string) => string },
      ): { createScriptURL(address: string): unknown };
    };
  }
).trustedTypes?.createPolicy('interlock-worker', {
  createScriptURL: (address) => {
    if (!workerPaths.some((path) => path === address))
      throw new TypeError('This is not a script of ours.');
    return address;
  },
});

/** What the browser lets the page do. */
export type Permission = 'none' | 'default' | 'granted' | 'denied';

/** Whether this page may notify; `none` where the browser cannot, or the menu-bar app does it. */
export function permission(): Permission {
  const able = 'Notification' in window && 'serviceWorker' in navigator;
  return able && window.interlock === undefined ? Notification.permission : 'none';
}

/** Has one of our own scripts become the worker of this page. */
export function registerWorker(
  path: WorkerPath = './notify-worker.js',
): Promise<ServiceWorkerRegistration> {
  const address = scripts === undefined ? path : scripts.createScriptURL(path);
  return navigator.serviceWorker.register(address as string);
}

const standing = new Map<string, Standing>();
let movedAt: number | null = null;
let manyId: string | null = null;

const askTag = 'ask ';
const manyTag = 'many';

function words(): Catalogue {
  return catalogueFor(usePreferences.getState().language, navigator.languages);
}

async function show(tag: string, title: string, options: object): Promise<void> {
  try {
    const registration = await registerWorker();
    await navigator.serviceWorker.ready;
    await registration.showNotification(title, {
      tag,
      icon: './signal-asks.svg',
      silent: true,
      ...options,
    });
  } catch {
    // A browser that shows none leaves the title and the sound.
  }
}

function showAsk(queued: QueuedAsk): void {
  const { ask } = queued;
  const { notify, prompt } = words();
  const notice = noticeOf(queued);
  const agent = oneLine(askerOf(ask, prompt.unproven), 80).text;
  const labels = { 'allow-once': notify.allowOnce, deny: notify.deny, show: notify.show };
  const body = notice.highRisk
    ? `${notify.highRisk}\n${notice.command}`
    : notice.choices.includes('allow-once')
      ? `${notice.command}\n${notice.place}`
      : notice.whole
        ? notice.command
        : `${notice.command}\n${notify.cut}`;
  const tag = `${askTag}${ask.id}`;
  standing.set(tag, { queued, shownAt: performance.now() });
  void show(tag, notify.title(agent, prompt.wants[ask.kind]), {
    body,
    requireInteraction: true,
    actions: notice.choices.map((action) => ({ action, title: labels[action] })),
  });
}

async function withdraw(tags: (tag: string) => boolean): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration();
  for (const notification of (await registration?.getNotifications()) ?? [])
    if (tags(notification.tag)) notification.close();
}

/** The ask on screen, in a page that a person looks at, needs no notification. */
function isSeen(): boolean {
  return document.hasFocus() && document.visibilityState === 'visible';
}

function follow(state: AppState, before: AppState): void {
  const known = new Set(before.queue.map(({ ask }) => ask.id));
  const waiting = new Set(state.queue.map(({ ask }) => ask.id));
  const gone = [...standing.keys()].filter((tag) => !waiting.has(tag.slice(askTag.length)));
  if (gone.length > 0) {
    movedAt = performance.now();
    for (const tag of gone) standing.delete(tag);
    void withdraw((tag) => gone.includes(tag));
  }
  if (state.queue.length === 0 && manyId !== null) {
    manyId = null;
    void withdraw((tag) => tag === manyTag);
  }
  const fresh = state.queue.filter(({ ask }) => !known.has(ask.id));
  const settings = state.settings?.settings;
  if (fresh.length === 0 || settings === undefined || modeOf(state) !== 'armed') return;
  if (settings.sound) playSound();
  const told = settings.attention === 'notification' || settings.attention === 'both';
  if (!told || isSeen() || permission() !== 'granted') return;
  if (fresh.length <= notifyLimit) for (const queued of fresh) showAsk(queued);
  else {
    manyId = fresh[0]?.ask.id ?? null;
    void show(manyTag, 'Interlock', {
      body: words().notify.many(state.queue.length),
      actions: [{ action: 'show', title: words().notify.show }],
    });
  }
}

function lookAt(tag: string): void {
  const { queue } = useApp.getState().state ?? { queue: [] };
  const id = tag === manyTag ? queue[0]?.ask.id : tag.slice(askTag.length);
  if (id !== undefined && queue.some(({ ask }) => ask.id === id)) reviewAsk(id);
}

/** Every tab hears of a press; only the one that showed the notification answers by it. */
async function take(tag: string, action: string): Promise<void> {
  const answers = action === 'deny' || action === 'allow-once';
  if (!answers) lookAt(tag);
  const found = standing.get(tag);
  standing.delete(tag);
  const { state, link } = useApp.getState();
  if (!answers || found === undefined || state === null) return;
  const now = performance.now();
  const press = pressed(found, action, { queue: state.queue, now, pace: state.pace, movedAt });
  movedAt = now;
  if (press.type === 'answer' && link === 'open') {
    const answer = await call('answer', press.answer);
    if (answer.ok && answer.result.accepted) return;
  }
  lookAt(tag);
  void show('late', 'Interlock', { body: words().notify.notCounted });
}

/** Ends all that stands outside of the page. */
async function leave(): Promise<void> {
  standing.clear();
  await withdraw(() => true);
  await (await navigator.serviceWorker.getRegistration())?.unregister();
}

/**
 * Tells of asks outside of the page, where the person wants it: with a sound, and with notifications of
 * the browser while nobody looks at the page. Of the tabs of one console only one does.
 */
export function startNotifying(): void {
  // On a device the lock screen of the phone would show what its own page does not.
  if (window.interlock !== undefined || isDevicePage()) return;
  const begin = (): void => {
    useApp.subscribe(({ state, link }, { state: before, link: linkBefore }) => {
      if (link === 'ended' && linkBefore !== 'ended' && permission() !== 'none') void leave();
      if (state !== null && before !== null && state !== before) follow(state, before);
    });
  };
  if ('serviceWorker' in navigator) {
    navigator.serviceWorker.addEventListener('message', ({ data }) => {
      const click = readClick(data);
      if (click !== null) void take(click.tag, click.action);
    });
    window.addEventListener('pagehide', () => {
      const mine = [...standing.keys()];
      void withdraw((tag) => mine.includes(tag) || tag === manyTag);
    });
  }
  void navigator.locks.request('interlock.notify', () => {
    begin();
    // Held until the tab closes; the next one takes over then.
    return new Promise(() => undefined);
  });
}

/** Asks the browser for its permission; answers what it says. */
export async function askPermission(): Promise<Permission> {
  if (permission() === 'none') return 'none';
  await Notification.requestPermission();
  return permission();
}

/** Two soft tones, falling: the sound of an ask. In Hertz. */
const tones = [880, 660] as const;
const seconds = 0.12;
const loudness = 0.08;

let context: AudioContext | null = null;

/** Plays the sound of an ask. A browser that lets no page sound before it was touched stays silent. */
function playSound(): void {
  if (!('AudioContext' in window)) return;
  context ??= new AudioContext();
  void context.resume();
  for (const [index, tone] of tones.entries()) {
    const at = context.currentTime + index * seconds;
    const source = context.createOscillator();
    const volume = context.createGain();
    source.frequency.value = tone;
    volume.gain.setValueAtTime(loudness, at);
    volume.gain.exponentialRampToValueAtTime(0.001, at + seconds);
    source.connect(volume).connect(context.destination);
    source.start(at);
    source.stop(at + seconds);
  }
}
