import type { FastifyInstance } from 'fastify';
import { maxExecBodyBytes } from '../../../../shared/api/limits.ts';
import { execRequestSchema } from '../../../../shared/api/schemas.ts';
import type { ExecRequest } from '../../../../shared/api/types.ts';
import { compile } from '../../../../shared/schema/compile.ts';
import { checked } from '../errors.ts';
import { callOf } from '../call-of.ts';
import { eventStream } from '../event-stream.ts';
import type { ApiPorts, PeerOf } from '../types.ts';

const check = compile<ExecRequest>(execRequestSchema);

/** `POST /v1/exec`: everything that happens to one command, as a stream of events. */
export function execRoute(app: FastifyInstance, { gate }: ApiPorts, peerOf: PeerOf): void {
  app.post('/v1/exec', { bodyLimit: maxExecBodyBytes }, async (request, reply) => {
    const body = checked(check, request.body);
    const peer = peerOf(request);
    reply.hijack();
    const incoming = { kind: 'exec', request: body, peer, call: callOf(request) } as const;
    await gate.exec(incoming, eventStream(reply.raw));
    reply.raw.end();
  });
}
