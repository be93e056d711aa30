import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { parseAuthority } from '../../shared/engine/index.ts';
import { asRefusal, badRequest } from './answers.ts';
import { Forwarder } from './forward.ts';
import type { RequestHead } from './message.ts';
import { createPermits, looksInto } from './permit.ts';
import type { Permission, Permits } from './permit.ts';
import type { EgressPorts, Who } from './ports.ts';
import { carry, readingInto, sayEstablished } from './tunnel.ts';
import { createUpstreams } from './upstream.ts';
import type { Upstreams } from './upstream.ts';
import { Wire } from './wire.ts';

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
  readonly #upstreams: () => Upstreams;
  readonly #wires = new Set<Wire>();
  readonly #clients = new Map<Socket, Who>();
  /** Ends the look at who is late, which is taken while there is anybody. */
  #stopLooking: (() => void) | null = null;

  constructor(ports: EgressPorts) {
    this.#ports = ports;
    this.#permits = createPermits(ports);
    this.#forwarder = new Forwarder(ports, this.#permits);
    this.#upstreams = createUpstreams(ports);
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
    this.#stopLooking?.();
  }

  #attach(socket: Socket, who: Who, tunnel: Permission | null): void {
    const { clock, headersMs = 15_000, bodyMs = 300_000 } = this.#ports;
    const wire = new Wire(socket, {
      who,
      tunnel,
      upstreams: this.#upstreams(),
      clock,
      headersMs,
      bodyMs,
      asked: this.#asked,
      failed: (error) => this.#ports.log.error('A connection of a sandbox has failed', error),
    });
    this.#wires.add(wire);
    socket.once('close', () => this.#wires.delete(wire));
    if (this.#stopLooking === null) this.#lookForLate(Math.min(headersMs, bodyMs) / 3);
  }

  /** One look at all of them in a while: a timer for each request costs more than the rest of it. */
  #lookForLate(everyMs: number): void {
    this.#stopLooking = this.#ports.clock.after(everyMs, () => {
      this.#stopLooking = null;
      const now = this.#ports.clock.elapsed();
      for (const wire of this.#wires) wire.endIfLate(now);
      if (this.#wires.size > 0) this.#lookForLate(everyMs);
    });
  }

  readonly #asked = (wire: Wire, head: RequestHead): void => {
    if (head.method !== 'CONNECT') void this.#forwarder.request(wire, head);
    else if (wire.tunnel === null) void this.#tunnel(wire, head);
    else wire.refuse(badRequest('There is no tunnel in a tunnel.').refusal);
  };

  async #tunnel(wire: Wire, { url, framing }: RequestHead): Promise<void> {
    const parsed = parseAuthority(url, null);
    if (!parsed.ok) return wire.refuse(badRequest(parsed.problem).refusal);
    // Its body would be the begin of what is in the tunnel, or would not.
    if (framing !== 0) return wire.refuse(badRequest('A tunnel has no body.').refusal);
    const { target } = parsed;
    const client = wire.socket;
    let way: Permission | null = null;
    try {
      way = await this.#permits.permit(wire.who, target, 'CONNECT', wire.gone);
      if (looksInto(this.#ports, wire.who, target)) return await this.#lookInto(wire, way);
      const upstream = await way.connect(readingInto(client));
      const early = wire.handOver();
      if (way.isRevoked() || client.destroyed) {
        upstream.destroy();
        client.destroy();
        return way.end(0, 0);
      }
      sayEstablished(client);
      carry(client, upstream, early, way);
    } catch (error) {
      way?.end(0, 0);
      if (client.destroyed) return;
      wire.refuse(asRefusal(error));
    }
  }

  /** Ends a tunnel's encryption here, because headers in it are to be changed. */
  async #lookInto(wire: Wire, way: Permission): Promise<void> {
    const { target, who } = way;
    const client = wire.socket;
    const context = await (await this.#ports.authority()).contextFor(target.host);
    const head = wire.handOver();
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
