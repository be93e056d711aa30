import { createServer as createPlainServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';
import { WebSocketServer } from 'ws';
import { messageOf, refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import {
  channelOf,
  nodePath,
  nodeSubprotocol,
  socketOptions,
  tlsVersion,
  wireOver,
} from './carrier.ts';
import type { GatewayCertificate } from './certificate.ts';
import type { Channel } from './handshake.ts';
import type { TextWire } from './link.ts';
import { createTalk } from './talk.ts';
import type { Talk } from './talk.ts';

/** A connection on which a machine has to say who it is now. */
export interface Caller {
  readonly talk: Talk;
  readonly wire: TextWire;
  readonly channel: Channel;
  readonly address: string | null;
  /** Takes it out of the short time and the few places of those who have proven nothing. */
  readonly isProven: () => void;
}

export interface ListenerOptions {
  readonly host: string;
  /** 0: a free one. */
  readonly port: number;
  readonly certificate: GatewayCertificate;
  readonly clock: Clock;
  readonly onCaller: (caller: Caller) => void;
}

export interface NodeListener {
  readonly port: number;
  dispose(): Promise<void>;
}

/** Connections that have proven nothing: in all, from one address, and for how long. */
const mostStrangers = 64;
const mostFromOne = 8;
export const strangerMs = 20_000;
/** For a head of a request, which is a few lines. */
const headMs = 10_000;
const maxHead = 4_096;

/** Opens the port on which nodes call. Rejects with `config-invalid` where it cannot be had. */
export async function listenForNodes(options: ListenerOptions): Promise<NodeListener> {
  const { host, port, certificate, clock } = options;
  const server = createServer({
    key: certificate.key,
    cert: certificate.certificate,
    minVersion: tlsVersion,
    handshakeTimeout: headMs,
    headersTimeout: headMs,
    requestTimeout: headMs,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: maxHead,
  });
  const strangers = createStrangers(clock);
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    strangers.arrived(socket);
  });
  server.on('request', (_, response) => {
    response.writeHead(404, { connection: 'close' }).end();
  });
  // Whoever breaks off in TLS or in HTTP is nobody that anything is told of.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  server.on('clientError', (_, socket) => socket.destroy());
  acceptSockets(server, options, (socket) => {
    const key = keyOf(socket);
    return {
      address: plainAddress(socket.remoteAddress),
      isProven: () => strangers.known(key),
    };
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(notOpened(host, port, error)));
    server.listen(port, host, resolve);
  });
  server.on('error', () => undefined);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    dispose: async () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        strangers.dispose();
        for (const socket of open) socket.destroy();
      }),
  };
}

/** Connections that come by streams which something else has made. No port is opened for them. */
export interface StreamDoor {
  /** The node has connected, from `address`, by this stream; what is not a node ends the stream. */
  take(stream: Duplex, address: string): void;
  dispose(): void;
}

/** What speaks TLS and WebSocket over any stream, as nodes do over TCP, with the same certificate. */
export function openStreamDoor(options: StreamDoorOptions): StreamDoor {
  const { certificate, clock } = options;
  const secureContext = createSecureContext({
    key: certificate.key,
    cert: certificate.certificate,
    minVersion: tlsVersion,
  });
  const server = createPlainServer({
    headersTimeout: headMs,
    requestTimeout: headMs,
    maxHeaderSize: maxHead,
  });
  const streams = new Map<Duplex, { readonly address: string; readonly cancel: () => void }>();
  server.on('request', (_, response) => {
    response.writeHead(404, { connection: 'close' }).end();
  });
  server.on('clientError', (_, socket) => socket.destroy());
  acceptSockets(server, options, (socket) => {
    const entry = streams.get(socket);
    return { address: entry?.address ?? null, isProven: () => entry?.cancel() };
  });
  return {
    take: (stream, address) => {
      const socket = new TLSSocket(stream, { isServer: true, secureContext });
      const end = (): void => {
        streams.get(socket)?.cancel();
        streams.delete(socket);
        socket.destroy();
        stream.destroy();
      };
      streams.set(socket, { address, cancel: clock.after(strangerMs, end) });
      stream.on('error', end);
      stream.once('close', end);
      socket.on('error', end);
      socket.once('close', end);
      socket.once('secure', () => server.emit('connection', socket));
    },
    dispose: () => {
      for (const socket of streams.keys()) socket.destroy();
    },
  };
}

export type StreamDoorOptions = Pick<ListenerOptions, 'certificate' | 'clock' | 'onCaller'>;

function acceptSockets(
  server: Pick<Server, 'on'>,
  { certificate, clock, onCaller }: StreamDoorOptions,
  who: (socket: TLSSocket) => Pick<Caller, 'address' | 'isProven'>,
): void {
  const sockets = new WebSocketServer({
    ...socketOptions,
    noServer: true,
    clientTracking: false,
    handleProtocols: (offered) => (offered.has(nodeSubprotocol) ? nodeSubprotocol : false),
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(/ *, */u);
    // A page in a browser that was led here has no business with nodes.
    const isFromPage = request.headers.origin !== undefined;
    const isMeant = request.url === nodePath && offered.includes(nodeSubprotocol) && !isFromPage;
    if (!isMeant || !(socket instanceof TLSSocket)) {
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    const known = who(socket);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const wire = wireOver(webSocket, { clock, events: () => talk });
      const talk = createTalk(wire, clock);
      onCaller({
        talk,
        wire,
        channel: channelOf(socket, certificate.digest),
        ...known,
      });
    });
  });
}

interface Strangers {
  arrived(socket: Socket): void;
  known(key: string): void;
  dispose(): void;
}

/** Who has proven nothing gets few places and little time, whatever they do with them. */
function createStrangers(clock: Clock): Strangers {
  const waiting = new Map<string, { readonly address: string; readonly cancel: () => void }>();
  const known = (key: string): void => {
    waiting.get(key)?.cancel();
    waiting.delete(key);
  };
  return {
    known,
    arrived: (socket) => {
      const key = keyOf(socket);
      const address = socket.remoteAddress ?? '';
      const fromOne = [...waiting.values()].filter((each) => each.address === address);
      if (waiting.size >= mostStrangers || fromOne.length >= mostFromOne) {
        socket.destroy();
        return;
      }
      const cancel = clock.after(strangerMs, () => socket.destroy());
      waiting.set(key, { address, cancel });
      socket.once('close', () => known(key));
    },
    dispose: () => {
      for (const { cancel } of waiting.values()) cancel();
      waiting.clear();
    },
  };
}

/** One connection, as TCP and as TLS see it. */
function keyOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function plainAddress(address: string | undefined): string | null {
  return address?.replace(/^::ffff:(?=\d+\.)/u, '') ?? null;
}

function notOpened(host: string, port: number, error: unknown): Error {
  return refuse(
    'config-invalid',
    `Nodes cannot be listened for on ${host}, port ${port}: ${messageOf(error)}`,
    'Set nodes.listen in config.json to an address and a port of this machine that are free.',
    { cause: error },
  );
}
