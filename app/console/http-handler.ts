import type { IncomingMessage, ServerResponse } from 'node:http';
import { compile, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import { sessionPath } from '../bridge/console-session.ts';
import { pageHeaders } from '../host/page-files.ts';
import type { PageFile, PageFiles } from '../host/page-files.ts';
import { isForUs, isFromOurPage } from './same-origin.ts';
import type { HostRule } from './same-origin.ts';
import type { OneTimeLinks, Sessions } from './sessions.ts';

interface HttpHandlerOptions {
  readonly files: PageFiles;
  readonly links: OneTimeLinks;
  readonly sessions: Sessions;
  readonly hostRule: HostRule;
  /** A link was redeemed. */
  readonly onSession: () => void;
}

const bodyLimit = 1024;

const checkBody = compile(s.object({ token: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }) }));

const newLink = 'Open a new link: run "interlock ui" in a terminal.';

/** Answers the requests for the page's files, and swaps a link's token for a session. */
export function createHttpHandler(options: HttpHandlerOptions) {
  return (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '';
    if (!isForUs(request.headers, options.hostRule)) {
      refuseWith(response, 421, refuse('invalid-request', 'This is another address.', newLink));
    } else if (path === sessionPath) {
      void swap(request, response, options);
    } else if (request.method === 'GET' || request.method === 'HEAD') {
      serve(response, options.files.get(path), request.method);
    } else {
      refuseWith(response, 405, refuse('invalid-request', 'This only answers GET.', newLink));
    }
  };
}

function serve(response: ServerResponse, file: PageFile | undefined, method: string): void {
  if (file === undefined) {
    refuseWith(response, 404, refuse('invalid-request', 'There is no such file.', newLink));
    return;
  }
  response.writeHead(200, {
    ...pageHeaders,
    'content-type': file.type,
    'content-length': file.body.length,
  });
  response.end(method === 'HEAD' ? undefined : file.body);
}

async function swap(
  request: IncomingMessage,
  response: ServerResponse,
  options: HttpHandlerOptions,
): Promise<void> {
  if (request.method !== 'POST' || !isFromOurPage(request.headers, options.hostRule)) {
    refuseWith(response, 403, refuse('invalid-request', 'Only our own page may ask.', newLink));
    return;
  }
  if (request.headers['content-type'] !== 'application/json') {
    refuseWith(response, 415, refuse('invalid-request', 'The body must be JSON.', newLink));
    return;
  }
  const body = await readBody(request);
  const checked = body === null ? null : readJson(checkBody, body);
  if (checked === null || !checked.ok || !options.links.redeem(checked.value.token)) {
    const message = 'This link was used already, or is too old.';
    refuseWith(response, 403, refuse('hmac-fail', message, newLink));
    return;
  }
  options.onSession();
  sendJson(response, 200, { session: options.sessions.open() });
}

/** The body, or null when it is too long or broken off. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > bodyLimit) return null;
      parts.push(part);
    }
    return Buffer.concat(parts);
  } catch {
    return null;
  }
}

function refuseWith(
  response: ServerResponse,
  status: number,
  { refusal }: { readonly refusal: Refusal },
): void {
  sendJson(response, status, { ok: false, refusal });
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { ...pageHeaders, 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
