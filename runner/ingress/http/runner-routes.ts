import type { FastifyInstance } from 'fastify';
import { compile, refuse } from '../../../shared/base/index.ts';
import { describeRule, overrideWords, toldTrust } from '../../../shared/engine/index.ts';
import {
  changesQuerySchema,
  eventsQuerySchema,
  grantEndSchema,
  historyQuerySchema,
  leftQuerySchema,
  pageSize,
  resumeRequestSchema,
  sessionEndSchema,
  sessionOverrideSchema,
  statsQuerySchema,
  stopRequestSchema,
  undoRequestSchema,
  trustQuerySchema,
} from '../../../shared/wire/index.ts';
import type {
  ChangesBody,
  EventsBody,
  GrantEndBody,
  GrantEntry,
  GrantsBody,
  HistoryBody,
  HistoryStatsBody,
  LeftBody,
  SessionEndBody,
  SessionOverrideBody,
  StatusBody,
  StopBody,
  UndoBody,
  TrustBody,
} from '../../../shared/wire/index.ts';
import { unnamedAgent } from '../../gate/authenticate.ts';
import type { NamedGrant } from '../../gate/grants.ts';
import type { Elevation } from '../../gate/overrides.ts';
import { sessionOf } from '../../principals/callers.ts';
import { checked } from './errors.ts';
import { statusForGuest } from './peers.ts';
import { callOf } from './ports.ts';
import { waiting } from './streams.ts';
import type { ApiPorts, PeerOf } from './ports.ts';

const checkEvents = compile(eventsQuerySchema);
const checkHistory = compile(historyQuerySchema);

const checkStats = compile(statsQuerySchema);
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
    const { offset, limit, since, ...words } = checked(checkHistory, {
      ...(request.query as object),
    });
    const page = await ports.history({
      ...words,
      offset: Number(offset ?? 0),
      limit: pageSize(limit),
      ...(since === undefined ? {} : { since: Number(since) }),
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

const checkChanges = compile(changesQuerySchema);
const checkLeft = compile(leftQuerySchema);
const checkUndo = compile(undoRequestSchema);
const defaultEntries = 50;

/**
 * `GET /v1/changes`, `GET /v1/sandbox/changes` and `POST /v1/undo`: what commands changed in
 * workspaces. For the owner alone.
 */
export function undoRoutes(
  app: FastifyInstance,
  { undo, mayUndo, stops, left }: ApiPorts,
  peerOf: PeerOf,
): void {
  app.get('/v1/changes', async (request): Promise<ChangesBody> => {
    const { id, limit } = checked(checkChanges, { ...(request.query as object) });
    if (id === undefined)
      return { ok: true, entries: await undo.list(Number(limit ?? defaultEntries)) };
    const entry = await undo.show(id);
    return { ok: true, entries: entry === null ? [] : [entry] };
  });
  app.get('/v1/sandbox/changes', async (request): Promise<LeftBody> => {
    const { session } = checked(checkLeft, { ...(request.query as object) });
    return { ok: true, changes: left(session) };
  });
  app.post('/v1/undo', async (request): Promise<UndoBody> => {
    const { id, files, dryRun = false } = checked(checkUndo, request.body);
    await mayUndo(peerOf(request).pid);
    if (!dryRun && stops.state().mode === 'locked') stops.check();
    return { ok: true, ...(await undo.takeBack({ id, files: files ?? null, dryRun })) };
  });
}

const checkTrust = compile(trustQuerySchema);

/** `GET /v1/trust?agent=…&user=…&channel=…&group=1`: as whom a caller with these claims counts. */
export function trustRoute(app: FastifyInstance, { trust }: ApiPorts, peerOf: PeerOf): void {
  app.get('/v1/trust', async (request): Promise<TrustBody> => {
    const query = checked(checkTrust, { ...(request.query as object) });
    const { agent = unnamedAgent, group, ...said } = query;
    const claims = { ...said, ...(group !== undefined && { group: true }) };
    const { uid } = peerOf(request);
    // Nothing is done on this answer, so that a name counts as it would with its key.
    return { ok: true, ...toldTrust(trust({ uid, agent, claimed: null, signed: true, claims })) };
  });
}

const check = compile(sessionEndSchema);

const checkOverride = compile(sessionOverrideSchema);

/** `POST /v1/sessions/end` and `/override`: what an agent's program says of a session of its own. */
export function sessionRoutes(
  app: FastifyInstance,
  { endSession, overrideSession }: ApiPorts,
  peerOf: PeerOf,
): void {
  app.post('/v1/sessions/override', async (request, reply): Promise<SessionOverrideBody> => {
    const command = checked(checkOverride, request.body);
    const arrival = { peer: peerOf(request), call: callOf(request) };
    return overrideSession({ ...command, ...arrival }, waiting(reply.raw).gone);
  });
  app.post('/v1/sessions/end', async (request): Promise<SessionEndBody> => {
    const { agent, session } = checked(check, request.body);
    const arrival = { peer: peerOf(request), call: callOf(request) };
    return { ok: true, session, ...(await endSession({ agent, session, ...arrival })) };
  });
}

const checkEnd = compile(grantEndSchema);

/** `GET /v1/grants`, `POST /v1/grants/end`: what a person allowed for a while, and taking it back. */
export function grantRoutes(app: FastifyInstance, { grants, overrides }: ApiPorts): void {
  app.get('/v1/grants', async (): Promise<GrantsBody> => ({
    ok: true,
    grants: [...overrides.elevations().map(raisedEntry), ...grants.list().map(entryOf)],
  }));
  app.post('/v1/grants/end', async (request): Promise<GrantEndBody> => {
    const { id } = checked(checkEnd, request.body);
    return { ok: true, ended: overrides.end(id) || grants.end(id) };
  });
}

/** What a person raised a session to stands among what they granted, and is taken back as that is. */
function raisedEntry({ id, agent, session, as, since, expiresAt, values }: Elevation): GrantEntry {
  const covers = [`${as}: ${overrideWords(values)}`];
  return { id, agent, session, grantedAt: since, expiresAt, covers, kind: 'elevation' };
}

function entryOf({ id, grant }: NamedGrant): GrantEntry {
  const { agent, session, grantedAt, expiresAt, covers } = grant;
  const lines =
    covers.kind === 'rules'
      ? covers.rules.map(describeRule)
      : covers.command === undefined
        ? []
        : [covers.command];
  return { id, agent, session, grantedAt, expiresAt, covers: lines, kind: covers.kind };
}

const checkStop = compile(stopRequestSchema);
const checkResume = compile(resumeRequestSchema);

/** `POST /v1/lockout`, `/v1/pause` and `/v1/resume`. Anyone who may ask may also stop. */
export function stopRoutes(
  app: FastifyInstance,
  { stops, mayResume, arming, requirePassphrase }: ApiPorts,
  { uid: owner, peerOf }: { readonly uid: number; readonly peerOf: PeerOf },
): void {
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
    const { agent, passphrase } = checked(checkResume, request.body ?? {});
    if (agent === undefined) {
      await mayResume(peerOf(request).pid);
      return { ok: true, ...stops.resume(by(request)) };
    }
    if (peerOf(request).uid !== owner)
      throw refuse(
        'hmac-fail',
        'Only the owner of this runner can let an agent go on.',
        'Ask the owner.',
      );
    // The agent that got out has this very uid, so it takes what only a person knows.
    if (passphrase === undefined)
      throw refuse(
        'confirm-rejected',
        'Only a person can let an agent go on, and this call proves none.',
        `At a terminal: interlock resume --agent ${agent}`,
      );
    await requirePassphrase(passphrase, by(request));
    arming.rearm(agent, by(request));
    return { ok: true, mode: stops.state().mode, stopped: 0, withdrawn: 0, keysRotated: 0 };
  });
}
