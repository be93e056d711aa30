import { createBridgeClient } from '../../bridge/bridge-client.ts';
import { retry, socketTo } from '../state/connection.ts';
import type { Connection, Link } from '../state/connection.ts';
import type { Bridge, BridgeCall, BridgeCalls } from '../../bridge/types.ts';
import { ticketByKey } from './identity.ts';

/** How long an answer may take until the network counts as gone, in milliseconds: longer than the host takes one. */
const patienceMs = 7_000;

/**
 * Says with each answer when it was sent, in the host's time, so that none counts which a network held
 * back; and gives the connection up, and with it the answer, where nothing comes back.
 */
function watched(bridge: Bridge, giveUp: () => void): Bridge {
  /** How far the host's time is ahead of ours; the push that was under way for the shortest time says it best. */
  let ahead = -Infinity;
  bridge.onConnection(() => (ahead = -Infinity));
  bridge.subscribe(({ now }) => (ahead = Math.max(ahead, now - performance.now())));
  const stamped = <C extends BridgeCall>(name: C, args: BridgeCalls[C]['args']) => {
    const sentAt = Math.max(0, Math.floor(performance.now() + ahead));
    if (name === 'answer') return { ...args, sentAt };
    const { answers } = args as BridgeCalls['answerMany']['args'];
    return { ...args, answers: answers.map((one) => ({ ...one, sentAt })) };
  };
  return {
    ...bridge,
    call: async (name, args) => {
      if (name !== 'answer' && name !== 'answerMany') return bridge.call(name, args);
      const timer = setTimeout(giveUp, patienceMs);
      const answer = await bridge.call(name, stamped(name, args));
      clearTimeout(timer);
      return answer;
    },
  };
}

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
  const giveUp = (): void => {
    const before = socket;
    if (before === null) return;
    socket = null;
    before.close();
    client.closed();
    later();
  };
  window.addEventListener('offline', giveUp);
  client.bridge.onConnection((connected) => {
    if (!connected) return;
    wait = retry.first;
    become('open');
  });
  void connect();
  return {
    bridge: watched(client.bridge, giveUp),
    enter: open,
    again: () => void connect(),
    onLink: (listener) => {
      listeners.add(listener);
      listener(link);
      return () => listeners.delete(listener);
    },
  };
}
