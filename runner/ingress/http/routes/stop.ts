import type { FastifyInstance } from 'fastify';
import { resumeRequestSchema, stopRequestSchema } from '../../../../shared/api/schemas.ts';
import type { StopBody, StopRequest } from '../../../../shared/api/types.ts';
import { compile } from '../../../../shared/schema/compile.ts';
import { checked } from '../errors.ts';
import type { ApiPorts, PeerOf } from '../types.ts';

const checkStop = compile<StopRequest>(stopRequestSchema);
const checkResume = compile<StopRequest>(resumeRequestSchema);

/** `POST /v1/lockout`, `/v1/pause` and `/v1/resume`. Anyone who may ask may also stop. */
export function stopRoutes(app: FastifyInstance, { stops }: ApiPorts, peerOf: PeerOf): void {
  const by = (request: Parameters<PeerOf>[0]): string => {
    const { uid, pid } = peerOf(request);
    return `user ${uid}, pid ${pid ?? '?'}`;
  };
  app.post('/v1/lockout', async (request): Promise<StopBody> => {
    const { reason } = checked(checkStop, request.body ?? {});
    return { ok: true, ...(await stops.lockout(reason ?? null, by(request))) };
  });
  app.post('/v1/pause', async (request): Promise<StopBody> => {
    const { reason } = checked(checkStop, request.body ?? {});
    return { ok: true, ...stops.pause(reason ?? null, by(request)) };
  });
  app.post('/v1/resume', async (request): Promise<StopBody> => {
    checked(checkResume, request.body ?? {});
    return { ok: true, ...stops.resume(by(request)) };
  });
}
