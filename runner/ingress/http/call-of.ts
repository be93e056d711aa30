import type { FastifyRequest } from 'fastify';
import type { ReceivedCall } from '../../principals/callers.ts';

/** The call as it came in, for whoever looks for a signature. */
export function callOf({ headers, method, url, body }: FastifyRequest): ReceivedCall {
  return { headers, method, path: url, body };
}
