import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { socketPath, subprotocolsFor } from '../../../app/bridge/console-session.ts';
import { openConsole } from '../../../app/console/server.ts';
import type { Console } from '../../../app/console/server.ts';
import { readPageFiles } from '../../../app/host/page-files.ts';
import { createDispatcher } from '../../../app/host/dispatch.ts';
import type { PasskeyDoor } from '../../../app/host/types.ts';
import type { CallHandlers } from '../../../app/host/dispatch.ts';
import { createStateFeed } from '../../../app/host/state-feed.ts';
import type { StateFeed } from '../../../app/host/state-feed.ts';
import type { Clock } from '../../../shared/base/clock.ts';
import { fakeClock } from '../../support/fake-clock.ts';
import type { FakeClock } from '../../support/fake-clock.ts';

export interface TestConsole {
  readonly console: Console;
  readonly clock: FakeClock;
  readonly feed: StateFeed;
  readonly calls: { readonly name: string; readonly args: unknown }[];
  readonly linksUsed: () => number;
  readonly folder: string;
  close(): Promise<void>;
}

/** A console over a host that records its calls, with a small page in a temporary folder. */
export async function testConsole(
  options: { readonly tunnel?: boolean; readonly door?: PasskeyDoor } = {},
): Promise<TestConsole> {
  const folder = mkdtempSync(join(tmpdir(), 'interlock-console-'));
  const page = join(folder, 'page');
  mkdirSync(join(page, 'assets'), { recursive: true });
  writeFileSync(join(page, 'index.html'), '<!doctype html><title>Interlock</title>');
  writeFileSync(join(page, 'assets/app-1a2b.js'), 'export {};');
  writeFileSync(join(page, 'notes.txt'), 'not part of the page');
  writeFileSync(join(folder, 'secret.html'), 'beside the page');

  const clock = fakeClock();
  const calls: { name: string; args: unknown }[] = [];
  const record = (name: string) => (args: unknown) => {
    calls.push({ name, args });
    return {};
  };
  const handlers = { resume: record('resume'), pause: record('pause') };
  const feedClock: Clock = {
    ...clock,
    after: (_ms, task) => {
      queueMicrotask(task);
      return () => undefined;
    },
  };
  const feed = createStateFeed({
    clock: feedClock,
    parts: () => ({
      runner: null,
      queue: [],
      missed: [],
      policy: { hash: '', problem: null },
    }),
  });
  let used = 0;
  let secrets = 0;
  const opened = await openConsole({
    host: {
      handle: createDispatcher(handlers as unknown as CallHandlers),
      subscribe: (listener) => feed.subscribe(listener),
      door: options.door ?? { nonce: () => null, prove: async () => Promise.reject(new Error()) },
    },
    files: await readPageFiles(page),
    clock,
    random: (bytes) => new Uint8Array(bytes).fill((secrets += 1)),
    idleMs: 1_000_000,
    port: 0,
    ...(options.tunnel === true && { socketPath: join(folder, 'console.sock') }),
    onLinkUsed: () => (used += 1),
  });
  return {
    console: opened,
    clock,
    feed,
    calls,
    linksUsed: () => used,
    folder,
    close: async () => {
      await opened.dispose();
      rmSync(folder, { recursive: true });
    },
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Over this Unix socket instead of the port. */
  readonly unix?: string;
}

/** One raw request: unlike `fetch` it sends any path and any header as they are. */
export function send(port: number, path: string, ask: Ask = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body, unix } = ask;
  return new Promise((resolve, reject) => {
    const sent = request({
      ...(unix === undefined ? { host: '127.0.0.1', port } : { socketPath: unix }),
      path,
      method,
      headers: { host: `localhost:${port}`, ...headers },
    });
    sent.once('error', reject);
    sent.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.end(body);
  });
}

/** Swaps a link's token for a session, as the page does. */
export function swap(
  port: number,
  token: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return send(port, '/session', {
    method: 'POST',
    headers: { origin: `http://localhost:${port}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  });
}

/** The token in a link. */
export function tokenIn(link: string): string {
  return new URL(link).hash.slice('#token='.length);
}

/** A page with a session of its own. */
export async function connectPage(port: number, link: string): Promise<TestPage> {
  const { text } = await swap(port, tokenIn(link));
  return openPage(port, (JSON.parse(text) as { session: string }).session);
}

export interface TestPage {
  readonly socket: WebSocket;
  readonly session: string;
  /** The next message that has not been read yet; null once the connection is closed. */
  next(): Promise<Record<string, unknown> | null>;
  readonly closed: Promise<number>;
}

/** A WebSocket to the console, with a session or without. */
export function openPage(
  port: number,
  session: string,
  headers: Record<string, string> = {},
): TestPage {
  const socket = new WebSocket(`ws://localhost:${port}${socketPath}`, subprotocolsFor(session), {
    headers: { origin: `http://localhost:${port}`, ...headers },
  });
  const waiting: (Record<string, unknown> | null)[] = [];
  const readers: ((message: Record<string, unknown> | null) => void)[] = [];
  const arrive = (message: Record<string, unknown> | null): void => {
    const reader = readers.shift();
    if (reader === undefined) waiting.push(message);
    else reader(message);
  };
  socket.on('message', (data) => {
    arrive(JSON.parse((data as Buffer).toString('utf8')) as Record<string, unknown>);
  });
  socket.on('error', () => undefined);
  const closed = new Promise<number>((resolve) => {
    socket.once('close', (code) => {
      arrive(null);
      resolve(code);
    });
  });
  return {
    socket,
    session,
    closed,
    next: () =>
      new Promise((resolve) => {
        const message = waiting.shift();
        if (message === undefined) readers.push(resolve);
        else resolve(message);
      }),
  };
}
