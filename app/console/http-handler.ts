import type { IncomingMessage, ServerResponse } from 'node:http';
import { RefusalError, compile, readJson, refuse, s } from '../../shared/base/index.ts';
import type { Refusal } from '../../shared/base/index.ts';
import { passkeyUseFields } from '../../shared/engine/index.ts';
import { passkeyPath, sessionPath } from '../bridge/console-session.ts';
import { pageHeaders } from '../host/page-files.ts';
import type { PageFile, PageFiles } from '../host/page-files.ts';
import type { PasskeyDoor } from '../host/types.ts';
import { isForUs, isFromOurPage } from './same-origin.ts';
import type { HostRule } from './same-origin.ts';
import type { OneTimeLinks, Sessions } from './sessions.ts';

/** What answers a `POST` of our own page: from its body (null: too long) and who sent it. Throws refusals. */
export type Post = (
  body: Uint8Array | null,
  from: { readonly origin: string; readonly peer: string },
) => Promise<object> | object;

interface HttpHandlerOptions {
  readonly files: PageFiles;
  readonly posts: ReadonlyMap<string, Post>;
  readonly scheme?: 'http' | 'https';
}

interface SessionPostsOptions {
  readonly links: OneTimeLinks;
  readonly sessions: Sessions;
  readonly door: PasskeyDoor;
  /** A link was redeemed, or a passkey took its place. */
  readonly onSession: () => void;
}

/** What an authenticator signed may be long; a link's token is not. */
const bodyLimit = 64 * 1024;

const checkBody = compile(
  s.union(
    s.object({ token: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }) }),
    s.object(passkeyUseFields),
  ),
);
const checkNothing = compile(s.object({}));

const newLink = 'Open a new link: run "interlock ui" in a terminal.';

/** Answers the requests for the page's files, and what our own page posts. */
export function createHttpHandler(options: HttpHandlerOptions) {
  return (request: IncomingMessage, response: ServerResponse, hostRule: HostRule): void => {
    const path = request.url ?? '';
    const answer = options.posts.get(path);
    if (!isForUs(request.headers, hostRule)) {
      refuseWith(response, 421, refuse('invalid-request', 'This is another address.', newLink));
    } else if (answer !== undefined) {
      const isOurs = isFromOurPage(request.headers, hostRule, options.scheme);
      void post(request, response, { answer, isOurs });
    } else if (request.method === 'GET' || request.method === 'HEAD') {
      serve(response, options.files.get(path), request.method);
    } else {
      refuseWith(response, 405, refuse('invalid-request', 'This only answers GET.', newLink));
    }
  };
}

/**
 * Swaps a link's token, or what a passkey signed, for a session. Everybody on this machine reaches
 * these: whoever has neither is refused by a look, and uses up nothing that the person needs.
 */
export function sessionPosts(options: SessionPostsOptions): ReadonlyMap<string, Post> {
  return new Map<string, Post>([
    [passkeyPath, (body, { origin }) => nonceFor(body, origin, options)],
    [
      sessionPath,
      async (body, { origin }) => {
        await requireKey(body, origin, options);
        options.onSession();
        return { session: options.sessions.open() };
      },
    ],
  ]);
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

async function post(
  request: IncomingMessage,
  response: ServerResponse,
  { answer, isOurs }: { readonly answer: Post; readonly isOurs: boolean },
): Promise<void> {
  if (request.method !== 'POST' || !isOurs) {
    refuseWith(response, 403, refuse('invalid-request', 'Only our own page may ask.', newLink));
    return;
  }
  if (request.headers['content-type'] !== 'application/json') {
    refuseWith(response, 415, refuse('invalid-request', 'The body must be JSON.', newLink));
    return;
  }
  const body = await readBody(request);
  try {
    const { origin = '' } = request.headers;
    const { remoteAddress: peer = '' } = request.socket;
    sendJson(response, 200, await answer(body, { origin, peer }));
  } catch (error) {
    const refusal = error instanceof RefusalError ? error : unknownKey();
    refuseWith(response, refusal.refusal.code === 'rate-limit' ? 429 : 403, refusal);
  }
}

/** Throws a refusal unless the body has a link's token, or what a passkey signed. */
async function requireKey(
  body: Uint8Array | null,
  origin: string,
  { links, door }: SessionPostsOptions,
): Promise<void> {
  const checked = body === null ? null : readJson(checkBody, body);
  if (checked === null || !checked.ok) throw unknownKey();
  const key = checked.value;
  if ('token' in key) {
    if (!links.redeem(key.token)) throw unknownKey();
    return;
  }
  await door.prove(key, origin);
}

function nonceFor(
  body: Uint8Array | null,
  origin: string,
  { door }: SessionPostsOptions,
): { readonly nonce: string } {
  if (body === null || !readJson(checkNothing, body).ok) throw unknownKey();
  const nonce = door.nonce(new URL(origin).hostname);
  if (nonce !== null) return { nonce };
  throw refuse('invalid-request', 'There is no passkey for this page.', newLink);
}

function unknownKey(): RefusalError {
  return refuse('hmac-fail', 'This link was used already, or is too old.', newLink);
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
