import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { nodeServer, publishSocket, requireDead } from '../../shared/ipc/index.ts';
import { fragmentFor } from '../bridge/console-session.ts';
import type { PageFiles } from '../host/page-files.ts';
import type { UiHost } from '../host/types.ts';
import { createHttpHandler, sessionPosts } from './http-handler.ts';
import { createNewcomers } from './newcomers.ts';
import { createPages } from './page-socket.ts';
import { exactHost, tunnelHost } from './same-origin.ts';
import type { HostRule } from './same-origin.ts';
import { createOneTimeLinks, createSessions } from './sessions.ts';

export interface ConsoleOptions {
  readonly host: Pick<UiHost, 'handle' | 'subscribe' | 'door'>;
  readonly files: PageFiles;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** A session that is idle for this long ends, in milliseconds. */
  readonly idleMs: number;
  /** How long a link that nobody used is valid, in milliseconds; default: an hour. */
  readonly linkTtlMs?: number;
  /** Port on loopback; 0 takes a free one. */
  readonly port: number;
  /** Also listen on this Unix socket, for `ssh -L`. */
  readonly socketPath?: string;
  /** A link was used and need not be kept any longer. */
  readonly onLinkUsed: () => void;
}

/** The running console. */
export interface Console {
  readonly port: number;
  /** A fresh one-time link. `view`: what the page shows first, such as `/asks/ID`. */
  newLink(view?: string): string;
  /** The same for the far end of a tunnel to the Unix socket. */
  newTunnelLink(localPort: number): string;
  dispose(): Promise<void>;
}

/** How long an unused link is valid. */
const usualLinkTtlMs = 60 * 60_000;
const sweepEveryMs = 30_000;
/** Connections that hold no page. */
export const mostNewcomers = 256;

/** Whoever sends slowly, or does not read what was sent, holds nothing for long. */
export const requestLimits = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
} as const;
/** A connection that moves nothing for so long ends; one that holds a page is looked after by it. */
export const socketTimeoutMs = 30_000;

/** Opens the console on loopback. Rejects when it cannot listen on the port or the socket. */
export async function openConsole(options: ConsoleOptions): Promise<Console> {
  const { host, files, clock, random, idleMs, linkTtlMs: ttlMs = usualLinkTtlMs } = options;
  const elapsed = (): number => clock.elapsed();
  const links = createOneTimeLinks({ now: elapsed, random, ttlMs });
  const sessions = createSessions({ now: elapsed, random, idleMs });
  // Every user of this machine reaches the port.
  const newcomers = createNewcomers({ clock, most: mostNewcomers });
  const onPage = (socket: Socket): void => newcomers.keep(socket);
  const pages = createPages({ hostOf: () => host, sessions, clock, onPage });
  const servers: Server[] = [];
  let withdraw = (): void => undefined;
  const { onLinkUsed: onSession } = options;
  const posts = sessionPosts({ links, sessions, door: host.door, onSession });
  const handle = createHttpHandler({ files, posts });

  const serverFor = (ruleOf: () => HostRule): Server => {
    const server = createServer(requestLimits);
    server.setTimeout(socketTimeoutMs);
    server.on('request', (request, response) => {
      const hostRule = ruleOf();
      handle(request, response, hostRule);
    });
    server.on('upgrade', (request, socket, head) => {
      pages.upgrade(request, socket, head, ruleOf());
    });
    servers.push(server);
    return server;
  };

  const rule = (): HostRule => exactHost(port);
  const loopback = [serverFor(rule), serverFor(rule)] as const;
  for (const server of loopback)
    server.on('connection', (socket: Socket) => newcomers.admit(socket));
  const port = await onLoopback(loopback, options.port);
  if (options.socketPath !== undefined) {
    const path = options.socketPath;
    await requireDead(path, inUse);
    const tunnel = nodeServer(serverFor(() => tunnelHost));
    withdraw = await publishSocket(path, tunnel);
  }

  let cancelSweep = (): void => undefined;
  const sweepLater = (): void => {
    cancelSweep = clock.after(sweepEveryMs, () => {
      pages.sweep();
      sweepLater();
    });
  };
  sweepLater();

  return {
    port,
    newLink: (view) => `http://localhost:${port}/${fragmentFor(links.issue(), view)}`,
    newTunnelLink: (localPort) => `http://localhost:${localPort}/${fragmentFor(links.issue())}`,
    dispose: async () => {
      cancelSweep();
      pages.dispose();
      withdraw();
      await Promise.all(servers.map(closed));
    },
  };
}

function inUse(path: string): Error {
  return refuse('concurrency-busy', `${path} is in use.`, 'Choose another path.');
}

const noSuchAddress: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT']);

/** A port that is taken in one of the two families is tried anew so often. */
const mostTries = 8;

/**
 * Listens on loopback in both families and returns the port. A browser tries `[::1]` first for
 * `localhost`, so that whoever had that place would be given the link. Throws when it is taken.
 */
async function onLoopback(
  [v4, v6]: readonly [Server, Server],
  wanted: number,
  tries = mostTries,
): Promise<number> {
  await listening(v4, { port: wanted, host: '127.0.0.1' });
  const { port } = v4.address() as AddressInfo;
  try {
    await listening(v6, { port, host: '::1', ipv6Only: true });
    return port;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // Where there is no such address nobody else can have it either.
    if (noSuchAddress.has(code)) return port;
    await closed(v4);
    if (code !== 'EADDRINUSE') throw error;
    if (wanted !== 0 || tries === 0) throw inUse(`Port ${port} of [::1]`);
    return onLoopback([v4, v6], wanted, tries - 1);
  }
}

export function listening(server: Server, address: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
