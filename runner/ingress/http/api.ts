import type { Server } from 'node:http';
import { fastify } from 'fastify';
import { maxBodyBytes } from '../../../shared/api/limits.ts';
import { answerErrors } from './errors.ts';
import { guardGuests } from './guests.ts';
import { guardPeers } from './peers.ts';
import type { PeersOptions } from './peers.ts';
import { breachesRoute } from './routes/breaches.ts';
import { checkRoute } from './routes/check.ts';
import { execRoute } from './routes/exec.ts';
import { hookRoutes } from './routes/hooks.ts';
import { permitRoutes } from './routes/permit.ts';
import { lookRoutes } from './routes/look.ts';
import { pendingRoutes } from './routes/pending.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { stopRoutes } from './routes/stop.ts';
import type { ApiPorts } from './types.ts';

const mostConnections = 512;

/** The runner's API as a server that does not listen yet. */
export async function createApi(ports: ApiPorts, peers: PeersOptions): Promise<Server> {
  const app = fastify({ bodyLimit: maxBodyBytes });
  const { server } = app;
  server.maxConnections = mostConnections;
  const peerOf = guardPeers(server, peers);
  answerErrors(app, ports.log);
  guardGuests(app, peers.uid, peerOf);
  execRoute(app, ports, peerOf);
  permitRoutes(app, ports, peerOf);
  hookRoutes(app, ports.hooks, peerOf);
  checkRoute(app, ports, peerOf);
  pendingRoutes(app, ports, peerOf);
  sessionRoutes(app, ports, peerOf);
  stopRoutes(app, ports, peerOf);
  breachesRoute(app, ports);
  lookRoutes(app, ports, { uid: peers.uid, peerOf });
  await app.ready();
  return server;
}
