import type { FastifyInstance, FastifyReply } from 'fastify';
import { adapterOf, hosts } from '../../../shared/agents/index.ts';
import { RefusalError, compile, refuse, s } from '../../../shared/base/index.ts';
import {
  checkRequestSchema,
  execRequestSchema,
  hookQuerySchema,
  maxExecBodyBytes,
  maxHookBytes,
  permitRequestSchema,
  redeemRequestSchema,
  toolRequestSchema,
} from '../../../shared/wire/index.ts';
import type { HookBody, PermitBody } from '../../../shared/wire/index.ts';
import type { PermitResult } from '../../gate/request-context.ts';
import { answerHook } from '../hooks.ts';
import type { HookPorts } from '../hooks.ts';
import { checked } from './errors.ts';
import {
  frameHeaders,
  frameStream,
  hookFrames,
  wantsFrames,
  eventStream,
  waiting,
} from './streams.ts';
import { callOf } from './ports.ts';
import type { ApiPorts, PeerOf } from './ports.ts';

const check = compile(checkRequestSchema);

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

const checkExecBody = compile(execRequestSchema);

/** `POST /v1/exec`: everything that happens to one command, as a stream of events. */
export function execRoute(app: FastifyInstance, { gate }: ApiPorts, peerOf: PeerOf): void {
  app.post('/v1/exec', { bodyLimit: maxExecBodyBytes }, async (request, reply) => {
    const body = checked(checkExecBody, request.body);
    const peer = peerOf(request);
    reply.hijack();
    const incoming = { kind: 'exec', request: body, peer, call: callOf(request) } as const;
    await gate.exec(incoming, eventStream(reply.raw));
    reply.raw.end();
  });
}

const checkPermit = compile(permitRequestSchema);
const checkTool = compile(toolRequestSchema);
const checkRedeem = compile(redeemRequestSchema);

/**
 * `POST /v1/permits` and `POST /v1/tools`: decided, asked about, and carried out by somebody else or
 * later. `POST /v1/tickets/redeem`: the later start of a command, as a stream of events.
 */
export function permitRoutes(app: FastifyInstance, { gate }: ApiPorts, peerOf: PeerOf): void {
  app.post('/v1/permits', async (request, reply: FastifyReply): Promise<PermitBody> => {
    const { by = 'ticket', ...command } = checked(checkPermit, request.body);
    const arrival = { peer: peerOf(request), call: callOf(request) };
    const incoming = { kind: 'exec', request: command, ...arrival } as const;
    return permitBody(await gate.permit(incoming, waiting(reply.raw), by));
  });
  app.post('/v1/tools', async (request, reply: FastifyReply): Promise<PermitBody> => {
    const body = checked(checkTool, request.body);
    const arrival = { peer: peerOf(request), call: callOf(request) };
    const incoming = { kind: body.kind, request: body, ...arrival };
    return permitBody(await gate.permit(incoming, waiting(reply.raw), 'elsewhere'));
  });
  app.post('/v1/tickets/redeem', async (request, reply) => {
    const { ticket, cwd, ...told } = checked(checkRedeem, request.body);
    const { oneStream = false, tellFolder = false } = told;
    reply.hijack();
    await gate.redeem(
      { ticket, cwd, peer: peerOf(request) },
      {
        ...(wantsFrames(request) ? frameStream(reply.raw) : eventStream(reply.raw)),
        telling: { oneStream, folder: tellFolder },
      },
    );
    reply.raw.end();
  });
}

function permitBody(result: PermitResult): PermitBody {
  if (!result.ok) throw new RefusalError(result.refusal);
  const { id, permission, ticket } = result;
  const { code, by } = permission;
  return { ok: true, id, permission: { code, by }, ...ticket };
}

const checkParams = compile(s.object({ host: s.oneOf(hosts) }));
const checkQuery = compile(hookQuerySchema);

/** `POST /v1/hooks/:host?agent=…`: what a host's hook read, as it came; answers what it is to say. */
export function hookRoutes(app: FastifyInstance, ports: HookPorts, peerOf: PeerOf): void {
  app.post(
    '/v1/hooks/:host',
    { bodyLimit: maxHookBytes },
    async (request, reply): Promise<HookBody | Buffer> => {
      const { host } = checked(checkParams, request.params);
      const query = checked(checkQuery, { ...(request.query as object) });
      const { agent = host, by = 'ticket', group, ...said } = query;
      const claims = { ...said, ...(group !== undefined && { group: true }) };
      const adapter = adapterOf(host);
      if (adapter === undefined) throw unknownHost(host);
      const arrival = { peer: peerOf(request), call: callOf(request) };
      const call = { host, adapter, agent, by, claims, input: request.body, ...arrival };
      const answer = await answerHook(call, waiting(reply.raw), ports);
      if (!wantsFrames(request)) return { ok: true, answer };
      void reply.headers(frameHeaders);
      return hookFrames(answer);
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
