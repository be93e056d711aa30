import type { FastifyInstance } from 'fastify';
import { checkRequestSchema } from '../../../../shared/api/schemas.ts';
import type { CheckRequest } from '../../../../shared/api/types.ts';
import { compile } from '../../../../shared/schema/compile.ts';
import { callOf } from '../call-of.ts';
import { checked } from '../errors.ts';
import type { ApiPorts, PeerOf } from '../types.ts';

const check = compile<CheckRequest>(checkRequestSchema);

/** `POST /v1/check`: what the policy would say. Asks nobody, runs nothing. */
export function checkRoute(app: FastifyInstance, { gate }: ApiPorts, peerOf: PeerOf): void {
  app.post('/v1/check', async (request) =>
    gate.check({
      kind: 'exec',
      request: checked(check, request.body),
      peer: peerOf(request),
      call: callOf(request),
    }),
  );
}
