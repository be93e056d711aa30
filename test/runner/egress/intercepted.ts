import { createHash } from 'node:crypto';
import { createServer as createHttp } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import { connect as connectTls, createServer as createTls } from 'node:tls';
import type { SecureContext, TLSSocket } from 'node:tls';
import type { EgressConfig } from '../../../shared/engine/index.ts';
import type { EgressPorts } from '../../../runner/egress/ports.ts';
import { rig, serving, tunnelled } from './harness.ts';
import type { Rig } from './harness.ts';

export const to = 'up.example:443';
const set = { authorization: { secret: 'token', prefix: 'Bearer ' } };
const config: Partial<EgressConfig> = {
  allow: ['up.example', 'other.example'],
  transforms: [{ host: 'up.example', set }],
};

export interface Upstream extends Rig {
  readonly seen: IncomingMessage[];
  readonly server: Server;
  readonly shaken: () => number;
  /** How many of them went on where an earlier one had begun. */
  readonly resumed: () => number;
}

/** The proxy, with a server behind `up.example:443` that has a certificate for the name. */
export async function upstream(
  changed: Partial<EgressConfig> = {},
  { certified = 'up.example', ...ports }: Partial<EgressPorts> & { certified?: string } = {},
): Promise<Upstream> {
  let context: SecureContext | null = null;
  let roots: string[] = [];
  const one = await rig({ ...config, ...changed }, { roots: () => roots, ...ports });
  context = await one.authority.contextFor(certified);
  roots = [one.authority.certificate];
  const seen: IncomingMessage[] = [];
  let shaken = 0;
  let resumed = 0;
  const server = createHttp((req, res) => {
    seen.push(req);
    const hash = createHash('sha256');
    req.on('data', (chunk) => hash.update(chunk as Buffer));
    req.on('end', () => res.end(`${req.method ?? ''} ${req.url ?? ''} ${hash.digest('hex')}`));
  });
  const secure = createTls({
    SNICallback: (_name, done) => done(null, context ?? undefined),
    ALPNProtocols: ['h2', 'http/1.1'],
  });
  secure.on('secureConnection', (socket) => {
    shaken += 1;
    if (socket.isSessionReused()) resumed += 1;
    server.emit('connection', socket);
  });
  secure.on('tlsClientError', () => {});
  one.servers.set('8.8.8.8:443', await serving(secure));
  return { ...one, seen, server, shaken: () => shaken, resumed: () => resumed };
}

export interface Shaken {
  readonly socket: TLSSocket;
  readonly said: (bytes: string) => void;
  readonly until: (text: string) => Promise<string>;
  readonly ended: Promise<string>;
}

/** A client's encrypted connection through a tunnel. */
export async function shake(
  one: Rig,
  client: {
    readonly ca?: readonly string[] | null;
    readonly servername?: string | null;
    readonly alpn?: readonly string[];
  } = {},
): Promise<Shaken> {
  const { ca = [one.authority.certificate], servername = 'up.example', alpn = null } = client;
  const { socket: raw } = await tunnelled(one.port, to);
  raw.removeAllListeners('data');
  return new Promise((resolve, reject) => {
    const socket = connectTls({
      socket: raw,
      ...(servername !== null && { servername }),
      ...(servername === null && { checkServerIdentity: () => undefined }),
      ...(ca !== null && { ca: [...ca] }),
      ...(alpn !== null && { ALPNProtocols: [...alpn] }),
    });
    let text = '';
    const watchers = new Set<() => void>();
    socket.on('error', (error) => {
      raw.destroy();
      reject(error);
    });
    socket.on('data', (chunk) => {
      text += String(chunk);
      for (const watch of watchers) watch();
    });
    const ended = new Promise<string>((done) => {
      socket.once('end', () => done(text));
      socket.once('close', () => done(text));
    });
    const until = async (wanted: string): Promise<string> =>
      new Promise((found, lost) => {
        const look = (): void => {
          if (text.includes(wanted)) found(text);
        };
        watchers.add(look);
        void ended.then(() => lost(new Error(`ended without ${wanted}: ${text}`)));
        look();
      });
    socket.once('secureConnect', () =>
      resolve({ socket, ended, until, said: (bytes) => void socket.write(bytes) }),
    );
  });
}

/** A request in the tunnel. */
export const get = (more = '', path = '/'): string =>
  `GET ${path} HTTP/1.1\r\nHost: up.example\r\n${more}\r\n`;
