import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { nodeServer, publishSocket, requireDead } from '../../shared/ipc/index.ts';
import { fragmentFor } from '../bridge/console-session.ts';
import type { PageFiles } from '../host/page-files.ts';
import type { UiHost } from '../host/types.ts';
import { createHttpHandler } from './http-handler.ts';
import { createPages } from './page-socket.ts';
import { exactHost, tunnelHost } from './same-origin.ts';
import type { HostRule } from './same-origin.ts';
import { createOneTimeLinks, createSessions } from './sessions.ts';

interface ConsoleOptions {
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
  dispose(): Promise<void>;
}

/** How long an unused link is valid. */
const linkTtlMs = 60 * 60_000;
const sweepEveryMs = 30_000;

/** Opens the console on loopback. Rejects when it cannot listen on the port or the socket. */
export async function openConsole(options: ConsoleOptions): Promise<Console> {
  const { host, files, clock, random, idleMs } = options;
  const elapsed = (): number => clock.elapsed();
  const links = createOneTimeLinks({ now: elapsed, random, ttlMs: linkTtlMs });
  const sessions = createSessions({ now: elapsed, random, idleMs });
  const pages = createPages({ host, sessions, clock });
  const servers: Server[] = [];
  let withdraw = (): void => undefined;

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
  await listening(loopback, options.port);
  const { port } = loopback.address() as AddressInfo;
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
    newLink: () => `http://127.0.0.1:${port}/${fragmentFor(links.issue())}`,
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

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
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
