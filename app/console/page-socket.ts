import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { createTokenBucket } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { callsOfItself, terminalCalls } from '../bridge/calls.ts';
import { sessionEndedCode, sessionOf, socketPath, subprotocol } from '../bridge/console-session.ts';
import { bridgeVersion, encodeMessage, pageMessageLimit } from '../bridge/messages.ts';
import type { GoodbyeReason, HostMessage } from '../bridge/messages.ts';
import { decodePageMessage } from '../bridge/page-message.ts';
import { pushBetween } from '../bridge/state-push.ts';
import type { AppState, BridgeCall } from '../bridge/types.ts';
import type { UiHost } from '../host/types.ts';
import { isFromOurPage } from './same-origin.ts';
import type { HostRule } from './same-origin.ts';
import type { Session, Sessions } from './sessions.ts';

interface PageSocketOptions {
  readonly host: Pick<UiHost, 'handle' | 'subscribe'>;
  readonly clock: Clock;
  /** A person did something on this page. */
  readonly onUse: () => void;
}

/** One connected page. */
interface PageSocket {
  /** Says goodbye with the reason, then closes. */
  close(reason: GoodbyeReason): void;
}

const callBurst = 100;
const callsPerSecond = 20;
/** Keys that are held down, a mouse that is dragged, and as many answers to read. */
const terminalBurst = 800;
const terminalPerSecond = 400;
/** Calls of one page that may be under way at once. */
const openCallLimit = 64;
/** WebSocket close codes. */
const policyViolation = 1008;
const goingAway = 1001;
/** A page that has not closed its end by then is cut off. */
const closeTimeoutMs = 1_000;

/** Serves one page over a WebSocket: state pushes out, checked and rate-limited calls in. */
function servePage(socket: WebSocket, { host, clock, onUse }: PageSocketOptions): PageSocket {
  const mayCall = createTokenBucket(clock, { burst: callBurst, perSecond: callsPerSecond });
  const mayType = createTokenBucket(clock, { burst: terminalBurst, perSecond: terminalPerSecond });
  const isPaced = (name: BridgeCall): boolean => (terminalCalls.has(name) ? mayType() : mayCall());
  let openCalls = 0;
  let next: AppState | null = null;
  let sent: AppState | null = null;
  let sending = false;

  const send = (message: HostMessage, gone?: () => void): void => {
    if (socket.readyState === socket.OPEN) socket.send(encodeMessage(message), gone);
  };
  /** A slow page gets the newest state when it is ready for it, not every one between. */
  const pushNext = (): void => {
    if (sending || next === null) return;
    const push = pushBetween(sent, next);
    sent = next;
    next = null;
    sending = true;
    send(push, () => {
      sending = false;
      pushNext();
    });
  };

  send({ type: 'connection', connected: true, version: bridgeVersion });
  const unsubscribe = host.subscribe((state) => {
    next = state;
    pushNext();
  });

  socket.on('message', (data, isBinary) => {
    const decoded = isBinary ? null : decodePageMessage((data as Buffer).toString('utf8'));
    // What is not a call counts like one, so that nobody sends without end what is refused.
    const mayGoOn = decoded?.ok === true ? isPaced(decoded.call.name) : mayCall();
    if (decoded?.ok !== true || !mayGoOn || openCalls >= openCallLimit) {
      socket.close(policyViolation);
      return;
    }
    const { id, name, args } = decoded.call;
    if (!callsOfItself.has(name)) onUse();
    openCalls += 1;
    void host.handle(name, args).then((answer) => {
      openCalls -= 1;
      send({ type: 'result', id, answer });
      return undefined;
    });
  });
  socket.on('error', () => {
    socket.terminate();
  });
  socket.on('close', unsubscribe);

  return {
    close: (reason) => {
      unsubscribe();
      send({ type: 'connection', connected: false, reason });
      socket.close(goingAway);
      const cancel = clock.after(closeTimeoutMs, () => socket.terminate());
      socket.on('close', cancel);
    },
  };
}

/** Pages of one device, or of one link, at once: a phone has one, a person with many tabs a few. */
const mostPages = 8;

interface PagesOptions<S extends Session> {
  /** What a page with this session sees, and may call. */
  readonly hostOf: (session: S) => Pick<UiHost, 'handle' | 'subscribe'>;
  readonly sessions: Pick<Sessions<S>, 'find' | 'touch' | 'isOver'>;
  /** Whose connection a session's is, so that none takes the room of the others; absent: its own. */
  readonly ownerOf?: (session: S) => unknown;
  /** A connection that has a page now. */
  readonly onPage?: (socket: Socket) => void;
  readonly scheme?: 'http' | 'https';
  readonly clock: Clock;
}

/** All connected pages. */
interface Pages {
  /** Takes over a connection that asks for a WebSocket; anything doubtful is closed without an answer. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, rule: HostRule): void;
  /** Ends pages whose session is over. */
  endOver(): void;
  /** Does so, and drops those that did not answer since the last time: their network died. */
  sweep(): void;
  dispose(): void;
}

interface Connected<S> {
  readonly session: S;
  readonly page: PageSocket;
  readonly ping: () => void;
}

/** Serves pages; none is connected yet. */
export function createPages<S extends Session>({
  hostOf,
  sessions,
  clock,
  scheme,
  ownerOf = (session) => session,
  onPage,
}: PagesOptions<S>): Pages {
  const connected = new Set<Connected<S>>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: pageMessageLimit,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });

  const endOver = (): void => {
    for (const { session, page } of connected) if (sessions.isOver(session)) page.close('idle');
  };
  return {
    upgrade: (request, socket, head, rule) => {
      socket.on('error', () => socket.destroy());
      if (request.url !== socketPath || !isFromOurPage(request.headers, rule, scheme)) {
        const refused = 'HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n';
        // Whoever does not close their end would hold the other one for ever.
        socket.end(refused, () => socket.destroy());
        return;
      }
      const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/ *, */);
      const secret = sessionOf(offered);
      const session = secret === null ? null : sessions.find(secret);
      server.handleUpgrade(request, socket, head, (webSocket) => {
        if (session === null) {
          webSocket.close(sessionEndedCode);
          return;
        }
        onPage?.(request.socket);
        const host = hostOf(session);
        const owner = ownerOf(session);
        const theirs = [...connected].filter((one) => ownerOf(one.session) === owner);
        for (const oldest of theirs.slice(0, Math.max(0, theirs.length + 1 - mostPages)))
          oldest.page.close('idle');
        const page = servePage(webSocket, { host, clock, onUse: () => sessions.touch(session) });
        let alive = true;
        webSocket.on('pong', () => {
          alive = true;
        });
        const entry: Connected<S> = {
          session,
          page,
          ping: () => {
            if (!alive) webSocket.terminate();
            else webSocket.ping();
            alive = false;
          },
        };
        connected.add(entry);
        webSocket.on('close', () => connected.delete(entry));
      });
    },
    endOver,
    sweep: () => {
      endOver();
      for (const entry of connected) if (!sessions.isOver(entry.session)) entry.ping();
    },
    dispose: () => {
      for (const { page } of connected) page.close('stopping');
      server.close();
    },
  };
}
