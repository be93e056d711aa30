import { createServer } from 'node:http';
import type { Agent, IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { parseAuthority } from '../../shared/engine/index.ts';
import { answerOf, asRefusal, badRequest, endWith } from './answers.ts';
import { Forwarder } from './forward.ts';
import type { Wire } from './forward.ts';
import { createPermits, looksInto } from './permit.ts';
import type { Permission, Permits } from './permit.ts';
import type { EgressPorts, Who } from './ports.ts';
import { carry, listenAhead, sayEstablished } from './tunnel.ts';
import { createUpstreams } from './upstream.ts';

const handshakeMs = 15_000;

export interface EgressProxy {
  /** Takes a client's connection on; everything on it is decided for `who`. */
  serve(connection: Socket, who: Who): void;
  /** The settings may have changed: what they forbid by now is closed. */
  recheck(): void;
  /** The box is gone: closes all that came from it. */
  endBox(box: string): void;
  /** How many ways are open. */
  readonly open: () => number;
  /** Closes all connections at once. */
  dispose(): void;
}

/** The proxy: HTTP and CONNECT, for clients that each belong to one box. */
export function createEgressProxy(ports: EgressPorts): EgressProxy {
  return new Proxies(ports);
}

class Proxies implements EgressProxy {
  readonly #ports: EgressPorts;
  readonly #permits: Permits;
  readonly #forwarder: Forwarder;
  readonly #upstreams: () => Agent;
  readonly #wires = new WeakMap<Socket, Wire>();
  readonly #clients = new Map<Socket, Who>();
  readonly #outer: Server;
  readonly #inner: Server;

  constructor(ports: EgressPorts) {
    this.#ports = ports;
    this.#permits = createPermits(ports);
    this.#forwarder = new Forwarder(ports, this.#permits);
    this.#upstreams = createUpstreams(ports);
    this.#outer = this.#server().on('connect', (req: IncomingMessage, socket, head) => {
      // Answers to requests before it would run into the tunnel.
      if (this.#wireOf(req.socket).pending > 0) socket.destroy();
      else void this.#tunnel(req, socket as Socket, head);
    });
    this.#inner = this.#server().on('connect', (_req, socket) => {
      endWith(socket, badRequest('There is no tunnel in a tunnel.').refusal);
    });
    // They get their connections from us; it is this that has them watch for slow ones.
    for (const server of [this.#outer, this.#inner]) server.emit('listening');
  }

  serve(connection: Socket, who: Who): void {
    const clients = this.#clients;
    // Descriptors of the runner, which the gate needs as well.
    const own = [...clients.values()].filter(({ agent }) => agent === who.agent).length;
    if (clients.size >= mostClients || own >= mostOf(this.#ports, who)) {
      connection.destroy();
      return;
    }
    connection.on('error', () => connection.destroy());
    clients.set(connection, who);
    connection.once('close', () => clients.delete(connection));
    connection.setNoDelay(true);
    this.#attach(connection, who, null);
    this.#outer.emit('connection', connection);
  }

  recheck(): void {
    this.#permits.recheck();
  }

  endBox(box: string): void {
    this.#permits.revokeAll(box);
    for (const [client, who] of this.#clients) if (who.box === box) client.destroy();
  }

  open(): number {
    return this.#permits.open();
  }

  dispose(): void {
    this.#permits.revokeAll();
    for (const client of this.#clients.keys()) client.destroy();
    this.#outer.close();
    this.#inner.close();
  }

  /** A server that is the same for plain requests and for those out of a tunnel. */
  #server(): Server {
    const { headersMs = 15_000 } = this.#ports;
    const patience = { headersTimeout: headersMs, connectionsCheckingInterval: headersMs / 3 };
    const pass = (req: IncomingMessage, res: ServerResponse): void =>
      void this.#forwarder.request(this.#wireOf(req.socket), req, res);
    return createServer({ ...limits, ...patience })
      .on('request', pass)
      .on('checkContinue', pass)
      .on('checkExpectation', (_req, res) => {
        const { headers, body } = answerOf(badRequest('It expects what is not known.').refusal);
        res.writeHead(417, headers).end(body);
      })
      .on('upgrade', (req, socket, head) => {
        void this.#forwarder.upgrade(this.#wireOf(req.socket), req, socket as Socket, head);
      })
      .on('clientError', (error: NodeJS.ErrnoException, socket) => {
        const { code = '' } = error;
        const problem = clientProblems[code] ?? `It is not HTTP (${code}).`;
        if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
        else endWith(socket, badRequest(problem).refusal);
      });
  }

  #wireOf(socket: Socket): Wire {
    return this.#wires.get(socket) as Wire;
  }

  #attach(socket: Socket, who: Who, tunnel: Permission | null): void {
    const gone = new AbortController();
    const wire: Wire = {
      who,
      tunnel,
      ways: new Map(),
      agent: this.#upstreams(),
      gone: gone.signal,
      pending: 0,
    };
    this.#wires.set(socket, wire);
    socket.once('close', () => {
      gone.abort();
      wire.agent.destroy();
      for (const way of wire.ways.values()) way.then((one) => one.end(0, 0)).catch(() => {});
    });
  }

  async #tunnel(req: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    const wire = this.#wireOf(client);
    const parsed = parseAuthority(req.url ?? '', null);
    client.on('error', () => client.destroy());
    if (!parsed.ok) return endWith(client, badRequest(parsed.problem).refusal);
    const { target } = parsed;
    let way: Permission | null = null;
    const ahead = listenAhead(client, head, () => client.destroy());
    try {
      way = await this.#permits.permit(wire.who, target, 'CONNECT', wire.gone);
      if (looksInto(this.#ports, wire.who, target)) return await this.#lookInto(client, ahead, way);
      const upstream = await way.connect();
      const early = ahead();
      if (way.isRevoked() || client.destroyed) {
        upstream.destroy();
        client.destroy();
        return way.end(0, 0);
      }
      sayEstablished(client);
      carry(client, upstream, early, way);
    } catch (error) {
      ahead();
      way?.end(0, 0);
      endWith(client, asRefusal(error));
    }
  }

  /** Ends a tunnel's encryption here, because headers in it are to be changed. */
  async #lookInto(client: Socket, ahead: () => Buffer, way: Permission): Promise<void> {
    const { target, who } = way;
    const context = await (await this.#ports.authority()).contextFor(target.host);
    const head = ahead();
    if (way.isRevoked() || client.destroyed) {
      client.destroy();
      return way.end(0, 0);
    }
    sayEstablished(client);
    if (head.length > 0) client.unshift(head);
    const secure = new TLSSocket(client, {
      isServer: true,
      secureContext: context,
      ALPNProtocols: ['http/1.1'],
      // Another name than the tunnel's would be decided on by nobody.
      SNICallback: (name, done) => {
        const asked = parseAuthority(name, 443);
        const fits = asked.ok && asked.target.host === target.host;
        done(
          fits ? null : new Error('the name in the handshake is not that of the tunnel'),
          context,
        );
      },
    });
    const cancel = this.#ports.clock.after(handshakeMs, () => secure.destroy());
    const close = (): void => void secure.destroy();
    way.onRevoked(close);
    secure.on('error', close);
    client.on('error', close);
    // Who trusts no certificate of ours may leave without a word.
    secure.once('end', close);
    secure.once('close', () => {
      cancel();
      client.destroy();
      way.end(secure.bytesRead, secure.bytesWritten);
    });
    secure.once('secure', () => {
      cancel();
      secure.off('end', close);
      this.#attach(secure, who, way);
      this.#inner.emit('connection', secure);
    });
  }
}

/** Connections of clients of all boxes; each may have one more to its upstream. */
const mostClients = 4_000;

/** How many of an agent; none while its settings are not valid. */
function mostOf(ports: Pick<EgressPorts, 'settings'>, { agent }: Who): number {
  try {
    return ports.settings(agent).connections;
  } catch {
    return 0;
  }
}

const limits = {
  requestTimeout: 0,
  keepAliveTimeout: 60_000,
  maxHeaderSize: 32 * 1024,
  insecureHTTPParser: false,
  requireHostHeader: false,
  noDelay: true,
};

const clientProblems: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'Its headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'Its headers did not come in time.',
};
