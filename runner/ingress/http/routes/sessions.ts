import type { FastifyInstance } from 'fastify';
import { sessionEndSchema } from '../../../../shared/api/schemas.ts';
import type { SessionEndBody, SessionEndRequest } from '../../../../shared/api/types.ts';
import { compile } from '../../../../shared/schema/compile.ts';
import { callOf } from '../call-of.ts';
import { checked } from '../errors.ts';
import type { ApiPorts, PeerOf } from '../types.ts';

const check = compile<SessionEndRequest>(sessionEndSchema);

/** `POST /v1/sessions/end`: an agent says that a session of its own is over. */
export function sessionRoutes(
  app: FastifyInstance,
  { endSession }: ApiPorts,
  peerOf: PeerOf,
): void {
  app.post('/v1/sessions/end', async (request): Promise<SessionEndBody> => {
    const { agent, session } = checked(check, request.body);
    const arrival = { peer: peerOf(request), call: callOf(request) };
    return { ok: true, session, ...(await endSession({ agent, session, ...arrival })) };
  });
}
