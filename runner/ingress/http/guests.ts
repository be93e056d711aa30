import type { FastifyInstance } from 'fastify';
import type { StatusBody } from '../../../shared/api/types.ts';
import { refuse } from '../../../shared/refusal/refusal.ts';
import type { PeerOf } from './types.ts';

/** All that another user than the runner's own may call. Whatever is not named here is refused. */
const openToGuests: ReadonlySet<string> = new Set([
  'POST /v1/exec',
  'POST /v1/check',
  'POST /v1/sessions/end',
  'POST /v1/permits',
  'POST /v1/tools',
  'POST /v1/tickets/redeem',
  'POST /v1/hooks/:host',
  'GET /v1/status',
  'GET /v1/events',
  'POST /v1/lockout',
  'POST /v1/pause',
]);

/** Keeps guests to their own: no answers, no history, no asks of others, no end to a pause. */
export function guardGuests(app: FastifyInstance, uid: number, peerOf: PeerOf): void {
  app.addHook('onRequest', async (request) => {
    if (peerOf(request).uid === uid) return;
    if (openToGuests.has(`${request.method} ${request.routeOptions.url ?? ''}`)) return;
    throw refuse(
      'hmac-fail',
      'Only the user of the runner may do this.',
      'A person with the right to do so can act as that user: sudo -u interlock -H interlock …',
    );
  });
}

/** What a guest is told of the runner: how it stands, nothing of what others do. */
export function statusForGuest(status: StatusBody): StatusBody {
  return { ...status, running: [], pending: [] };
}
