import type { FastifyInstance } from 'fastify';
import { adapterOf } from '../../../../shared/adapters/registry.ts';
import type { AgentHost } from '../../../../shared/adapters/types.ts';
import { maxHookBytes } from '../../../../shared/api/limits.ts';
import { hookParamsSchema, hookQuerySchema } from '../../../../shared/api/schemas.ts';
import type { HookBody } from '../../../../shared/api/types.ts';
import { refuse } from '../../../../shared/refusal/refusal.ts';
import { compile } from '../../../../shared/schema/compile.ts';
import { answerHook } from '../../hooks/answer-hook.ts';
import type { HookPorts } from '../../hooks/answer-hook.ts';
import { callOf } from '../call-of.ts';
import { checked } from '../errors.ts';
import type { PeerOf } from '../types.ts';
import { waiting } from '../waiting.ts';

const checkParams = compile<{ readonly host: AgentHost }>(hookParamsSchema);
const checkQuery = compile<{ readonly agent?: string }>(hookQuerySchema);

/** `POST /v1/hooks/:host?agent=…`: what a host's hook read, as it came; answers what it is to say. */
export function hookRoutes(app: FastifyInstance, ports: HookPorts, peerOf: PeerOf): void {
  app.post(
    '/v1/hooks/:host',
    { bodyLimit: maxHookBytes },
    async (request, reply): Promise<HookBody> => {
      const { host } = checked(checkParams, request.params);
      const { agent = host } = checked(checkQuery, { ...(request.query as object) });
      const adapter = adapterOf(host);
      if (adapter === undefined) throw unknownHost(host);
      const arrival = { peer: peerOf(request), call: callOf(request) };
      const call = { adapter, agent, input: request.body, ...arrival };
      return { ok: true, answer: await answerHook(call, waiting(reply.raw), ports) };
    },
  );
}

function unknownHost(host: string): Error {
  return refuse(
    'invalid-request',
    `The agent host "${host}" is not known to this runner.`,
    'Runner and hook may be of different versions: restart with "interlock up".',
  );
}
