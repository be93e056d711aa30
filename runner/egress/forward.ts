import {
  forwardedHeaders,
  hostProblem,
  hostText,
  isForwardedTrailer,
  isPath,
  parseAbsoluteForm,
  servicePath,
  targetText,
} from '../../shared/engine/index.ts';
import type { RawHeaders, ServiceTarget, Target, Transform } from '../../shared/engine/index.ts';
import { refilled, waitFor } from '../../shared/base/index.ts';
import { asRefusal, badRequest, denied } from './answers.ts';
import { Exchange, linesOf } from './exchange.ts';
import type { RequestHead } from './message.ts';
import { tooMany } from './permit.ts';
import type { Permission, Permits } from './permit.ts';
import type { EgressPorts, Who } from './ports.ts';
import { createReflections } from './reflect.ts';
import type { Reflections } from './reflect.ts';
import type { Wire } from './wire.ts';

interface Routed {
  readonly way: Permission;
  readonly target: Target;
  readonly path: string;
  /** Whether it goes out unencrypted. */
  readonly isPlain: boolean;
}

const none: ReadonlyMap<string, string | null> = new Map();

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

  /** A request and its answer. Never rejects: what goes wrong is the answer. */
  async request(wire: Wire, head: RequestHead): Promise<void> {
    try {
      const { expect } = head;
      if (expect !== null && expect.toLowerCase() !== '100-continue')
        return wire.refuse(badRequest('It expects what is not known.').refusal, 417);
      const isUpgrade = head.upgrade === 'websocket';
      if (isUpgrade && (head.hasLength || head.method !== 'GET'))
        throw badRequest('It changes the protocol and has a body.');
      // In a tunnel nothing is waited for that is there: requests come one by one, and many of them.
      const routed =
        wire.tunnel === null
          ? await this.#routed(wire, head)
          : this.#inTunnel(wire.tunnel, wire, head);
      const { way, target, isPlain } = routed;
      const transforms = way.transforms(isPlain);
      const secrets = isSecret(transforms) ? await this.#secretsOf(transforms, wire.who) : none;
      const { text, reflections } = this.#textOf(head, routed, { transforms, secrets, isUpgrade });
      const key = `${isPlain ? 'plain' : 'encrypted'} ${targetText(target)}`;
      const upstream = wire.upstreams.free(key) ?? (await wire.upstreams.open(key, way, isPlain));
      if (way.isRevoked()) throw denied(`${targetText(target)} is not allowed any more.`);
      if (wire.gone.aborted) return;
      const ended = this.#followed(wire.who, head, routed, transforms);
      const isTrailer = (name: string): boolean => isForwardedTrailer(name, transforms);
      new Exchange(wire, head, {
        text,
        upstream,
        reflections,
        isTrailer,
        isUpgrade,
        ended,
      }).start();
    } catch (error) {
      if (!wire.gone.aborted) wire.refuse(asRefusal(error));
    }
  }

  #inTunnel(way: Permission, wire: Wire, { method, url, headers }: RequestHead): Routed {
    requireNoTrace(method);
    const { target } = way;
    const wrong = hostProblem(headers, targetText(target), 443);
    if (wrong !== null) throw badRequest(wrong);
    if (url !== '*' && (!url.startsWith('/') || !isPath(url)))
      throw badRequest('Its path is none.');
    if (way.isRevoked()) throw denied(`${targetText(target)} is not allowed any more.`);
    this.#permits.count(wire.who);
    return { way, target, path: url, isPlain: false };
  }

  async #routed(wire: Wire, { method, url, headers }: RequestHead): Promise<Routed> {
    requireNoTrace(method);
    const called = servicePath(url);
    if (called !== null) return this.#routedToService(wire, called);
    const parsed = parseAbsoluteForm(url);
    if (!parsed.ok) throw badRequest(parsed.problem);
    const { target, path } = parsed;
    const wrong = hostProblem(headers, targetText(target), 80);
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

  async #secretsOf(
    transforms: readonly Transform[],
    who: Who,
  ): Promise<ReadonlyMap<string, string | null>> {
    const secrets = new Map<string, string | null>();
    for (const value of transforms.flatMap(({ set }) => Object.values(set ?? {})))
      if (typeof value !== 'string' && !secrets.has(value.secret))
        secrets.set(value.secret, await this.#ports.secret(value.secret, who));
    return secrets;
  }

  /** The head of a request as it leaves, and what its answer must not show. */
  #textOf(
    { method, headers, hasLength }: RequestHead,
    { target, path, isPlain }: Routed,
    { transforms, secrets, isUpgrade }: Leaving,
  ): { readonly text: string; readonly reflections: Reflections | null } {
    const usual = isPlain ? 80 : 443;
    const result = forwardedHeaders(headers, {
      authority: target.port === usual ? hostText(target) : targetText(target),
      transforms,
      secret: (name) => secrets.get(name) ?? null,
      isUpgrade,
    });
    if (!result.ok) throw badRequest(result.problem);
    // A server may wait for a body where nothing says that there is none.
    const isEmpty = !hasLength && !withoutBody.has(method);
    const given = [...secrets.values()].filter((value) => value !== null);
    const reflections = this.#reflections(given);
    const kept: RawHeaders = reflections?.asked(result.headers) ?? result.headers;
    const more = isEmpty ? 'Content-Length: 0\r\n' : '';
    return { text: `${method} ${path} HTTP/1.1\r\n${linesOf(kept)}${more}\r\n`, reflections };
  }

  /** Of requests that got a header of ours the record says what became of them; bodies are in none. */
  #followed(
    who: Who,
    { method }: RequestHead,
    { target, path }: Routed,
    transforms: readonly Transform[],
  ): ((status: number | null) => void) | null {
    if (transforms.length === 0) return null;
    const { clock, record, turnedAway } = this.#ports;
    const since = clock.elapsed();
    return (status) => {
      if (status === 401) turnedAway?.(target);
      if (record.request === undefined) return;
      const durationMs = Math.round(clock.elapsed() - since);
      const [plainPath = ''] = path.split('?', 1);
      record.request({ who, method, target, path: plainPath, status, durationMs });
    };
  }
}

interface Leaving {
  readonly transforms: readonly Transform[];
  readonly secrets: ReadonlyMap<string, string | null>;
  readonly isUpgrade: boolean;
}

const withoutBody: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** It would send back the headers as they arrived there. */
function requireNoTrace(method: string): void {
  if (method === 'TRACE') throw denied(`${method} is not passed on.`);
}

function isSecret(transforms: readonly Transform[]): boolean {
  return transforms.some(({ set }) =>
    Object.values(set ?? {}).some((value) => typeof value !== 'string'),
  );
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
