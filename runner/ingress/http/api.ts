import type { Server } from 'node:http';
import { fastify } from 'fastify';
import type { FastifyInstance } from 'fastify';
import {
  maxBodyBytes,
  nodeCodeSchema,
  nodePolicyEditSchema,
  nodePolicySchema,
  nodeRemoveSchema,
} from '../../../shared/wire/index.ts';
import { crowdLimits, deadlines, guardBodies, guardPlaces } from './crowding.ts';
import type { CrowdLimits } from './crowding.ts';
import { answerErrors, answerUnreadable, checked, hideSecrets, readBodies } from './errors.ts';
import { guardGuests, guardPeers } from './peers.ts';
import type { PeersOptions } from './peers.ts';
import { breachesRoute, passkeyRoutes, pendingRoutes } from './approval-routes.ts';
import { boxRoutes, terminalRoutes } from './box-routes.ts';
import { checkRoute, execRoute, hookRoutes, permitRoutes } from './request-routes.ts';
import {
  grantRoutes,
  lookRoutes,
  sessionRoutes,
  stopRoutes,
  trustRoute,
  undoRoutes,
} from './runner-routes.ts';
import type { ApiPorts, PeerOf } from './ports.ts';
import { compile } from '../../../shared/base/index.ts';
import type {
  NodeBody,
  NodePolicyBody,
  NodePolicyEditBody,
  NodesBody,
} from '../../../shared/wire/index.ts';

/** The runner's API as a server that does not listen yet. */
export async function createApi(
  ports: ApiPorts,
  peers: PeersOptions,
  limits: CrowdLimits = crowdLimits,
): Promise<Server> {
  const app = fastify({
    bodyLimit: maxBodyBytes,
    clientErrorHandler: answerUnreadable,
    ...deadlines,
  });
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

const checkCode = compile(nodeCodeSchema);
const checkRemove = compile(nodeRemoveSchema);
const checkPolicy = compile(nodePolicySchema);
/** What fits into one frame of a link. */
const maxNodePolicyEditBytes = 2 * 1024 * 1024;
const checkPolicyEdit = compile(nodePolicyEditSchema);

/**
 * `GET /v1/nodes`, `POST /v1/nodes/approve`, `/v1/nodes/decline`, `/v1/nodes/remove`, `/v1/nodes/policy`
 * and `/v1/nodes/policy/edit`: other machines. For the owner alone; no command of ours changes them, and
 * nobody is let in, and no policy edited, during a lockout.
 */
function nodeRoutes(
  app: FastifyInstance,
  { nodes, mayChangeNodes, stops }: ApiPorts,
  peerOf: PeerOf,
): void {
  app.get('/v1/nodes', async (): Promise<NodesBody> => ({ ok: true, ...nodes.body() }));
  app.post('/v1/nodes/approve', async (request): Promise<NodeBody> => {
    const { code } = checked(checkCode, request.body);
    await mayChangeNodes(peerOf(request).pid);
    if (stops.state().mode === 'locked') stops.check();
    return { ok: true, node: nodes.approve(code) };
  });
  app.post('/v1/nodes/decline', async (request): Promise<{ readonly ok: true }> => {
    const { code } = checked(checkCode, request.body);
    await mayChangeNodes(peerOf(request).pid);
    nodes.decline(code);
    return { ok: true };
  });
  app.post('/v1/nodes/remove', async (request): Promise<NodeBody> => {
    const { node } = checked(checkRemove, request.body);
    await mayChangeNodes(peerOf(request).pid);
    return { ok: true, node: nodes.remove(node) };
  });
  app.post('/v1/nodes/policy', async (request): Promise<NodePolicyBody> => {
    const { node } = checked(checkPolicy, request.body);
    await mayChangeNodes(peerOf(request).pid);
    return { ok: true, ...(await nodes.policyOf(node)) };
  });
  app.post(
    '/v1/nodes/policy/edit',
    { bodyLimit: maxNodePolicyEditBytes },
    async (request): Promise<NodePolicyEditBody> => {
      const edit = checked(checkPolicyEdit, request.body);
      await mayChangeNodes(peerOf(request).pid);
      if (stops.state().mode === 'locked') stops.check();
      return { ok: true, edited: await nodes.editPolicyOf(edit) };
    },
  );
}
