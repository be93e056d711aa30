import { PassThrough } from 'node:stream';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { PermitBody } from '../../../../shared/wire/api.ts';
import type { PermitRequest, ToolRequest } from '../../../../shared/wire/requests.ts';
import { RefusalError } from '../../../../shared/base/refusal.ts';
import type { RefusalCode } from '../../../../shared/base/refusal.ts';
import { serveRelay } from '../../../../runner/ingress/relay/serve.ts';
import type { Gateway } from '../../../../runner/ingress/relay/serve.ts';
import type { Relay } from '../../../../runner/ingress/relay/relay.ts';
import { fakeClock } from '../../../support/fake-clock.ts';

export const ticket = 'T'.repeat(43);

/** One question that reached the gate, and how to answer it. */
export interface Asked {
  readonly path: 'permit' | 'tool';
  readonly request: PermitRequest & Partial<ToolRequest>;
  readonly signal: AbortSignal;
  yes(code?: string): void;
  no(code: RefusalCode): void;
}

/** A gate whose answers the test gives. */
export interface TestGate {
  readonly permit: (request: PermitRequest, signal?: AbortSignal) => Promise<PermitBody>;
  readonly tool: (request: ToolRequest, signal?: AbortSignal) => Promise<PermitBody>;
  next(): Promise<Asked>;
  count(): number;
}

export function testGate(): TestGate {
  const queue: Asked[] = [];
  let wake = (): void => undefined;
  let count = 0;
  const ask =
    (path: Asked['path']) =>
    async (request: PermitRequest | ToolRequest, signal = new AbortController().signal) =>
      new Promise<PermitBody>((resolve, reject) => {
        count += 1;
        const wantsTicket = path === 'permit' && !('by' in request && request.by === 'elsewhere');
        queue.push({
          path,
          request,
          signal,
          yes: (code = 'allow-once') =>
            resolve({
              ok: true,
              id: 'r1',
              permission: { code, by: 'person' },
              ...(wantsTicket && { ticket, expiresAt: 9 }),
            }),
          no: (code) => reject(new RefusalError({ code, message: 'No.', hint: 'Stop.' })),
        });
        signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        wake();
      });
  return {
    permit: ask('permit'),
    tool: ask('tool'),
    count: () => count,
    next: async () => {
      for (;;) {
        const asked = queue.shift();
        if (asked !== undefined) return asked;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** One side of a relay, as lines. */
export interface Side {
  send(message: object | string): void;
  /** The next line, as it came. */
  line(): Promise<string>;
  /** The next line, as JSON. */
  next(): Promise<Record<string, unknown>>;
  end(): void;
}

export interface Between {
  readonly agent: Side;
  readonly client: Side;
  readonly said: readonly string[];
  readonly code: Promise<number>;
  /** As a signal of the system would. */
  readonly abort: () => void;
}

/** A gateway between an agent and a client that the test plays itself. */
export function between(gateway: (to: Pick<Relay, 'toAgent' | 'toClient'>) => Gateway): Between {
  const [fromClient, toClient, fromAgent, toAgent] = [0, 1, 2, 3].map(() => new PassThrough());
  if (!fromClient || !toClient || !fromAgent || !toAgent) throw new Error('four streams');
  const said: string[] = [];
  const stop = new AbortController();
  let ended = (_code: number): void => undefined;
  const code = serveRelay({
    agent: {
      input: fromAgent,
      output: toAgent,
      ended: new Promise((resolve) => {
        ended = resolve;
      }),
      stop: () => ended(143),
      kill: () => ended(137),
    },
    client: { input: fromClient, output: toClient },
    gateway,
    clock: fakeClock(),
    say: (line) => void said.push(line),
    signal: stop.signal,
  });
  const agent = side(fromAgent, toAgent, () => ended(0));
  const client = side(fromClient, toClient, () => undefined);
  onTestFinished(async () => {
    client.end();
    agent.end();
    await code;
  });
  return { agent, client, said, code, abort: () => stop.abort() };
}

function side(speaks: PassThrough, hears: PassThrough, ended: () => void): Side {
  const lines = createInterface({ input: hears })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const next = await lines.next();
    if (next.done === true) throw new Error('the other side has ended');
    return next.value;
  };
  return {
    send: (message) =>
      void speaks.write(typeof message === 'string' ? message : `${JSON.stringify(message)}\n`),
    line,
    next: async () => JSON.parse(await line()) as Record<string, unknown>,
    end: () => {
      speaks.end();
      ended();
    },
  };
}
