import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { parseAuthority } from '../../shared/engine/index.ts';
import { answerOf, asRefusal, badRequest, endWith } from './answers.ts';
import { createForwarder } from './forward.ts';
import type { Wire } from './forward.ts';
import { createPermits, looksInto } from './permit.ts';
import type { Permission } from './permit.ts';
import type { EgressPorts, Who } from './ports.ts';
import { carry, listenAhead, sayEstablished } from './tunnel.ts';

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
  const permits = createPermits(ports);
  const forwarder = createForwarder(ports, permits);
  const wires = new WeakMap<Socket, Wire>();
  const clients = new Map<Socket, Who>();
  const { headersMs = 15_000 } = ports;
  const patience = { headersTimeout: headersMs, connectionsCheckingInterval: headersMs / 3 };
  const outer = createServer({ ...limits, ...patience });
  const inner = createServer({ ...limits, ...patience });

  const wireOf = (socket: Socket): Wire => wires.get(socket) as Wire;
  const attach = (socket: Socket, who: Who, tunnel: Permission | null): void => {
    const gone = new AbortController();
    const wire: Wire = {
      who,
      tunnel,
      ways: new Map(),
      agent: forwarder.agent(),
      gone: gone.signal,
      pending: 0,
    };
    wires.set(socket, wire);
    socket.once('close', () => {
      gone.abort();
      wire.agent.destroy();
      for (const way of wire.ways.values()) way.then((one) => one.end(0, 0)).catch(() => {});
    });
  };

  /** Ends a tunnel's encryption here, because headers in it are to be changed. */
  const lookInto = async (client: Socket, ahead: () => Buffer, way: Permission): Promise<void> => {
    const { target, who } = way;
    const context = await (await ports.authority()).contextFor(target.host);
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
    const cancel = ports.clock.after(handshakeMs, () => secure.destroy());
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
      attach(secure, who, way);
      inner.emit('connection', secure);
    });
  };

  const tunnel = async (req: IncomingMessage, client: Socket, head: Buffer): Promise<void> => {
    const wire = wireOf(client);
    const parsed = parseAuthority(req.url ?? '', null);
    client.on('error', () => client.destroy());
    if (!parsed.ok) return endWith(client, badRequest(parsed.problem).refusal);
    const { target } = parsed;
    let way: Permission | null = null;
    const ahead = listenAhead(client, head, () => client.destroy());
    try {
      way = await permits.permit(wire.who, target, 'CONNECT', wire.gone);
      if (looksInto(ports, wire.who, target)) return await lookInto(client, ahead, way);
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
  };

  const withPlainErrors = (server: Server): Server =>
    server
      .on('request', (req, res) => void forwarder.request(wireOf(req.socket), req, res))
      .on('checkContinue', (req, res) => void forwarder.request(wireOf(req.socket), req, res))
      .on('checkExpectation', (_req, res) => {
        const { headers, body } = answerOf(badRequest('It expects what is not known.').refusal);
        res.writeHead(417, headers).end(body);
      })
      .on('upgrade', (req, socket, head) => {
        void forwarder.upgrade(wireOf(req.socket), req, socket as Socket, head);
      })
      .on('clientError', (error: NodeJS.ErrnoException, socket) => {
        const { code = '' } = error;
        const problem = clientProblems[code] ?? `It is no HTTP (${code}).`;
        if (code === 'ECONNRESET' || !socket.writable) socket.destroy();
        else endWith(socket, badRequest(problem).refusal);
      });

  withPlainErrors(outer).on('connect', (req: IncomingMessage, socket, head) => {
    // Answers to requests before it would run into the tunnel.
    if (wireOf(req.socket).pending > 0) socket.destroy();
    else void tunnel(req, socket as Socket, head);
  });
  withPlainErrors(inner).on('connect', (_req, socket) => {
    endWith(socket, badRequest('There is no tunnel in a tunnel.').refusal);
  });

  // They get their connections from us; it is this that has them watch for slow ones.
  for (const server of [outer, inner]) server.emit('listening');
  return {
    serve: (connection, who) => {
      // Descriptors of the runner, which the gate needs as well.
      const own = [...clients.values()].filter(({ agent }) => agent === who.agent).length;
      if (clients.size >= mostClients || own >= mostOf(ports, who)) {
        connection.destroy();
        return;
      }
      connection.on('error', () => connection.destroy());
      clients.set(connection, who);
      connection.once('close', () => clients.delete(connection));
      connection.setNoDelay(true);
      attach(connection, who, null);
      outer.emit('connection', connection);
    },
    recheck: () => permits.recheck(),
    endBox: (box) => {
      permits.revokeAll(box);
      for (const [client, who] of clients) if (who.box === box) client.destroy();
    },
    open: () => permits.open(),
    dispose: () => {
      permits.revokeAll();
      for (const client of clients.keys()) client.destroy();
      outer.close();
      inner.close();
    },
  };
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
