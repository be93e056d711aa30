import { refuse } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import { bridgeVersion, decodeHostMessage, encodeMessage, isTooLong } from './messages.ts';
import type { GoodbyeReason, PageMessage } from './messages.ts';
import { applyPush } from './state-push.ts';
import type { AppState, Bridge, BridgeCall, BridgeCalls, BridgeResult } from './types.ts';

/** The page's end of the message protocol, independent of the transport. */
interface BridgeClient {
  readonly bridge: Bridge;
  /** The transport is open: from now on `send` may be called. */
  opened(): void;
  /** The transport is gone: open calls are refused, and the page is told. */
  closed(): void;
  /** A text from the host. */
  receive(text: string): void;
  /** Why the host said goodbye last, or null: after a goodbye a shell does not reconnect. */
  farewell(): GoodbyeReason | null;
}

const notConnected: Refusal = refuse(
  'host-unavailable',
  'The connection to Interlock is gone.',
  'Nothing was sent. Wait for the connection to come back, or open a new link.',
).refusal;

const lost: Refusal = refuse(
  'host-unavailable',
  'The connection to Interlock broke before the answer came.',
  'Look at the queue and the history to see whether it counted.',
).refusal;

const tooLong: Refusal = refuse(
  'invalid-request',
  'This is more than Interlock takes at once.',
  'Nothing was sent. Save what you changed first, or take less at once.',
).refusal;

interface Transport {
  /** Throws when it cannot take the text. */
  readonly send: (text: string) => void;
  /** Drops the connection and makes a new one: a change did not fit the state that the page has. */
  readonly restart: () => void;
}

type Resolver = (answer: BridgeResult<BridgeCall>) => void;

/** The calls that wait for their answers. */
function createCalls(send: Transport['send']) {
  const open = new Map<number, Resolver>();
  let lastId = 0;
  return {
    make: async <C extends BridgeCall>(
      name: C,
      args: BridgeCalls[C]['args'],
    ): Promise<BridgeResult<C>> =>
      new Promise((resolve) => {
        lastId += 1;
        const id = lastId;
        const text = encodeMessage({ type: 'call', id, name, args } as PageMessage);
        if (isTooLong(text)) {
          resolve({ ok: false, refusal: tooLong });
          return;
        }
        open.set(id, resolve as Resolver);
        try {
          send(text);
        } catch {
          open.delete(id);
          resolve({ ok: false, refusal: notConnected });
        }
      }),
    settle: (id: number, answer: BridgeResult<BridgeCall>): void => {
      open.get(id)?.(answer);
      open.delete(id);
    },
    /** The connection broke: none of them is answered any more. */
    lose: (): void => {
      for (const resolve of open.values()) resolve({ ok: false, refusal: lost });
      open.clear();
    },
  };
}

/** A `Bridge` over any transport that carries text. */
export function createBridgeClient({ send, restart }: Transport): BridgeClient {
  const listeners = new Set<(state: AppState) => void>();
  const connectionListeners = new Set<(connected: boolean) => void>();
  const calls = createCalls(send);
  let state: AppState | null = null;
  let connected = false;
  let farewell: GoodbyeReason | null = null;

  const setConnected = (value: boolean): void => {
    if (connected === value) return;
    connected = value;
    for (const listener of connectionListeners) listener(value);
  };
  const closed = (): void => {
    calls.lose();
    setConnected(false);
  };

  const bridge: Bridge = {
    subscribe: (listener) => {
      listeners.add(listener);
      if (state !== null) listener(state);
      return () => listeners.delete(listener);
    },
    onConnection: (listener) => {
      connectionListeners.add(listener);
      listener(connected);
      return () => connectionListeners.delete(listener);
    },
    call: async (name, args) =>
      connected ? calls.make(name, args) : { ok: false, refusal: notConnected },
  };

  return {
    bridge,
    opened: () => {
      farewell = null;
    },
    closed,
    farewell: () => farewell,
    receive: (text) => {
      const message = decodeHostMessage(text);
      if (message === null) return;
      switch (message.type) {
        case 'connection':
          if (message.connected && message.version === bridgeVersion) setConnected(true);
          else {
            farewell = message.connected ? 'version' : message.reason;
            closed();
          }
          break;
        case 'state':
        case 'change': {
          const next = applyPush(state, message);
          if (next === null) {
            restart();
            break;
          }
          state = next;
          for (const listener of listeners) listener(next);
          break;
        }
        case 'result':
          calls.settle(message.id, message.answer);
          break;
      }
    },
  };
}
