import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Clock } from '../../shared/clock/types.ts';
import { pageMessageLimit } from '../bridge/messages.ts';
import { sessionEndedCode, sessionOf, socketPath, subprotocol } from '../bridge/console-session.ts';
import type { UiHost } from '../host/types.ts';
import { servePage } from './page-socket.ts';
import type { PageSocket } from './page-socket.ts';
import { isFromOurPage } from './same-origin.ts';
import type { HostRule } from './same-origin.ts';
import type { Session, Sessions } from './sessions.ts';

export interface PagesOptions {
  readonly host: Pick<UiHost, 'handle' | 'subscribe'>;
  readonly sessions: Sessions;
  readonly clock: Clock;
}

/** All connected pages. */
export interface Pages {
  /** Takes over a connection that asks for a WebSocket; anything doubtful is closed unanswered. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, rule: HostRule): void;
  /** Ends pages whose session is over, and drops those whose network died. */
  sweep(): void;
  closeAll(): void;
}

interface Connected {
  readonly session: Session;
  readonly page: PageSocket;
  readonly ping: () => void;
}

/** No pages yet. */
export function createPages({ host, sessions, clock }: PagesOptions): Pages {
  const connected = new Set<Connected>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: pageMessageLimit,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });

  return {
    upgrade: (request, socket, head, rule) => {
      socket.on('error', () => socket.destroy());
      if (request.url !== socketPath || !isFromOurPage(request.headers, rule)) {
        socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
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
        const page = servePage(webSocket, { host, clock, onUse: () => sessions.touch(session) });
        let alive = true;
        webSocket.on('pong', () => {
          alive = true;
        });
        const entry: Connected = {
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
    sweep: () => {
      for (const entry of connected) {
        if (sessions.isOver(entry.session)) entry.page.close('idle');
        else entry.ping();
      }
    },
    closeAll: () => {
      for (const { page } of connected) page.close('stopping');
      server.close();
    },
  };
}
