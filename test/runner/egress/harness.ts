import { createServer as createHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { refuse } from '../../../shared/base/index.ts';
import { addressText, compileEgress, defaultEgress } from '../../../shared/engine/index.ts';
import type { EgressConfig, Rule } from '../../../shared/engine/index.ts';
import { ownUid, systemClock } from '../../../shared/home/index.ts';
import { openAuthority } from '../../../runner/egress/authority.ts';
import { createEgressProxy } from '../../../runner/egress/proxy.ts';
import type { EgressProxy } from '../../../runner/egress/proxy.ts';
import type { Authority, EgressPorts, WayEnd, WayRow } from '../../../runner/egress/ports.ts';

/** Public addresses that lead to servers on loopback in a test, by name. */
export const names: Readonly<Record<string, readonly string[]>> = {
  'up.example': ['8.8.8.8'],
  'a.up.example': ['8.8.8.8'],
  'other.example': ['8.8.4.4'],
  'private.example': ['10.0.0.1'],
  'mixed.example': ['8.8.8.8', '127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'six.example': ['2606:4700::1111'],
  localhost: ['127.0.0.1', '::1'],
};

export interface Rig {
  readonly proxy: EgressProxy;
  readonly port: number;
  readonly dialled: string[];
  readonly resolved: string[];
  readonly allowed: WayRow[];
  readonly refused: WayRow[];
  readonly ended: WayEnd[];
  readonly authority: Authority;
  /** Where connections to an address and port really go. */
  readonly servers: Map<string, number>;
  set(config: Partial<EgressConfig>): void;
  /** Puts other rules of the policy in force. */
  rule(rules: readonly Rule[]): void;
}

let sharedAuthority: Promise<Authority> | null = null;

async function testAuthority(): Promise<Authority> {
  sharedAuthority ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'interlock-egress-ca-'));
    const path = join(folder, 'ca.pem');
    const made = await openAuthority({ path, uid: ownUid(), now: () => Date.now() });
    rmSync(folder, { recursive: true, force: true });
    return made;
  })();
  return sharedAuthority;
}

/** A proxy with a world of its own: names lead where the table says, and addresses to loopback. */
export async function rig(
  config: Partial<EgressConfig>,
  ports: Partial<EgressPorts> = {},
): Promise<Rig> {
  const dialled: string[] = [];
  const resolved: string[] = [];
  const allowed: WayRow[] = [];
  const refused: WayRow[] = [];
  const ended: WayEnd[] = [];
  const servers = new Map<string, number>();
  const authority = await testAuthority();
  let settings: EgressConfig = { ...defaultEgress, presets: [], unknown: 'deny', ...config };
  let rules: readonly Rule[] = [];
  let id = 0;
  const proxy = createEgressProxy({
    clock: systemClock,
    newId: () => String((id += 1)),
    admit: () => {},
    settings: () => {
      const compiled = compileEgress(settings, { rules });
      if (!compiled.ok) throw refuse('config-invalid', compiled.problem, '');
      return { ...settings, policy: compiled.policy };
    },
    resolve: async (name) => {
      resolved.push(name);
      const found = names[name];
      if (found === undefined) throw new Error('ENOTFOUND');
      return found;
    },
    ownAddresses: () => ['9.9.9.9'],
    dial: (address, port, read) => {
      const to = `${addressText(address)}:${String(port)}`;
      dialled.push(to);
      const at = { host: '127.0.0.1', port: servers.get(to) ?? 1 };
      return connect({ ...read, ...at, allowHalfOpen: true });
    },
    secret: async (name) => (name === 'token' ? 'real-token' : null),
    authority: async () => authority,
    record: {
      allowed: async (row) => void allowed.push(row),
      refused: (row) => void refused.push(row),
      ended: (row) => void ended.push(row),
    },
    log: { warn: () => {}, error: () => {} },
    ...ports,
  });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    proxy.serve(socket, { agent: 'claude', session: 's', box: 'box-1', cwd: '/work' });
  });
  const port = await listening(server);
  onTestFinished(async () => {
    proxy.dispose();
    await closed(server);
  });
  return {
    proxy,
    port,
    dialled,
    resolved,
    allowed,
    refused,
    ended,
    authority,
    servers,
    rule: (changed) => {
      rules = changed;
      proxy.recheck();
    },
    set: (changed) => {
      settings = { ...settings, ...changed };
      proxy.recheck();
    },
  };
}

export async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

export async function closed(server: Server): Promise<void> {
  if ('closeAllConnections' in server)
    (server as { closeAllConnections(): void }).closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** A server of one's own for a test, closed with it. */
export async function serving(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  const port = await listening(server);
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return port;
}

/** A connection to the proxy, and what came back on it. */
export interface Talk {
  readonly socket: Socket;
  /** Settles once what came back holds this. */
  until(text: string | RegExp): Promise<string>;
  /** All that came back until the other side ended. */
  readonly all: Promise<string>;
  readonly closed: Promise<void>;
}

export function talk(port: number, first = ''): Talk {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  const watchers = new Set<() => void>();
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    for (const watch of watchers) watch();
  });
  socket.on('error', () => {});
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const ended = new Promise<void>((resolve) => {
    socket.once('end', () => resolve());
    socket.once('close', () => resolve());
  });
  if (first !== '') socket.write(Buffer.from(first, 'latin1'));
  onTestFinished(() => void socket.destroy());
  return {
    socket,
    closed: gone,
    all: ended.then(() => text),
    until: async (wanted) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const isThere = typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
          if (!isThere) return;
          watchers.delete(look);
          resolve(text);
        };
        watchers.add(look);
        const late = (): void => {
          look();
          reject(new Error(`ended without ${String(wanted)}: ${text.slice(0, 400)}`));
        };
        void ended.then(late);
        look();
      }),
  };
}

/** Opens a tunnel and settles with the talk in it, or with what was said instead. */
export async function tunnelled(
  port: number,
  to: string,
): Promise<Talk & { readonly said: string }> {
  const said = talk(port, `CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n\r\n`);
  return { ...said, said: await said.until('\r\n\r\n') };
}

/** A plain request to a host, and the same as the last one of its connection. */
export const get = (host: string, more = ''): string =>
  `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
export const ask = (host: string, more = ''): string => get(host, `Connection: close\r\n${more}`);

/** A web server behind `up.example:80` that says what it got. */
export async function web(one: Rig, at = '8.8.8.8:80'): Promise<IncomingMessage[]> {
  const seen: IncomingMessage[] = [];
  const server = createHttp((req, res) => {
    seen.push(req);
    let body = '';
    req.on('data', (chunk) => (body += String(chunk)));
    req.on('end', () => res.end(`${req.method ?? ''} ${req.url ?? ''} ${body.length} ok`));
  });
  one.servers.set(at, await serving(server));
  return seen;
}
