import { request as httpRequest } from 'node:http';
import type {
  Agent,
  ClientRequest,
  IncomingMessage,
  RequestOptions,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import {
  forwardedHeaders,
  hostProblem,
  hostText,
  isPath,
  parseAbsoluteForm,
  servicePath,
  targetText,
} from '../../shared/engine/index.ts';
import type { RawHeaders, ServiceTarget, Target } from '../../shared/engine/index.ts';
import { messageOf, refilled, waitFor } from '../../shared/base/index.ts';
import { answerOf, asRefusal, badRequest, denied, endWith, upstreamGone } from './answers.ts';
import { bodyOf, giveBack, giveOn, headOf, trailersOf } from './give-back.ts';
import { tooMany } from './permit.ts';
import type { Permission, Permits } from './permit.ts';
import type { EgressPorts, Who } from './ports.ts';
import { createReflections } from './reflect.ts';
import type { Reflections } from './reflect.ts';
import { join } from './tunnel.ts';
import { neverLookedUp } from './upstream.ts';

/** One connection of a client, as far as requests on it are read. */
export interface Wire {
  readonly who: Who;
  /** The tunnel that the requests come through, where it is looked into; null for plain requests. */
  readonly tunnel: Permission | null;
  /** Ways that plain requests on it have taken, by target. */
  readonly ways: Map<string, Promise<Permission>>;
  /** Connections to upstreams belong to one client's connection and to no other. */
  readonly agent: Agent;
  readonly gone: AbortSignal;
  /** Requests that are not answered yet. */
  pending: number;
}

/** A request on its way, and what its answer must not show. */
interface Sent {
  readonly sent: ClientRequest;
  readonly reflections: Reflections | null;
}

interface Routed {
  readonly way: Permission;
  readonly target: Target;
  readonly path: string;
  /** Whether it goes out unencrypted. */
  readonly isPlain: boolean;
}

/** Passes requests on and answers back; the same for plain ones and for those out of a tunnel. */
export class Forwarder {
  readonly #ports: EgressPorts;
  readonly #permits: Permits;
  readonly #rates: ReturnType<typeof createServiceRates>;
  readonly #reflections: ReturnType<typeof createReflections>;

  constructor(ports: EgressPorts, permits: Permits) {
    this.#ports = ports;
    this.#permits = permits;
    this.#rates = createServiceRates(ports);
    this.#reflections = createReflections(ports.clock);
  }

  async #routed(wire: Wire, req: IncomingMessage): Promise<Routed> {
    const { url = '', method = '', rawHeaders } = req;
    // It would send back the headers as they arrived there.
    if (/^(?:trace|track)$/iu.test(method)) throw denied(`${method} is not passed on.`);
    if (wire.tunnel !== null) {
      const { target } = wire.tunnel;
      const wrong = hostProblem(rawHeaders, targetText(target), 443);
      if (wrong !== null) throw badRequest(wrong);
      if (url !== '*' && (!url.startsWith('/') || !isPath(url)))
        throw badRequest('Its path is none.');
      if (wire.tunnel.isRevoked()) throw denied(`${targetText(target)} is not allowed any more.`);
      this.#permits.count(wire.who);
      return { way: wire.tunnel, target, path: url, isPlain: false };
    }
    const called = servicePath(url);
    if (called !== null) return this.#routedToService(wire, called);
    const parsed = parseAbsoluteForm(url);
    if (!parsed.ok) throw badRequest(parsed.problem);
    const { target, path } = parsed;
    const wrong = hostProblem(rawHeaders, targetText(target), 80);
    if (wrong !== null) throw badRequest(wrong);
    return { way: await this.#wayOf(wire, target, 'HTTP'), target, path, isPlain: true };
  }

  /** A request to the proxy itself, for a service whose key is added. */
  async #routedToService(
    wire: Wire,
    called: { readonly name: string; readonly path: string },
  ): Promise<Routed> {
    const { services } = this.#ports.settings(wire.who.agent).policy;
    const service = services.find(({ name }) => name === called.name);
    if (service === undefined) throw denied(`There is no service "${called.name}" here.`);
    const path = `${service.path}${called.path.startsWith('/') ? '' : '/'}${called.path}`;
    // What is worked out on the way may lead out of the folder of the service.
    if (!isPath(path) || /(?:^|\/)(?:\.|%2e){1,2}(?:[/?]|$)/iu.test(path))
      throw badRequest('Its path is none.');
    this.#rates.take(wire.who, service);
    const { target } = service;
    return { way: await this.#wayOf(wire, target, 'HTTPS'), target, path, isPlain: false };
  }

  async #wayOf(wire: Wire, target: Target, how: 'HTTP' | 'HTTPS'): Promise<Permission> {
    const key = `${how} ${targetText(target)}`;
    const known = await wire.ways.get(key)?.catch(() => null);
    if (known && !known.isRevoked()) {
      this.#permits.count(wire.who);
      return known;
    }
    const way = this.#permits.permit(wire.who, target, how, wire.gone).then((one) => {
      one.onRevoked(() => one.end(0, 0));
      return one;
    });
    wire.ways.set(key, way);
    // A no is no way: the next request asks anew.
    way.catch(() => wire.ways.delete(key));
    return way;
  }

  async #headersOf(
    { rawHeaders, headers, method = '' }: IncomingMessage,
    { way, target, isPlain }: Routed,
    isUpgrade: boolean,
  ): Promise<{ readonly headers: RawHeaders; readonly reflections: Reflections | null }> {
    const transforms = way.transforms(isPlain);
    const secrets = new Map<string, string | null>();
    for (const value of transforms.flatMap(({ set }) => Object.values(set ?? {})))
      if (typeof value !== 'string' && !secrets.has(value.secret))
        secrets.set(value.secret, await this.#ports.secret(value.secret));
    const usual = isPlain ? 80 : 443;
    const result = forwardedHeaders(rawHeaders, {
      authority: target.port === usual ? hostText(target) : targetText(target),
      transforms,
      secret: (name) => secrets.get(name) ?? null,
      isUpgrade,
    });
    if (!result.ok) throw badRequest(result.problem);
    const hasLength = 'content-length' in headers || 'transfer-encoding' in headers;
    // Else Node would announce a body in chunks where there is none.
    const empty = !hasLength && !/^(?:get|head|delete|options)$/iu.test(method);
    const given = [...secrets.values()].filter((value) => value !== null);
    const reflections = this.#reflections(given);
    const kept = reflections?.asked(result.headers) ?? result.headers;
    return { headers: empty ? [...kept, 'Content-Length', '0'] : kept, reflections };
  }

  async #send(wire: Wire, req: IncomingMessage, isUpgrade: boolean): Promise<Sent> {
    const found = await this.#routed(wire, req);
    const { headers, reflections } = await this.#headersOf(req, found, isUpgrade);
    const { target, path, way, isPlain } = found;
    const options = {
      method: req.method,
      path,
      host: hostText(target),
      port: target.port,
      setHost: false,
      agent: wire.agent,
      headers,
      // No name is looked up here, whatever becomes of our own way to connect.
      lookup: neverLookedUp,
      way,
      isPlain,
    };
    // The types know neither headers as they stand nor what our own agent is told.
    const sent = httpRequest(options as unknown as RequestOptions);
    this.#follow(wire, req, sent, found);
    return { sent, reflections };
  }

  /** Of requests that got a header of ours the record says what became of them; bodies are in none. */
  #follow(
    { who }: Wire,
    { method = '' }: IncomingMessage,
    sent: ClientRequest,
    { way, target, path, isPlain }: Routed,
  ): void {
    if (way.transforms(isPlain).length === 0) return;
    const since = this.#ports.clock.elapsed();
    let status: number | null = null;
    sent.once('response', ({ statusCode = null }) => {
      status = statusCode;
      if (status === 401) this.#ports.turnedAway?.(target);
    });
    sent.once('close', () => {
      const durationMs = Math.round(this.#ports.clock.elapsed() - since);
      const [plainPath = ''] = path.split('?', 1);
      this.#ports.record.request?.({ who, method, target, path: plainPath, status, durationMs });
    });
  }

  #refuseOn(wire: Wire, res: ServerResponse, error: unknown): void {
    const { status, headers, body } = answerOf(asRefusal(error));
    if (res.headersSent || wire.gone.aborted) return void res.destroy();
    res.sendDate = false;
    res.writeHead(status, headers).end(body);
  }

  /** A request and its answer. */
  async request(wire: Wire, req: IncomingMessage, res: ServerResponse): Promise<void> {
    wire.pending += 1;
    res.once('close', () => (wire.pending -= 1));
    let way: Sent;
    try {
      way = await this.#send(wire, req, false);
    } catch (error) {
      return this.#refuseOn(wire, res, error);
    }
    const { sent, reflections } = way;
    sent.on('error', (error) => this.#refuseOn(wire, res, failureOf(error)));
    sent.on('continue', () => res.writeContinue());
    sent.on('response', (answer) => {
      try {
        reflections?.requireReadable(answer, req.method ?? '');
        giveBack(answer, res, reflections);
      } catch (error) {
        answer.destroy();
        this.#refuseOn(wire, res, error);
      }
    });
    res.once('close', () => {
      if (!res.writableFinished) sent.destroy();
    });
    const hasBody = 'content-length' in req.headers || 'transfer-encoding' in req.headers;
    if (!hasBody) return void sent.end();
    req.on('error', () => sent.destroy());
    this.#expectBody(req, sent, () => this.#refuseOn(wire, res, stalled()));
    req.on('end', () => {
      if (Object.keys(req.trailers).length > 0) sent.addTrailers(trailersOf(req));
    });
    req.pipe(sent);
  }

  /** Ends a request whose body stops coming; one that its upstream does not take is not late. */
  #expectBody(req: IncomingMessage, sent: ClientRequest, refused: () => void): void {
    const { clock, bodyMs = 300_000 } = this.#ports;
    let last = clock.elapsed();
    let cancel = (): void => undefined;
    const look = (): void => {
      const left = sent.writableNeedDrain ? bodyMs : last + bodyMs - clock.elapsed();
      cancel = clock.after(Math.max(1, left), left > 0 ? look : late);
    };
    const late = (): void => {
      // What it says about its own end comes after ours.
      sent.removeAllListeners('error').on('error', () => {});
      sent.destroy();
      refused();
    };
    req.on('data', () => (last = clock.elapsed()));
    for (const event of ['end', 'close']) req.once(event, () => cancel());
    look();
  }

  /** A request for another protocol on the same connection: WebSocket, and no other. */
  async upgrade(wire: Wire, req: IncomingMessage, client: Socket, head: Buffer): Promise<void> {
    // Until there is somebody to hear of them.
    client.on('error', () => client.destroy());
    const isWebSocket = req.headers.upgrade?.toLowerCase() === 'websocket';
    const hasBody = 'content-length' in req.headers || 'transfer-encoding' in req.headers;
    if (hasBody || req.method !== 'GET')
      return endWith(client, badRequest('It changes the protocol and has a body.').refusal);
    let way: Sent;
    try {
      way = await this.#send(wire, req, isWebSocket);
    } catch (error) {
      return endWith(client, asRefusal(error));
    }
    const { sent, reflections } = way;
    client.once('close', () => sent.destroy());
    const isReadable = (answer: IncomingMessage): boolean => {
      try {
        reflections?.requireReadable(answer, 'GET');
        return true;
      } catch (error) {
        endWith(client, asRefusal(error));
        return false;
      }
    };
    sent.on('error', (error) => endWith(client, asRefusal(failureOf(error))));
    sent.on('upgrade', (answer, upstream, first) => {
      upstream.on('error', () => client.destroy());
      if (!isReadable(answer)) {
        upstream.destroy();
        return;
      }
      client.write(headOf(answer, ['Connection', 'Upgrade', 'Upgrade', 'websocket'], reflections));
      if (head.length > 0) upstream.write(head);
      join(client, upstream, () => {});
      giveOn(upstream, first, client, reflections);
    });
    sent.on('response', (answer) => {
      if (!isReadable(answer)) {
        answer.destroy();
        return;
      }
      client.write(headOf(answer, ['Connection', 'close'], reflections));
      bodyOf(answer, reflections).pipe(client);
      answer.on('error', () => client.destroy());
    });
    sent.end();
  }
}

/** Requests of one sandbox to one service. */
function createServiceRates({ clock }: Pick<EgressPorts, 'clock'>) {
  const known = new WeakMap<Who, Map<string, { tokens: number; at: number }>>();
  return {
    /** Throws `rate-limit`. */
    take: (who: Who, { name, requestsPerMinute: perMinute, burst }: ServiceTarget): void => {
      const buckets = known.get(who) ?? new Map<string, { tokens: number; at: number }>();
      known.set(who, buckets);
      const now = clock.elapsed();
      const { tokens: before, at } = buckets.get(name) ?? { tokens: burst, at: now };
      const rate = { perMinute, burst };
      const tokens = refilled(before, rate, now - at);
      buckets.set(name, { tokens: tokens < 1 ? tokens : tokens - 1, at: now });
      if (tokens < 1) throw tooMany(waitFor(tokens, rate));
    },
  };
}

function stalled(): Error {
  return badRequest('Its body has stopped coming.');
}

/** Refusals of ours come through as they are. */
function failureOf(error: Error): Error {
  return error.name === 'RefusalError' ? error : upstreamGone(messageOf(error));
}
