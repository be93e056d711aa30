import { IPCModule } from 'node-ipc';
import { lstatSync } from 'node:fs';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { refusalOf, refuse } from '../../base/index.ts';
import type { Clock, RefusalError } from '../../base/index.ts';
import { systemClock } from '../../home/index.ts';
import { openDoor } from './door.ts';
import type { Door } from './door.ts';
import type { Duplex } from './duplex.ts';
import { createLineParser } from './line-parser.ts';
import type { FaultCode, LineParser, LineState } from './line-parser.ts';
import { SocketDuplex } from './socket-duplex.ts';
import { checkFolder, claimSocket, inspectSocket, publishSocket } from './socket-path.ts';

/** Somebody answers at the path: a second approver must not take its place. */
function alreadyServed(path: string): RefusalError {
  return refuse(
    'concurrency-busy',
    `Another program already answers at ${path}.`,
    'Use the approver that runs, or stop it first.',
  );
}

function nobodyThere(path: string): RefusalError {
  return refuse(
    'approver-unavailable',
    `Nobody answers at ${path}.`,
    'Start the approver with "interlock ui".',
  );
}

function noPlatform(): RefusalError {
  return refuse(
    'host-unavailable',
    'Windows has no way to tell which user is at the other end of the approvals socket.',
    'Run the runner and the approver under WSL, Linux or macOS.',
  );
}

export interface Listener {
  readonly path: string;
  /** Stops listening, closes every connection and removes the socket file if it is still ours. */
  dispose(): Promise<void>;
}

export interface IpcOptions {
  readonly clock?: Clock;
  /** How long a frame may stay incomplete. Default 5 s. */
  readonly partialFrameMs?: number;
}

interface ConnectOptions extends IpcOptions {
  readonly timeoutMs: number;
}

/** Longest line in bytes, newline excluded. */
const maxFrameBytes = 256 * 1024;
const maxConnections = 128;

/**
 * Listens on a Unix socket. The folder must be ours and 0700 (it is made if absent), the socket is
 * 0600 from its first moment. `onConnection` is called in the turn of the connection.
 * Rejects with `concurrency-busy` when somebody answers at the path already (its socket is left
 * alone), with `config-invalid` when the path is unsafe: a symlink, a folder, a file, a foreign owner.
 */
export async function listen(
  path: string,
  onConnection: (duplex: Duplex) => void,
  options: IpcOptions = {},
): Promise<Listener> {
  if (process.platform === 'win32') throw noPlatform();
  const release = await claimSocket(path, alreadyServed);
  try {
    const close = await startServer(path, onConnection, options);
    return {
      path,
      async dispose() {
        await close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

async function startServer(
  path: string,
  onConnection: (duplex: Duplex) => void,
  options: IpcOptions,
): Promise<() => Promise<void>> {
  const clock = options.clock ?? systemClock;
  const parser = parserFor(options);
  const ipc = instance(parser);
  const duplexes = new WeakMap<Socket, SocketDuplex>();
  const serve = (temporary: string): Promise<void> => {
    ipc.serve(temporary);
    const { server } = ipc;
    server.on('connect', (socket) => {
      socket.allowHalfOpen = true;
      const duplex = new SocketDuplex(socket, {
        clock,
        write: (line) => server.emit(socket, 'line', line),
      });
      duplexes.set(socket, duplex);
      watchEnd(socket, parser, duplex);
      onConnection(duplex);
    });
    server.on('line', (line, socket) => duplexes.get(socket)?.line(line));
    server.on('fault', (code, socket) => duplexes.get(socket)?.fault(code as FaultCode));
    return new Promise((resolve, reject) => {
      server.on('start', () => resolve());
      server.on('error', reject);
      server.start();
    });
  };
  const withdraw = await publishSocket(path, { listen: serve, close: () => ipc.server.stop() });
  return async () => {
    withdraw();
    await new Promise<void>((resolve) => {
      ipc.server.server.once('close', resolve);
      ipc.server.stop();
    });
  };
}

/**
 * Connects to a Unix socket. Rejects with `approver-unavailable` when nobody answers within
 * `timeoutMs`, and with `config-invalid` when the path is unsafe.
 */
export async function connect(path: string, options: ConnectOptions): Promise<Duplex> {
  if (process.platform === 'win32') throw noPlatform();
  if (lstatSync(dirname(path), { throwIfNoEntry: false }) === undefined) throw nobodyThere(path);
  checkFolder(dirname(path));
  if (inspectSocket(path) === 'absent') throw nobodyThere(path);
  const clock = options.clock ?? systemClock;
  const deadline = clock.elapsed() + options.timeoutMs;
  const door = doorOf(path);
  try {
    for (let attempt = 0; ; attempt += 1) {
      const connected = await connectOnce(door.path, options, deadline - clock.elapsed());
      if (connected instanceof SocketDuplex) return connected;
      // A full backlog is the one failure that passes by itself.
      if (connected !== 'EAGAIN' || attempt >= 5) throw nobodyThere(path);
      await new Promise<void>((resolve) => clock.after(10 * 2 ** attempt, resolve));
    }
  } finally {
    door.close();
  }
}

function doorOf(path: string): Door {
  try {
    return openDoor(path);
  } catch (error) {
    throw refusalOf(error) === undefined ? nobodyThere(path) : error;
  }
}

function connectOnce(
  path: string,
  options: ConnectOptions,
  timeoutMs: number,
): Promise<SocketDuplex | string> {
  const clock = options.clock ?? systemClock;
  const parser = parserFor(options);
  const ipc = instance(parser);
  ipc.connectTo('approver', path);
  const client = ipc.of['approver'];
  if (client === undefined) throw refuse('approver-unavailable', 'No client.', 'Try again.');
  const { socket } = client;
  socket.allowHalfOpen = true;
  return new Promise((resolve) => {
    const cancel = clock.after(Math.max(1, timeoutMs), () => {
      fail('ETIMEDOUT');
    });
    const fail = (code: string): void => {
      cancel();
      ipc.disconnect('approver');
      resolve(code);
    };
    client.on('error', (error: NodeJS.ErrnoException) => {
      fail(error.code ?? 'unknown');
    });
    client.on('connect', () => {
      cancel();
      const duplex = new SocketDuplex(socket, {
        clock,
        write: (line) => client.emit('line', line),
      });
      client.on('line', (line) => {
        duplex.line(line);
      });
      client.on('fault', (code) => {
        duplex.fault(code as FaultCode);
      });
      watchEnd(socket, parser, duplex);
      resolve(duplex);
    });
  });
}

function parserFor(options: IpcOptions): LineParser {
  return createLineParser({
    clock: options.clock ?? systemClock,
    maxBytes: maxFrameBytes,
    partialFrameMs: options.partialFrameMs ?? 5_000,
  });
}

/** An instance of its own: the package's default one holds a single server. */
function instance(parser: LineParser): IPCModule {
  const ipc = new IPCModule();
  Object.assign(ipc.config, {
    silent: true,
    logger: () => {},
    parser,
    unlink: false,
    secureSocketRoot: false,
    maxConnections,
    maxRetries: 0,
    stopRetrying: true,
  });
  return ipc;
}

/** node-ipc knows nothing of half-close: a last line without its newline, then the end of input. */
function watchEnd(socket: Socket, parser: LineParser, duplex: SocketDuplex): void {
  const state = (): LineState | '' =>
    (socket as Socket & { ipcBuffer?: LineState }).ipcBuffer ?? '';
  socket.on('end', () => {
    parser.finish(state(), (message) => {
      if (message.type === 'line') duplex.line(message.data);
      else duplex.fault(message.data);
    });
    duplex.inputEnded();
  });
  socket.on('close', () => {
    parser.drop(state());
  });
}
