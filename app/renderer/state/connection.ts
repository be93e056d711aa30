import type { Refusal } from '../../../shared/base/index.ts';
import type { Assertion } from '../../../shared/engine/index.ts';
import { createBridgeClient } from '../../bridge/bridge-client.ts';
import {
  isConsoleSecret,
  partsOfFragment,
  passkeyPath,
  sessionEndedCode,
  sessionPath,
  socketPath,
  subprotocolsFor,
} from '../../bridge/console-session.ts';
import { bridgeOverPreload } from '../../bridge/preload-bridge.ts';
import type { PreloadBridge } from '../../bridge/preload-bridge.ts';
import type { Bridge } from '../../bridge/types.ts';

/**
 * `lost`: it reconnects by itself. `ended`: the host said goodbye, and a new link is needed.
 * `outside`: this tab never had a session.
 */
export type Link = 'connecting' | 'open' | 'lost' | 'ended' | 'outside';

/** A bridge and the state of its connection. */
export interface Connection {
  readonly bridge: Bridge;
  /** Looks once more for a session that this page may use; where it is connected, it does nothing. */
  readonly again: () => void;
  /** Goes on with a new session; where it is connected, it does nothing. */
  readonly enter: (session: string) => void;
  /** Calls back at once, then at each change. */
  onLink(listener: (link: Link) => void): () => void;
}

const storageKey = 'interlock.session';

/**
 * The session of this tab: swapped for the one-time token of the link, or the one that was kept
 * over a reload. Null when there is neither. The token leaves the address before anything else
 * happens, so that it is in no history and no screenshot.
 */
async function openSession(): Promise<string | null> {
  const parts = partsOfFragment(location.hash);
  const address = parts === null || parts.view === '' ? location.pathname : `#${parts.view}`;
  if (parts !== null) history.replaceState(null, '', address);
  const token = parts?.token ?? null;
  if (token === null) return keptSession();
  const { ok, body } = await post(sessionPath, { token });
  // A link that was used before may be opened again in the tab that used it.
  if (!ok || !isConsoleSecret(body['session'])) return keptSession();
  sessionStorage.setItem(storageKey, body['session']);
  return body['session'];
}

/** A network that went away answers never. */
const longestPostMs = 15_000;

export async function post(
  path: string,
  what: object,
): Promise<{ readonly ok: boolean; readonly body: Readonly<Record<string, unknown>> }> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(what),
    credentials: 'omit',
    cache: 'no-store',
    signal: AbortSignal.timeout(longestPostMs),
  });
  return { ok: answer.ok, body: (await answer.json()) as Readonly<Record<string, unknown>> };
}

/** A nonce for opening a session by a passkey; null where none is made for this page, or nobody answers. */
export async function nonceToOpen(): Promise<string | null> {
  const { ok, body } = await post(passkeyPath, {}).catch(() => ({ ok: false, body: {} as never }));
  return ok && isConsoleSecret(body['nonce']) ? body['nonce'] : null;
}

/** The session that a passkey opens; a refusal where it does not. */
export async function sessionByPasskey(
  nonce: string,
  assertion: Assertion,
): Promise<string | Refusal> {
  const { ok, body } = await post(sessionPath, { nonce, assertion });
  const { session, refusal } = body;
  return ok && isConsoleSecret(session) ? session : (refusal as Refusal);
}

/** Forgets a session that the host does not know any more. */
function forgetSession(): void {
  sessionStorage.removeItem(storageKey);
}

/** Tabs of one origin, which is one port of one console; a cookie would go to every other port too. */
const tabsChannel = 'interlock.session';

/** How long another tab may take to answer, in milliseconds. */
const tabPatience = 600;

/** What tabs of one console say to each other. None of it leaves the browser, or is kept. */
type TabMessage =
  | { readonly type: 'wanted' }
  | { readonly type: 'session'; readonly session: string }
  | { readonly type: 'open' };

/** A channel reaches pages of its own origin only, so there is none to name. */
function tell(tabs: BroadcastChannel, message: TabMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  tabs.postMessage(message);
}

/** The session of another tab that is connected, or null when none answers. */
function sessionOfAnotherTab(tabs: BroadcastChannel): Promise<string | null> {
  return new Promise((resolve) => {
    const end = (session: string | null): void => {
      clearTimeout(timer);
      tabs.removeEventListener('message', take);
      resolve(session);
    };
    const take = ({ data }: MessageEvent<TabMessage>): void => {
      if (data.type === 'session' && isConsoleSecret(data.session)) end(data.session);
    };
    const timer = setTimeout(() => end(null), tabPatience);
    tabs.addEventListener('message', take);
    tell(tabs, { type: 'wanted' });
  });
}

function keptSession(): string | null {
  const kept = sessionStorage.getItem(storageKey);
  return isConsoleSecret(kept) ? kept : null;
}

declare global {
  interface Window {
    /** Exposed by the preload script of the menu-bar app. */
    readonly interlock?: PreloadBridge;
  }
}

/** The connection of a window of the menu-bar app, whose host lives as long as the window. */
export function preloadConnection(preload: PreloadBridge): Connection {
  const bridge = bridgeOverPreload(preload);
  return {
    bridge,
    again: () => undefined,
    enter: () => undefined,
    onLink: (listener) => bridge.onConnection((connected) => listener(connected ? 'open' : 'lost')),
  };
}

/** Milliseconds before the first attempt, and the most before any later one. */
export const retry = { first: 250, longest: 4000 };

const isOut = (link: Link): boolean => link === 'ended' || link === 'outside';

export function socketTo(secret: string): WebSocket {
  const address = new URL(socketPath, location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  return new WebSocket(address, subprotocolsFor(secret));
}

/** The connection of a browser page to the console's host. It reconnects by itself until it ends. */
export function consoleConnection(): Connection {
  let socket: WebSocket | null = null;
  let link: Link = 'connecting';
  let wait = retry.first;
  const listeners = new Set<(link: Link) => void>();
  const client = createBridgeClient({
    send: (text) => {
      if (socket?.readyState !== WebSocket.OPEN) throw new Error('The socket is not open.');
      socket.send(text);
    },
    restart: () => socket?.close(),
  });
  const tabs = new BroadcastChannel(tabsChannel);
  let session: string | null = null;
  const become = (next: Link): void => {
    link = next;
    if (next === 'open') tell(tabs, { type: 'open' });
    for (const listener of listeners) listener(next);
  };
  const end = (): void => {
    forgetSession();
    session = null;
    become('ended');
  };

  const open = (secret: string): void => {
    session = secret;
    socket = socketTo(secret);
    socket.addEventListener('open', () => client.opened());
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') client.receive(data);
    });
    socket.addEventListener('close', ({ code }) => {
      client.closed();
      if (code === sessionEndedCode || client.farewell() !== null) {
        end();
        return;
      }
      become('lost');
      setTimeout(() => open(secret), wait);
      wait = Math.min(retry.longest, wait * 2);
    });
  };

  client.bridge.onConnection((connected) => {
    if (!connected) return;
    wait = retry.first;
    become('open');
  });
  const enter = (secret: string): void => {
    sessionStorage.setItem(storageKey, secret);
    open(secret);
  };
  let joining = false;
  /** Goes on with the session of another tab; without one, `none` is how things stand. */
  const join = async (none: Link): Promise<void> => {
    if (joining) return;
    joining = true;
    const secret = await sessionOfAnotherTab(tabs);
    joining = false;
    if (secret !== null) enter(secret);
    else if (link !== none) become(none);
  };
  tabs.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    // Only what the host took a moment ago is handed on.
    if (data.type === 'wanted' && link === 'open' && session !== null)
      tell(tabs, { type: 'session', session });
    if (data.type === 'open' && isOut(link)) void join(link);
  });
  openSession().then(
    (found) => (found === null ? join('outside') : open(found)),
    () => become('ended'),
  );

  return {
    bridge: client.bridge,
    enter: (secret) => void (isOut(link) && enter(secret)),
    again: () => void (isOut(link) && join(link)),
    onLink: (listener) => {
      listeners.add(listener);
      listener(link);
      return () => listeners.delete(listener);
    },
  };
}
