import type { FastifyInstance } from 'fastify';
import { compile } from '../../../shared/base/index.ts';
import { boxLockSchema, boxStopSchema, boxTailSchema } from '../../../shared/wire/index.ts';
import type { BoxEndBody, BoxTailBody, BoxesBody } from '../../../shared/wire/index.ts';
import { checked } from './errors.ts';
import type { ApiPorts, PeerOf } from './ports.ts';

const checkStop = compile(boxStopSchema);
const checkTail = compile(boxTailSchema);
const checkLock = compile(boxLockSchema);

/**
 * `GET /v1/boxes`, `POST /v1/boxes/tail`, `/v1/boxes/stop` and `/v1/boxes/lock`: named boxes. For the
 * owner alone; no command of ours ends one, or reads what it wrote. None is started here: what a runner starts ends with its service.
 */
export function boxRoutes(
  app: FastifyInstance,
  { boxes, mayChangeBoxes }: ApiPorts,
  peerOf: PeerOf,
): void {
  app.get('/v1/boxes', async (): Promise<BoxesBody> => ({ ok: true, boxes: await boxes.list() }));
  app.post('/v1/boxes/tail', async (request): Promise<BoxTailBody> => {
    const { name, window } = checked(checkTail, request.body);
    await mayChangeBoxes(peerOf(request).pid);
    return { ok: true, lines: boxes.tail(name, window) };
  });
  app.post('/v1/boxes/stop', async (request): Promise<BoxEndBody> => {
    const { name } = checked(checkStop, request.body);
    await mayChangeBoxes(peerOf(request).pid);
    return { ok: true, notes: await boxes.stop(name) };
  });
  app.post('/v1/boxes/lock', async (request): Promise<BoxEndBody> => {
    const { name, reason = null } = checked(checkLock, request.body);
    await mayChangeBoxes(peerOf(request).pid);
    return { ok: true, notes: await boxes.lock(name, reason) };
  });
}
