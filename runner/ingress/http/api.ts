import type { Server } from 'node:http';
import { fastify } from 'fastify';
import { maxBodyBytes } from '../../../shared/wire/index.ts';
import { crowdLimits, deadlines, guardBodies, guardPlaces } from './crowding.ts';
import type { CrowdLimits } from './crowding.ts';
import { answerErrors, hideSecrets, readBodies } from './errors.ts';
import { guardGuests } from './peers.ts';
import { guardPeers } from './peers.ts';
import type { PeersOptions } from './peers.ts';
import { breachesRoute, passkeyRoutes } from './approval-routes.ts';
import { boxRoutes, terminalRoutes } from './box-routes.ts';
import { nodeRoutes } from './node-routes.ts';
import { checkRoute } from './request-routes.ts';
import { execRoute } from './request-routes.ts';
import { hookRoutes } from './request-routes.ts';
import { permitRoutes } from './request-routes.ts';
import { grantRoutes, lookRoutes } from './runner-routes.ts';
import { pendingRoutes } from './approval-routes.ts';
import { sessionRoutes } from './runner-routes.ts';
import { stopRoutes, trustRoute, undoRoutes } from './runner-routes.ts';
import type { ApiPorts } from './ports.ts';

/** The runner's API as a server that does not listen yet. */
export async function createApi(
  ports: ApiPorts,
  peers: PeersOptions,
  limits: CrowdLimits = crowdLimits,
): Promise<Server> {
  const app = fastify({ bodyLimit: maxBodyBytes, ...deadlines });
  const { server } = app;
  guardPlaces(server, limits);
  const peerOf = guardPeers(server, peers);
  hideSecrets(app);
  answerErrors(app, ports.log);
  readBodies(app);
  guardGuests(app, peers.uid, peerOf);
  guardBodies(app, limits, (request) => peerOf(request).uid !== peers.uid);
  execRoute(app, ports, peerOf);
  permitRoutes(app, ports, peerOf);
  hookRoutes(app, ports.hooks, peerOf);
  checkRoute(app, ports, peerOf);
  pendingRoutes(app, ports, peerOf);
  sessionRoutes(app, ports, peerOf);
  grantRoutes(app, ports);
  stopRoutes(app, ports, { uid: peers.uid, peerOf });
  undoRoutes(app, ports, peerOf);
  trustRoute(app, ports, peerOf);
  breachesRoute(app, ports);
  passkeyRoutes(app, ports);
  nodeRoutes(app, ports, peerOf);
  boxRoutes(app, ports, peerOf);
  terminalRoutes(app, ports, peerOf);
  lookRoutes(app, ports, { uid: peers.uid, peerOf });
  await app.ready();
  return server;
}
