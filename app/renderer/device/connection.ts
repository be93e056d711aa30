import { createBridgeClient } from '../../bridge/bridge-client.ts';
import { retry, socketTo } from '../state/connection.ts';
import type { Connection, Link } from '../state/connection.ts';
import { ticketByKey } from './identity.ts';

/**
 * The connection of a device. Each one takes a ticket of its own: a connection that broke comes back
 * by the device's key, behind the lock screen, and only its passkey opens more. Nothing is kept over it.
 */
export function deviceConnection(): Connection {
  let socket: WebSocket | null = null;
  let wait = retry.first;
  let link: Link = 'connecting';
  const listeners = new Set<(link: Link) => void>();
  const client = createBridgeClient({
    send: (text) => {
      if (socket?.readyState !== WebSocket.OPEN) throw new Error('The socket is not open.');
      socket.send(text);
    },
    restart: () => socket?.close(),
  });
  const become = (next: Link): void => {
    link = next;
    for (const listener of listeners) listener(next);
  };
  const later = (): void => {
    become('lost');
    setTimeout(() => void connect(), wait);
    wait = Math.min(retry.longest, wait * 2);
  };
  const open = (secret: string): void => {
    const before = socket;
    const made = socketTo(secret);
    socket = made;
    before?.close();
    if (before !== null) client.closed();
    made.addEventListener('open', () => socket === made && client.opened());
    made.addEventListener('message', ({ data }) => {
      if (socket === made && typeof data === 'string') client.receive(data);
    });
    made.addEventListener('close', () => {
      if (socket !== made) return;
      socket = null;
      client.closed();
      later();
    });
  };
  const connect = async (): Promise<void> => {
    if (socket !== null) return;
    try {
      const ticket = await ticketByKey();
      if (ticket === null) become('outside');
      else if (typeof ticket === 'string') open(ticket);
      else if (ticket.code === 'hmac-fail') become('ended');
      else later();
    } catch {
      later();
    }
  };
  client.bridge.onConnection((connected) => {
    if (!connected) return;
    wait = retry.first;
    become('open');
  });
  void connect();
  return {
    bridge: client.bridge,
    enter: open,
    again: () => void connect(),
    onLink: (listener) => {
      listeners.add(listener);
      listener(link);
      return () => listeners.delete(listener);
    },
  };
}
