import { createBridgeClient } from '../../bridge/bridge-client.ts';
import { sessionEndedCode, socketPath, subprotocolsFor } from '../../bridge/console-session.ts';
import { forgetSession, openSession } from './session.ts';
import type { Connection, Link } from './types.ts';

/** Milliseconds before the first and before every later attempt at most. */
const retry = { first: 250, longest: 4000 };

/** The connection of a browser page to the console's host. It reconnects by itself until it ends. */
export function consoleConnection(): Connection {
  let socket: WebSocket | null = null;
  let link: Link = 'connecting';
  let wait = retry.first;
  const listeners = new Set<(link: Link) => void>();
  const client = createBridgeClient((text) => {
    if (socket?.readyState !== WebSocket.OPEN) throw new Error('The socket is not open.');
    socket.send(text);
  });
  const become = (next: Link): void => {
    link = next;
    for (const listener of listeners) listener(next);
  };
  const end = (): void => {
    forgetSession();
    become('ended');
  };

  const open = (session: string): void => {
    const address = new URL(socketPath, location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    socket = new WebSocket(address, subprotocolsFor(session));
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
      setTimeout(() => open(session), wait);
      wait = Math.min(retry.longest, wait * 2);
    });
  };

  client.bridge.onConnection((connected) => {
    if (!connected) return;
    wait = retry.first;
    become('open');
  });
  openSession().then(
    (session) => (session === null ? end() : open(session)),
    () => become('ended'),
  );

  return {
    bridge: client.bridge,
    onLink: (listener) => {
      listeners.add(listener);
      listener(link);
      return () => listeners.delete(listener);
    },
  };
}
