import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import { readJson } from '../../../shared/base/index.ts';
import type { Clock } from '../../../shared/base/index.ts';
import { GatewayFailure, failureOf } from './frames.ts';
import { checkFrame } from './frames.ts';
import type { EventFrame, ResponseFrame } from './frames.ts';

/** One open connection to a Gateway. */
export interface GatewayConnection {
  /** One call. Rejects with a `GatewayFailure` for a no, a silence, or the end of the connection. */
  call(method: string, params: object): Promise<unknown>;
  /** Ends it when nothing at all has come for this long. */
  expectTicks(ms: number): void;
  dispose(): void;
  /** Resolves with the reason once it has ended; never rejects. */
  readonly ended: Promise<string>;
}

interface ConnectionOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly onEvent: (event: EventFrame) => void;
  /** What is sent there and must stand in no sentence. */
  readonly secrets: readonly string[];
}

const openTimeoutMs = 15_000;
const callTimeoutMs = 30_000;
/** The Gateway's own limit for a frame. */
const largestFrame = 25 * 1024 * 1024;

interface Waiting {
  readonly resolve: (payload: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly cancel: () => void;
  readonly method: string;
}

/** Opens a connection; events come from the first moment on. */
export function openConnection({
  url,
  clock,
  onEvent,
  secrets,
}: ConnectionOptions): GatewayConnection {
  const socket = new WebSocket(url, {
    maxPayload: largestFrame,
    perMessageDeflate: false,
    handshakeTimeout: openTimeoutMs,
  });
  const waiting = new Map<string, Waiting>();
  let reason = 'the Gateway closed the connection';
  let quietMs: number | null = null;
  let cancelQuiet = (): void => undefined;

  const breakOff = (why: string): void => {
    reason = why;
    socket.terminate();
  };
  const heard = (): void => {
    cancelQuiet();
    if (quietMs !== null)
      cancelQuiet = clock.after(quietMs, () => breakOff('the Gateway fell silent'));
  };
  const answered = (frame: ResponseFrame): void => {
    const call = waiting.get(frame.id);
    if (call === undefined) return;
    waiting.delete(frame.id);
    call.cancel();
    if (frame.ok) call.resolve(frame.payload);
    else call.reject(failureOf(call.method, frame.error, secrets));
  };

  socket.on('message', (data, isBinary) => {
    heard();
    const frame = isBinary ? null : frameOf(data as Buffer);
    if (frame === null) breakOff('the Gateway sent what is not a frame');
    else if (frame.type === 'event') onEvent(frame);
    else answered(frame);
  });
  socket.on('error', (error) => {
    reason = error.message;
  });
  const ended = new Promise<string>((resolve) => {
    socket.once('close', () => {
      cancelQuiet();
      for (const { reject, cancel } of waiting.values()) {
        cancel();
        reject(new GatewayFailure(`The connection to OpenClaw's Gateway ended: ${reason}.`));
      }
      waiting.clear();
      resolve(reason);
    });
  });

  return {
    ended,
    expectTicks: (ms) => {
      quietMs = ms;
      heard();
    },
    dispose: () => socket.close(1000),
    call: async (method, params) =>
      new Promise((resolve, reject) => {
        const id = randomUUID();
        const cancel = clock.after(callTimeoutMs, () => {
          waiting.delete(id);
          reject(new GatewayFailure(`OpenClaw's Gateway did not answer ${method} in time.`));
        });
        waiting.set(id, { resolve, reject, cancel, method });
        socket.send(JSON.stringify({ type: 'req', id, method, params }), (error) => {
          if (error === undefined || error === null || !waiting.delete(id)) return;
          cancel();
          reject(new GatewayFailure(`OpenClaw's Gateway cannot be reached: ${error.message}.`));
        });
      }),
  };
}

function frameOf(data: Buffer): ResponseFrame | EventFrame | null {
  const checked = readJson(checkFrame, data);
  return checked.ok ? checked.value : null;
}
