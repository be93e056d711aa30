import type { FastifyInstance } from 'fastify';
import { compile } from '../../../shared/base/index.ts';
import {
  nodeCodeSchema,
  nodePolicyEditSchema,
  nodePolicySchema,
  nodeRemoveSchema,
} from '../../../shared/wire/index.ts';
import type {
  NodeBody,
  NodePolicyBody,
  NodePolicyEditBody,
  NodesBody,
} from '../../../shared/wire/index.ts';
import { checked } from './errors.ts';
import type { ApiPorts, PeerOf } from './ports.ts';

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
