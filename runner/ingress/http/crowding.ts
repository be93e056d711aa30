import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { Socket } from 'node:net';
import { refuse } from '../../../shared/base/index.ts';
import { maxBodyBytes } from '../../../shared/wire/index.ts';

/** How much of the runner callers may take up before they have said what they want. */
export interface CrowdLimits {
  readonly connections: number;
  /** Bytes of bodies that are on their way or being read, of all callers together. */
  readonly bodyBytes: number;
}

export const crowdLimits: CrowdLimits = { connections: 512, bodyBytes: 96 * 1024 * 1024 };

/** For `fastify`: a head has to be there within 5 s of the connection, all of a request within 30. */
export const deadlines = {
  requestTimeout: 30_000,
  http: { headersTimeout: 5_000, connectionsCheckingInterval: 1_000 },
} as const;

/**
 * Keeps callers that do not finish their sentence from crowding out those who do. Where all places
 * are taken, the connection that has been silent, or half-way through a request, for longest gives
 * its place to the one that comes; only when there is none such is the new one refused. Register it before anything else looks at connections.
 */
export function guardPlaces(server: Server, { connections }: CrowdLimits): void {
  // Sets keep their order: the first has been silent for longest.
  const silent = new Set<Socket>();
  let taken = 0;
  server.on('connection', (socket: Socket) => {
    taken += 1;
    silent.add(socket);
    socket.once('close', () => {
      taken -= 1;
      silent.delete(socket);
    });
    if (taken <= connections) return;
    const [longest = socket] = silent;
    longest.destroy();
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const spoken = (): void => void silent.delete(socket);
    if (hasBody(request.headers)) request.once('end', spoken);
    else spoken();
    response.once('close', () => {
      if (!socket.destroyed) silent.add(socket);
    });
  });
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Bounds the memory that bodies take while they come in. Guests get at most half of it, so that the
 * runner's own user always finds room. Throws `concurrency-busy` before a body is read.
 */
export function guardBodies(
  app: FastifyInstance,
  { bodyBytes }: CrowdLimits,
  isGuest: (request: FastifyRequest) => boolean,
): void {
  const held = new Map<FastifyRequest, number>();
  let all = 0;
  let guests = 0;
  const take = (request: FastifyRequest, bytes: number): void => {
    held.set(request, (held.get(request) ?? 0) + bytes);
    all += bytes;
    if (isGuest(request)) guests += bytes;
  };
  const release = (request: FastifyRequest): void => {
    const bytes = held.get(request) ?? 0;
    if (!held.delete(request)) return;
    all -= bytes;
    if (isGuest(request)) guests -= bytes;
  };
  app.addHook('onRequest', async (request, reply) => {
    const bytes = bodyLength(request);
    if (bytes === 0) return;
    const full = isGuest(request) ? guests + bytes > bodyBytes / 2 : all + bytes > bodyBytes;
    if (full)
      throw refuse(
        'concurrency-busy',
        'The runner is reading as much as it can hold.',
        'Try again in a moment.',
      );
    take(request, bytes);
    reply.raw.once('close', () => release(request));
  });
  // From here on the limits of the gate hold for what was read.
  app.addHook('preHandler', async (request) => release(request));
}

/** As declared; what does not say its length is taken for as long as its route allows. */
function bodyLength({ method, headers, routeOptions }: FastifyRequest): number {
  if (method === 'GET' || method === 'HEAD') return 0;
  const declared = Number(headers['content-length']);
  const most = routeOptions.bodyLimit ?? maxBodyBytes;
  return Number.isSafeInteger(declared) && declared >= 0 ? Math.min(declared, most) : most;
}
