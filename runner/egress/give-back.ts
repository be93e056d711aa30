import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { returnedHeaders } from '../../shared/engine/index.ts';
import type { RawHeaders } from '../../shared/engine/index.ts';
import type { Reflections } from './reflect.ts';
import { join } from './tunnel.ts';

/** What an upstream sends in another protocol. Stars are as long as what they stand for, so frames stay whole. */
export function giveOn(
  upstream: Socket,
  first: Buffer,
  client: Socket,
  reflections: Reflections | null,
): void {
  if (reflections === null) {
    if (first.length > 0) client.write(first);
    return join(upstream, client, () => {});
  }
  const body = reflections.body();
  if (first.length > 0) body.write(first);
  upstream.pipe(body).pipe(client);
  upstream.once('close', () => {
    if (!upstream.readableEnded) client.destroy();
  });
  client.once('close', () => body.destroy());
}

/** The body of an answer, with stars for what it must not tell. */
export function bodyOf(answer: IncomingMessage, reflections: Reflections | null): Readable {
  if (reflections === null) return answer;
  const body = reflections.body();
  answer.on('error', (error) => body.destroy(error));
  body.on('error', () => answer.destroy());
  return answer.pipe(body);
}

/** Gives an answer back on a server's connection. */
export function giveBack(
  answer: IncomingMessage,
  res: ServerResponse,
  reflections: Reflections | null,
): void {
  const { statusCode = 502, statusMessage = '' } = answer;
  const { text, headers } = reflections ?? asTheyAre;
  res.sendDate = false;
  res.writeHead(statusCode, text(statusMessage), [...headers(returnedHeaders(answer.rawHeaders))]);
  answer.on('error', () => res.destroy());
  answer.on('end', () => {
    if (Object.keys(answer.trailers).length > 0) res.addTrailers(trailersOf(answer, headers));
  });
  bodyOf(answer, reflections).pipe(res);
  // Head and body go together where they came together. Events come long before there is more.
  setImmediate(() => {
    if (!res.destroyed) res.flushHeaders();
  });
}

const asTheyAre: Pick<Reflections, 'text' | 'headers'> = {
  text: (text) => text,
  headers: (raw) => raw,
};

/** Trailers as pairs. */
export function trailersOf(
  { rawTrailers }: IncomingMessage,
  shown: Reflections['headers'] = asTheyAre.headers,
): [string, string][] {
  const all = shown(rawTrailers);
  return all.flatMap((name, index): [string, string][] =>
    index % 2 === 0 ? [[name, all[index + 1] ?? '']] : [],
  );
}

/** The head of an answer, where no server writes it. */
export function headOf(
  answer: IncomingMessage,
  more: RawHeaders,
  reflections: Reflections | null,
): string {
  const { text, headers: shown } = reflections ?? asTheyAre;
  const headers = [...shown(returnedHeaders(answer.rawHeaders)), ...more];
  const lines = headers.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${headers[index + 1] ?? ''}\r\n`] : [],
  );
  const { statusCode = 502, statusMessage = '' } = answer;
  return `HTTP/1.1 ${String(statusCode)} ${text(statusMessage)}\r\n${lines.join('')}\r\n`;
}
