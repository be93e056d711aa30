import type { FastifyInstance } from 'fastify';
import {
  eventsQuerySchema,
  historyQuerySchema,
  pageSize,
  statsQuerySchema,
} from '../../../../shared/api/schemas.ts';
import type {
  EventsBody,
  HistoryBody,
  HistoryStatsBody,
  StatusBody,
} from '../../../../shared/api/types.ts';
import { sessionOf } from '../../../principals/guest.ts';
import { compile } from '../../../../shared/schema/compile.ts';
import { checked } from '../errors.ts';
import { statusForGuest } from '../guests.ts';
import type { ApiPorts, PeerOf } from '../types.ts';

const checkEvents = compile<{ readonly session: string }>(eventsQuerySchema);
const checkHistory = compile<{
  readonly offset?: string;
  readonly limit?: string;
  readonly search?: string;
  readonly agent?: string;
  readonly decision?: 'allow' | 'deny';
}>(historyQuerySchema);

const checkStats = compile<{ readonly days?: string; readonly agent?: string }>(statsQuerySchema);
const defaultDays = 30;

/** `GET /v1/status`, `GET /v1/events?session=…`, `GET /v1/history`, `GET /v1/history/stats`. */
export function lookRoutes(
  app: FastifyInstance,
  ports: ApiPorts,
  { uid, peerOf }: { readonly uid: number; readonly peerOf: PeerOf },
): void {
  app.get('/v1/status', async (request): Promise<StatusBody> => {
    const status = await ports.status();
    return peerOf(request).uid === uid ? status : statusForGuest(status);
  });
  app.get('/v1/events', async (request): Promise<EventsBody> => {
    const { session } = checked(checkEvents, { ...(request.query as object) });
    const known = sessionOf(session, { caller: peerOf(request).uid, owner: uid });
    return { ok: true, session, ...ports.events.drain(known ?? session) };
  });
  app.get('/v1/history', async (request): Promise<HistoryBody> => {
    const { offset, limit, search, agent, decision } = checked(checkHistory, {
      ...(request.query as object),
    });
    const page = await ports.history({
      offset: Number(offset ?? 0),
      limit: pageSize(limit),
      ...(search === undefined ? {} : { search }),
      ...(agent === undefined ? {} : { agent }),
      ...(decision === undefined ? {} : { decision }),
    });
    return { ok: true, ...page };
  });
  app.get('/v1/history/stats', async (request): Promise<HistoryStatsBody> => {
    const { days, agent } = checked(checkStats, { ...(request.query as object) });
    const stats = await ports.stats({
      days: Number(days ?? defaultDays),
      ...(agent === undefined ? {} : { agent }),
    });
    return { ok: true, ...stats };
  });
}
