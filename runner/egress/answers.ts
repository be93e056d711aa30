import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RefusalError } from '../../shared/base/index.ts';
import { messageOf, refusalOf, refuse } from '../../shared/base/index.ts';
import type { Refusal, RefusalCode } from '../../shared/base/index.ts';

const statuses: Readonly<Partial<Record<RefusalCode, number>>> = {
  'invalid-request': 400,
  'egress-deny': 403,
  'confirm-rejected': 403,
  'approval-timeout': 403,
  'approver-unavailable': 403,
  'rate-limit': 429,
  'concurrency-busy': 429,
  'upstream-unavailable': 502,
  'lockout-active': 503,
  'pause-active': 503,
  'config-invalid': 503,
  'audit-unavailable': 503,
};

/** An answer of ours in the place of one that was not to be had. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a client is told about a no. */
export function answerOf({ code, message, hint }: Refusal): Answer {
  const body = `interlock: ${code}: ${message}\n${hint}\n`;
  return {
    status: statuses[code] ?? 503,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-interlock-refusal': code,
      connection: 'close',
    },
    body,
  };
}

/** Answers on a connection that nothing else is written to, and ends it. */
export function endWith(socket: Duplex, refusal: Refusal, shown?: number): void {
  const { status: usual, headers, body } = answerOf(refusal);
  const status = shown ?? usual;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`, ...lines].join('\r\n');
  if (socket.writable) socket.write(`${head}\r\n\r\n${body}`);
  endSoon(socket);
}

/** Ends a connection that is not read any more. Who sends on and on is not listened to, and not kept either. */
export function endSoon(socket: Duplex): void {
  if (socket.writable) socket.end();
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), 2_000);
  cut.unref();
  socket.once('close', () => clearTimeout(cut));
}

/** Whatever went wrong on a way, as a refusal. */
export function asRefusal(error: unknown): Refusal {
  return refusalOf(error) ?? upstreamGone(messageOf(error)).refusal;
}

export function upstreamGone(why: string): RefusalError {
  return refuse(
    'upstream-unavailable',
    `The other side could not be reached: ${why}.`,
    'The way there is allowed. Look at the address, and try again later.',
  );
}

export function badRequest(problem: string): RefusalError {
  return refuse(
    'invalid-request',
    `This request is not passed on: ${problem}`,
    'Send plain HTTP with the whole address, and all else through CONNECT host:port.',
  );
}

/** A no to a target, with what to do about it. */
export function denied(reason: string): RefusalError {
  return refuse(
    'egress-deny',
    reason,
    'Do without it, or have a person allow the host: interlock approvals allow --kind egress -- HOST.',
  );
}
