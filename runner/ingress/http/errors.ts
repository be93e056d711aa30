import type { FastifyInstance, FastifyRequest } from 'fastify';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { parseJson, refusalOf, refuse } from '../../../shared/base/index.ts';
import type { Check, Refusal, RefusalCode } from '../../../shared/base/index.ts';
import { bodyDigest, signsHeader } from '../../../shared/ipc/index.ts';
import type { ErrorBody } from '../../../shared/wire/index.ts';
import { dataWithoutKnown } from '../../audit/known-secrets.ts';
import type { Log } from '../../service/log.ts';

const statuses: Readonly<Partial<Record<RefusalCode, number>>> = {
  'invalid-request': 400,
  'hmac-fail': 403,
  'replay-detected': 403,
  'policy-deny': 403,
  'confirm-rejected': 403,
  'lockout-active': 423,
  'pause-active': 423,
  'gate-disarmed': 423,
  'rate-limit': 429,
  'concurrency-busy': 429,
};

/** The HTTP status that goes with a refusal; the code in the body is what counts. */
function statusOf(code: RefusalCode): number {
  return statuses[code] ?? 503;
}

/** Checks a body or query; throws `invalid-request` with the sentence that says what is wrong. */
export function checked<T>(check: Check<T>, value: unknown): T {
  const result = check(value);
  if (result.ok) return result.value;
  const hint = result.error.includes('unknown field')
    ? 'Unknown fields are refused; docs/api.md says what this call takes.'
    : 'docs/api.md says what this call takes.';
  throw refuse('invalid-request', result.error, hint);
}

const digests = new WeakMap<object, string>();

/** `bodyDigest` of the body as it came, where a signature over its bytes came along. */
export function digestOfBody({ raw }: { readonly raw: object }): string {
  return digests.get(raw) ?? bodyDigest('');
}

/** Bodies are read by the one reader that takes nothing of which two readers could think differently. */
export function readBodies(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<Buffer>(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (request.headers[signsHeader] !== undefined) digests.set(request.raw, bodyDigest(body));
      const parsed = parseJson(body);
      if (parsed.ok) return parsed.value;
      throw refuse(
        'invalid-request',
        `The body cannot be read as JSON. ${parsed.error}`,
        'Send one JSON object.',
      );
    },
  );
}

/** Gives back to a program what that program wrote, to be run by it: another text would be another command. */
const givesBack = '/v1/hooks/:host';

/** Takes the values of secrets that are kept here out of every answer, of errors as well. */
export function hideSecrets(app: FastifyInstance): void {
  app.addHook('preSerialization', async ({ routeOptions }, { statusCode }, payload) =>
    routeOptions.url === givesBack && statusCode === 200 ? payload : dataWithoutKnown(payload),
  );
}

/** Makes every error of every route the one error body; unknown ones say nothing of the inside. */
export function answerErrors(app: FastifyInstance, log: Log): void {
  app.setErrorHandler(async (error: Error & { readonly statusCode?: number }, _request, reply) => {
    const refusal = refusalOf(error) ?? fromFastify(error) ?? inside(error, log);
    return reply.code(statusOf(refusal.code)).send(bodyOf(refusal));
  });
  app.setNotFoundHandler(async (request, reply) => {
    const { refusal } = refuse(
      'invalid-request',
      `There is no ${request.method} ${request.url.split('?')[0]?.slice(0, 100)} here.`,
      'See the docs for the calls that exist.',
    );
    return reply.code(404).send(bodyOf(refusal));
  });
}

const unreadable: Readonly<Record<string, readonly [status: number, sentence: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
};

/** Answers what never became a request: the same error body, and the end of the connection. */
export function answerUnreadable({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  const [status, sentence] = unreadable[code] ?? [400, 'This is not HTTP/1.1.'];
  const { refusal } = refuse('invalid-request', sentence, 'Nothing was done: send it anew.');
  const body = JSON.stringify(bodyOf(refusal));
  if (code !== 'ECONNRESET' && socket.writable)
    socket.write(
      `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}\r\nConnection: close\r\n\r\n${body}`,
    );
  socket.destroy();
}

function bodyOf(refusal: Refusal): ErrorBody {
  return { ok: false, refusal };
}

/** What fastify itself refuses: a body that is too large, not JSON, or of another type. */
function fromFastify(error: Error & { readonly statusCode?: number }): Refusal | undefined {
  const status = error.statusCode ?? 500;
  if (status >= 500) return undefined;
  const sentence =
    status === 413
      ? 'The body is too large.'
      : status === 415
        ? 'The body must be JSON, with the content type application/json.'
        : 'The body is not valid JSON.';
  return refuse('invalid-request', sentence, 'Send one JSON object.').refusal;
}

function inside(error: unknown, log: Log): Refusal {
  log.error('A call failed', error);
  return refuse(
    'host-unavailable',
    'Interlock failed inside.',
    'Have a person look at the log of the runner.',
  ).refusal;
}
