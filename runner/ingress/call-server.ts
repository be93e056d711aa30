import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { compile, messageOf, parseJson, refusalOf, refuse } from '../../shared/base/index.ts';
import { boxCallSchema, maxExecBodyBytes } from '../../shared/wire/index.ts';
import type { BoxCall } from '../../shared/wire/index.ts';
import type { GateIo } from '../hosts/host.ts';
import type { Log } from '../service/log.ts';
import { frameStream, lastFrames } from './http/streams.ts';

/** Calls of one sandbox at once, and connections, which are descriptors of the runner. */
const mostCalls = 8;
const mostConnections = 64;

/** Where calls of one sandbox come in. */
export interface CallDoor {
  /** Stands in refusals that come before a request has an id. */
  readonly id: string;
  /** Does what a call wants, and tells `io` of its end. Throws a refusal. */
  readonly take: (call: BoxCall, io: GateIo, socket: Socket) => Promise<void>;
  /** Calls under way. */
  calls: number;
}

/** Serves calls out of sandboxes (`runner/client/shim.c`) on connections that doors bring. */
export function createCallServer(log: Pick<Log, 'warn'>) {
  const doors = new WeakMap<object, CallDoor>();
  const server = createServer(
    { keepAlive: false, headersTimeout: 5_000, requestTimeout: 30_000, maxHeaderSize: 4_096 },
    (request, response) => {
      const door = doors.get(request.socket);
      if (door === undefined) request.destroy();
      else void answer(request, response, { door, log });
    },
  );
  server.on('clientError', (_error, socket) => socket.destroy());
  // It gets its connections from the doors; it is this that has it watch for slow ones.
  server.emit('listening');
  return {
    serve: (socket: Socket, door: CallDoor): void => {
      doors.set(socket, door);
      server.emit('connection', socket);
    },
    dispose: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Connections of one sandbox: those that come before we know that it stands wait for that.
 *
 * @param isOutside whether whoever connects is not in it, and is not let in
 */
export function createEntrance(
  serve: (socket: Socket) => void,
  isOutside: (socket: Socket) => boolean,
) {
  const sockets = new Set<Socket>();
  const waiting: Socket[] = [];
  let isOpen = false;
  return {
    take: (socket: Socket): void => {
      if (sockets.size >= mostConnections || isOutside(socket)) {
        socket.destroy();
        return;
      }
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.once('close', () => sockets.delete(socket));
      if (isOpen) serve(socket);
      else waiting.push(socket);
    },
    open: (): void => {
      isOpen = true;
      for (const socket of waiting.splice(0)) serve(socket);
    },
    close: (): void => {
      for (const socket of sockets) socket.destroy();
    },
  };
}

const check = compile(boxCallSchema);

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { door, log }: { readonly door: CallDoor; readonly log: Pick<Log, 'warn'> },
): Promise<void> {
  response.shouldKeepAlive = false;
  const io = frameStream(response, lastFrames);
  door.calls += 1;
  try {
    if (door.calls > mostCalls)
      throw refuse(
        'concurrency-busy',
        'This sandbox has as many calls of tools under way as it may.',
        'Wait until one of them has ended.',
      );
    const call = await readCall(request);
    await door.take(call, io, request.socket);
  } catch (error) {
    const refusal = refusalOf(error) ?? inside(error, log);
    await letGo(request);
    await io.emit({ type: 'refused', id: door.id, refusal });
  } finally {
    door.calls -= 1;
    response.end();
  }
}

/** Takes what is still on its way, to nowhere: whoever cannot send all of it reads no answer. */
async function letGo(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return;
  await new Promise<void>((resolve) => {
    request.once('end', resolve).once('close', resolve).resume();
  });
}

function inside(error: unknown, log: Pick<Log, 'warn'>) {
  log.warn(`A call of a tool out of a sandbox failed: ${messageOf(error)}`);
  return refuse('host-unavailable', 'Interlock failed inside.', 'A person may look at its log.')
    .refusal;
}

async function readCall(request: IncomingMessage): Promise<BoxCall> {
  if (request.method !== 'POST' || request.url !== '/call') throw malformed('It is not a call.');
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= maxExecBodyBytes) chunks.push(chunk);
  });
  await letGo(request);
  if (!request.readableEnded) throw malformed('It is cut off.');
  if (length > maxExecBodyBytes) throw malformed('It is too long.');
  const parsed = parseJson(Buffer.concat(chunks));
  if (!parsed.ok) throw malformed(parsed.error);
  const checked = check(parsed.value);
  if (!checked.ok) throw malformed(checked.error);
  return checked.value;
}

function malformed(why: string): Error {
  return refuse('invalid-request', `The call of a tool cannot be read. ${why}`, 'Send it plainly.');
}
