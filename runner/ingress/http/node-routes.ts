import type { FastifyInstance } from 'fastify';
import { compile } from '../../../shared/base/index.ts';
import { nodeCodeSchema, nodeRemoveSchema } from '../../../shared/wire/index.ts';
import type { NodeBody, NodesBody } from '../../../shared/wire/index.ts';
import { checked } from './errors.ts';
import type { ApiPorts, PeerOf } from './ports.ts';

const checkCode = compile(nodeCodeSchema);
const checkRemove = compile(nodeRemoveSchema);

/**
 * `GET /v1/nodes`, `POST /v1/nodes/approve`, `/v1/nodes/decline` and `/v1/nodes/remove`: other machines.
 * For the owner alone; no command of ours changes them, and nobody is let in during a lockout.
 */
export function nodeRoutes(
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
}
