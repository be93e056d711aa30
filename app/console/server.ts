import { chmodSync, lstatSync, unlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { fragmentFor } from '../bridge/console-session.ts';
import type { PageFiles } from '../host/page-files.ts';
import type { UiHost } from '../host/types.ts';
import { createHttpHandler } from './http-handler.ts';
import { createPages } from './page-socket.ts';
import { exactHost, tunnelHost } from './same-origin.ts';
import type { HostRule } from './same-origin.ts';
import { createOneTimeLinks, createSessions } from './sessions.ts';

/**
 * Makes room for a socket: removes one that nobody answers on. Refuses to touch anything else,
 * and a socket that is in use.
 */
async function clearStaleSocket(path: string): Promise<void> {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return;
  if (!stats.isSocket()) {
    throw refuse(
      'config-invalid',
      `${path} is there already, and it is not a socket.`,
      'Choose another path.',
    );
  }
  if (await answers(path)) {
    throw refuse('concurrency-busy', `${path} is in use.`, 'Choose another path.');
  }
  unlinkSync(path);
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', () => resolve(false));
  });
}

export interface ConsoleOptions {
  readonly host: Pick<UiHost, 'handle' | 'subscribe'>;
  readonly files: PageFiles;
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  /** A session that is idle for this long ends, in milliseconds. */
  readonly idleMs: number;
  /** Port on 127.0.0.1; 0 takes a free one. */
  readonly port: number;
  /** Also listen on this Unix socket, for `ssh -L`. */
  readonly socketPath?: string;
  /** A link was used and need not be kept any longer. */
  readonly onLinkUsed: () => void;
}

/** The running console. */
export interface Console {
  readonly port: number;
  /** A fresh one-time link. */
  newLink(): string;
  /** The same for the far end of a tunnel to the Unix socket. */
  newTunnelLink(localPort: number): string;
  close(): Promise<void>;
}

/** How long an unused link is valid. */
const linkTtlMs = 60 * 60_000;
const sweepEveryMs = 30_000;

/** Opens the console on loopback. Rejects when it cannot listen on the port or the socket. */
export async function openConsole(options: ConsoleOptions): Promise<Console> {
  const { host, files, clock, random, idleMs } = options;
  const now = (): number => clock.now();
  const links = createOneTimeLinks({ now, random, ttlMs: linkTtlMs });
  const sessions = createSessions({ now, random, idleMs });
  const pages = createPages({ host, sessions, clock });
  const servers: Server[] = [];

  const serverFor = (ruleOf: () => HostRule): Server => {
    const server = createServer({ maxHeaderSize: 16 * 1024, requestTimeout: 15_000 });
    server.on('request', (request, response) => {
      const hostRule = ruleOf();
      createHttpHandler({ files, links, sessions, hostRule, onSession: options.onLinkUsed })(
        request,
        response,
      );
    });
    server.on('upgrade', (request, socket, head) => {
      pages.upgrade(request, socket, head, ruleOf());
    });
    servers.push(server);
    return server;
  };

  const loopback = serverFor(() => exactHost(port));
  await listening(loopback, { host: '127.0.0.1', port: options.port });
  const { port } = loopback.address() as AddressInfo;
  if (options.socketPath !== undefined) {
    await clearStaleSocket(options.socketPath);
    // The socket is made 0600: without the mask it would be open to others until the chmod.
    const mask = process.umask(0o177);
    try {
      await listening(
        serverFor(() => tunnelHost),
        { path: options.socketPath },
      );
    } finally {
      process.umask(mask);
    }
    chmodSync(options.socketPath, 0o600);
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
    newLink: () => `http://127.0.0.1:${port}/${fragmentFor(links.issue())}`,
    newTunnelLink: (localPort) => `http://localhost:${localPort}/${fragmentFor(links.issue())}`,
    close: async () => {
      cancelSweep();
      pages.closeAll();
      await Promise.all(servers.map(closed));
    },
  };
}

function listening(
  server: Server,
  where: { readonly host: string; readonly port: number } | { readonly path: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
