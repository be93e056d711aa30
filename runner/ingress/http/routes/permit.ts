import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  permitRequestSchema,
  redeemRequestSchema,
  toolRequestSchema,
} from '../../../../shared/api/schemas.ts';
import type {
  PermitBody,
  PermitRequest,
  RedeemRequest,
  ToolRequest,
} from '../../../../shared/api/types.ts';
import { RefusalError } from '../../../../shared/refusal/refusal.ts';
import { compile } from '../../../../shared/schema/compile.ts';
import type { PermitResult } from '../../../gate/types.ts';
import { callOf } from '../call-of.ts';
import { checked } from '../errors.ts';
import { eventStream } from '../event-stream.ts';
import type { ApiPorts, PeerOf } from '../types.ts';
import { waiting } from '../waiting.ts';

const checkPermit = compile<PermitRequest>(permitRequestSchema);
const checkTool = compile<ToolRequest>(toolRequestSchema);
const checkRedeem = compile<RedeemRequest>(redeemRequestSchema);

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
    const slip = { ...checked(checkRedeem, request.body), peer: peerOf(request) };
    reply.hijack();
    await gate.redeem(slip, eventStream(reply.raw));
    reply.raw.end();
  });
}

function permitBody(result: PermitResult): PermitBody {
  if (!result.ok) throw new RefusalError(result.refusal);
  const { id, permission, ticket } = result;
  const { code, by } = permission;
  return { ok: true, id, permission: { code, by }, ...ticket };
}
