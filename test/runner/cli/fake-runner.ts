import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExecEvent } from '../../../shared/wire/api.ts';

/** One request as the fake runner saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

export type Answer = (seen: Seen, response: ServerResponse) => void | Promise<void>;

/** A stand-in for the runner on a real socket, which answers as a test tells it to. */
export interface FakeRunner {
  readonly seen: readonly Seen[];
  /** Resolves when a client has gone before its answer was complete. */
  readonly clientGone: Promise<void>;
  readonly close: () => Promise<void>;
}

export async function fakeRunner(socketPath: string, answer: Answer): Promise<FakeRunner> {
  const seen: Seen[] = [];
  let gone: () => void = () => undefined;
  const clientGone = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const server = createServer((request, response) => {
    response.once('close', () => {
      if (!response.writableEnded) gone();
    });
    void read(request).then(async (body) => {
      const call = { method: request.method ?? '', path: request.url ?? '', body };
      seen.push(call);
      await answer(call, response);
      return undefined;
    });
  });
  server.listen(socketPath);
  await once(server, 'listening');
  return {
    seen,
    clientGone,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(request: IncomingMessage): Promise<unknown> {
  let text = '';
  request.setEncoding('utf8');
  for await (const part of request as AsyncIterable<string>) text += part;
  return text === '' ? null : JSON.parse(text);
}

/** Answers with one JSON body. */
export function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** Answers with events, one a line, and ends. */
export function events(response: ServerResponse, list: readonly ExecEvent[]): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  response.end(list.map((event) => `${JSON.stringify(event)}\n`).join(''));
}

/** Answers with a refusal as the API does before a stream begins. */
export function refusal(response: ServerResponse, code: string, message: string): void {
  json(response, 403, { ok: false, refusal: { code, message, hint: 'Do this instead.' } });
}
