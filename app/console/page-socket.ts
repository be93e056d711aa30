import type { WebSocket } from 'ws';
import type { Clock } from '../../shared/clock/types.ts';
import { bridgeVersion, encodeMessage } from '../bridge/messages.ts';
import type { GoodbyeReason, HostMessage } from '../bridge/messages.ts';
import { decodePageMessage } from '../bridge/schemas/page-message.ts';
import type { AppState } from '../bridge/types.ts';
import type { UiHost } from '../host/types.ts';
import { createTokenBucket } from './token-bucket.ts';

export interface PageSocketOptions {
  readonly host: Pick<UiHost, 'handle' | 'subscribe'>;
  readonly clock: Clock;
  /** A person did something on this page. */
  readonly onUse: () => void;
}

/** One connected page. */
export interface PageSocket {
  /** Says goodbye with the reason, then closes. */
  close(reason: GoodbyeReason): void;
}

const callBurst = 100;
const callsPerSecond = 20;
/** Calls of one page that may be under way at once. */
const openCallLimit = 64;
/** WebSocket close codes. */
const policyViolation = 1008;
const goingAway = 1001;
/** A page that does not close its end by then is cut off. */
const closeTimeoutMs = 1_000;

/** Serves one page over a WebSocket: state pushes out, checked and rate-limited calls in. */
export function servePage(
  socket: WebSocket,
  { host, clock, onUse }: PageSocketOptions,
): PageSocket {
  const mayCall = createTokenBucket({
    now: () => clock.now(),
    burst: callBurst,
    perSecond: callsPerSecond,
  });
  let openCalls = 0;
  let next: AppState | null = null;
  let sending = false;

  const send = (message: HostMessage, sent?: () => void): void => {
    if (socket.readyState === socket.OPEN) socket.send(encodeMessage(message), sent);
  };
  /** A slow page gets the newest state when it is ready for it, not every one between. */
  const pushNext = (): void => {
    if (sending || next === null) return;
    const state = next;
    next = null;
    sending = true;
    send({ type: 'state', state }, () => {
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
    if (decoded === null || !decoded.ok || !mayCall() || openCalls >= openCallLimit) {
      socket.close(policyViolation);
      return;
    }
    onUse();
    openCalls += 1;
    const { id, name, args } = decoded.call;
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
