import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { refusalOf, refuse } from '../../shared/base/index.ts';
import {
  claimSocket,
  connectThroughDoor,
  nodeServer,
  publishSocket,
} from '../../shared/ipc/index.ts';
import { Rejection } from './talk.ts';
import type { Input, Output } from '../cli/io.ts';

/** Where streams to the gateway come in that somebody else has made. */
export interface StreamSocket {
  /** The next stream. Rejects with a `Rejection` where the signal gives up. */
  next(signal: AbortSignal): Promise<Socket>;
  dispose(): void;
}

/**
 * Listens on a socket of this home's own, for `interlock node stdio`. Who can open it has proven
 * nothing. One stream waits, the newest: an older one is of a connection that broke.
 */
export async function openStreamSocket(path: string): Promise<StreamSocket> {
  const release = await claimSocket(path, () =>
    refuse('concurrency-busy', 'Another process waits for the gateway here.', 'Stop it first.'),
  );
  let waiting: Socket | null = null;
  let taker: ((socket: Socket) => void) | null = null;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      if (waiting === socket) waiting = null;
    });
    if (taker !== null) taker(socket);
    else {
      waiting?.destroy();
      waiting = socket;
    }
  });
  try {
    const remove = await publishSocket(path, nodeServer(server));
    server.on('error', () => undefined);
    return {
      next: async (signal) => nextOf(signal),
      dispose: () => {
        waiting?.destroy();
        server.close();
        remove();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }

  async function nextOf(signal: AbortSignal): Promise<Socket> {
    if (waiting !== null) {
      const socket = waiting;
      waiting = null;
      return socket;
    }
    return new Promise((resolve, reject: (error: Rejection) => void) => {
      const gaveUp = (): void => {
        taker = null;
        reject(new Rejection('lost', 'The attempt was given up.'));
      };
      taker = (socket) => {
        taker = null;
        signal.removeEventListener('abort', gaveUp);
        resolve(socket);
      };
      signal.addEventListener('abort', gaveUp);
      if (signal.aborted) gaveUp();
    });
  }
}

/**
 * Passes what comes in on to the first of the sockets that answers, and back, until either side ends.
 * False where none answers.
 */
export async function relayToSocket(
  paths: readonly string[],
  { stdin, stdout }: { readonly stdin: Input; readonly stdout: Output },
): Promise<boolean> {
  for (const path of paths) {
    const socket = await opened(path);
    if (socket === null) continue;
    stdin.pipe(socket);
    socket.pipe(stdout, { end: false });
    stdin.once('error', () => socket.destroy());
    stdout.once('error', () => socket.destroy());
    await finished(socket).catch(() => undefined);
    stdin.unpipe();
    stdin.destroy();
    return true;
  }
  return false;
}

/** Null where nobody listens. Rejects with `config-invalid` for a socket that is not ours. */
async function opened(path: string): Promise<Socket | null> {
  return new Promise((resolve, reject: (error: unknown) => void) => {
    const failed = (error: unknown): void =>
      refusalOf(error) === undefined ? resolve(null) : reject(error);
    try {
      const socket = connectThroughDoor(path);
      socket.once('connect', () => resolve(socket));
      socket.once('error', failed);
    } catch (error) {
      failed(error);
    }
  });
}
