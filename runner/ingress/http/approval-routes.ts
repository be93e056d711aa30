import type { FastifyInstance } from 'fastify';
import { compile, refuse } from '../../../shared/base/index.ts';
import {
  answerRequestSchema,
  breachReportSchema,
  handOverSchema,
  passkeyAddSchema,
  passkeyInviteSchema,
  passkeyNonceSchema,
  passkeyRemoveSchema,
  pendingParamsSchema,
} from '../../../shared/wire/index.ts';
import type {
  AnswerBody,
  BreachesBody,
  PasskeyBody,
  PasskeyNonceBody,
  PendingBody,
  PendingListBody,
} from '../../../shared/wire/index.ts';
import { checked } from './errors.ts';
import type { ApiPorts, PeerOf } from './ports.ts';

const checkAnswer = compile(answerRequestSchema);
const checkParams = compile(pendingParamsSchema);

/** `GET /v1/pending`, `GET /v1/pending/:id`, `POST /v1/pending/:id/answer`. */
export function pendingRoutes(
  app: FastifyInstance,
  { pending, considered, answer, stale }: ApiPorts,
  peerOf: PeerOf,
): void {
  app.get('/v1/pending', async (): Promise<PendingListBody> => ({
    ok: true,
    pending: pending.list(),
    considered: considered?.() ?? [],
  }));
  app.get('/v1/pending/:id', async (request): Promise<PendingBody> => {
    const { id } = checked(checkParams, request.params);
    requireFresh(id, stale);
    const found = pending.find(id);
    if (found === undefined)
      throw refuse(
        'invalid-request',
        'No such question is open.',
        'See what is open with "interlock pending".',
      );
    return { ok: true, ask: found.ask, askDigest: found.askDigest };
  });
  app.post('/v1/pending/:id/answer', async (request): Promise<AnswerBody> => {
    const { id } = checked(checkParams, request.params);
    requireFresh(id, stale);
    await answer(id, checked(checkAnswer, request.body), peerOf(request));
    return { ok: true, accepted: true };
  });
}

function requireFresh(id: string, stale: ApiPorts['stale']): void {
  if (stale?.has(id) !== true) return;
  throw refuse(
    'stale-on-recovery',
    'The runner was started anew since this was asked, and nothing was run.',
    'Ask again if it is still needed.',
  );
}

const check = compile(breachReportSchema);

/** `POST /v1/breaches`: what the approver saw at its own socket, for the audit log. */
export function breachesRoute(app: FastifyInstance, { breaches }: ApiPorts): void {
  app.post('/v1/breaches', async (request): Promise<BreachesBody> => ({
    ok: true,
    recorded: await breaches(checked(check, request.body)),
  }));
}

const checkNonce = compile(passkeyNonceSchema);
const checkAdd = compile(passkeyAddSchema);
const checkInvite = compile(passkeyInviteSchema);
const checkRemove = compile(passkeyRemoveSchema);
const checkHandOver = compile(handOverSchema);

/** `POST /v1/passkeys/nonce`, `/invite`, `/add`, `/remove`, `/hand-over`: each but the first proves a person. */
export function passkeyRoutes(app: FastifyInstance, { passkeys }: ApiPorts): void {
  app.post('/v1/passkeys/nonce', async (request): Promise<PasskeyNonceBody> => {
    checked(checkNonce, request.body ?? {});
    return { ok: true, nonce: passkeys.nonce() };
  });
  app.post('/v1/passkeys/invite', async (request): Promise<PasskeyNonceBody> => ({
    ok: true,
    nonce: await passkeys.invite(checked(checkInvite, request.body)),
  }));
  app.post('/v1/passkeys/add', async (request): Promise<PasskeyBody> => {
    const { id } = await passkeys.add(checked(checkAdd, request.body));
    return { ok: true, id };
  });
  app.post('/v1/passkeys/remove', async (request): Promise<PasskeyBody> => {
    const order = checked(checkRemove, request.body);
    await passkeys.remove(order);
    return { ok: true, id: order.id };
  });
  app.post('/v1/passkeys/hand-over', async (request): Promise<{ readonly ok: true }> => {
    await passkeys.handOver(checked(checkHandOver, request.body));
    return { ok: true };
  });
}
