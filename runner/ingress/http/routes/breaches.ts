import type { FastifyInstance } from 'fastify';
import { breachReportSchema } from '../../../../shared/api/schemas.ts';
import type { BreachesBody, BreachReport } from '../../../../shared/api/types.ts';
import { compile } from '../../../../shared/schema/compile.ts';
import { checked } from '../errors.ts';
import type { ApiPorts } from '../types.ts';

const check = compile<BreachReport>(breachReportSchema);

/** `POST /v1/breaches`: what the approver saw at its own socket, for the audit log. */
export function breachesRoute(app: FastifyInstance, { breaches }: ApiPorts): void {
  app.post('/v1/breaches', async (request): Promise<BreachesBody> => ({
    ok: true,
    recorded: breaches(checked(check, request.body)),
  }));
}
