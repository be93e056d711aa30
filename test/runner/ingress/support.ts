import { trustOf } from '../../../shared/engine/index.ts';
import { request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createSessionOverrides } from '../../../runner/gate/overrides.ts';
import { createPendingAsks } from '../../../runner/approvals/pending.ts';
import { createApi } from '../../../runner/ingress/http/api.ts';
import { endSession } from '../../../runner/service/sessions.ts';
import type { CrowdLimits } from '../../../runner/ingress/http/crowding.ts';
import { claimRunnerSocket, listenOn } from '../../../runner/ingress/http/listen.ts';
import type { PeersOptions } from '../../../runner/ingress/http/peers.ts';
import type { ApiPorts } from '../../../runner/ingress/http/ports.ts';
import type { StatusBody } from '../../../shared/wire/api.ts';
import { bench, ownUid } from '../gate/support.ts';
import type { Bench, BenchOptions } from '../gate/support.ts';
import { temporaryFolder } from '../hosts/support.ts';

export interface Served extends Bench {
  readonly path: string;
  readonly pending: ReturnType<typeof createPendingAsks>;
  readonly answers: unknown[];
  readonly warnings: string[];
  readonly endedSessions: readonly string[];
}

/** The API on a real socket in a folder of the test's own, over a gate whose parts are fakes. */
export async function serve(
  options: BenchOptions &
    Partial<PeersOptions> & {
      readonly api?: Partial<ApiPorts>;
      readonly limits?: CrowdLimits;
    } = {},
): Promise<Served> {
  const parts = bench(options);
  const pending = createPendingAsks();
  const answers: unknown[] = [];
  const warnings: string[] = [];
  const endedSessions: string[] = [];
  const overrides = createSessionOverrides(parts.ports.clock, () => undefined);
  const log = { info: () => {}, warn: (text: string) => void warnings.push(text), error: () => {} };
  const path = join(temporaryFolder(), 'r.sock');
  const server = await createApi(
    {
      gate: parts.gate,
      status: () => ({ ok: true, mode: 'armed' }) as StatusBody,
      events: parts.ports.events,
      stops: parts.ports.stops,
      mayResume: async () => {},
      arming: { rearm: () => false },
      requirePassphrase: async () => {},
      pending,
      answer: async (...answer) => void answers.push(answer),
      passkeys: {
        nonce: () => 'n',
        invite: async () => 'n',
        add: async () => ({}) as never,
        remove: async () => {},
        handOver: async () => {},
      },
      breaches: async (report) => report.breaches.length,
      history: async (query) => ({ total: 1, entries: [], agents: [], query }),
      stats: async (query) => ({ days: [], needlessAfter: 3, worthARule: [], query }),
      undo: {
        list: async () => [],
        show: async () => null,
        takeBack: async () => ({ id: null, dryRun: false, files: [] }),
      },
      left: () => [],
      mayUndo: async () => {},
      nodes: {
        body: () => ({
          listening: null,
          calls: [],
          problem: null,
          nodes: [],
          waiting: [],
          gateways: [],
          own: null,
        }),
        approve: () => ({}) as never,
        decline: () => {},
        remove: () => ({}) as never,
        policyOf: async () => ({}) as never,
        editPolicyOf: async () => ({ kind: 'conflict' }),
      },
      mayChangeNodes: async () => {},
      boxes: {
        list: async () => [],
        tail: () => [],
        stop: async () => [],
        lock: async () => [],
        terminals: {} as never,
      },
      mayChangeBoxes: async () => {},
      trust: (caller) => trustOf(parts.ports.config(), { ...caller, ownUid }),
      grants: parts.ports.grants,
      endSession: async (end) =>
        endSession(end, { ...parts.ports, overrides, pending, ended: () => {} }),
      overrides,
      overrideSession: async () => ({}) as never,
      hooks: {
        arming: { seen: () => undefined },
        gate: parts.gate,
        endSession: (ended) => void endedSessions.push(ended.session),
        overrideSession: async () => ({}) as never,
        mayTellOfPrompts: async () => {},
        now: () => parts.ports.clock.now(),
        redeemCommand: (ticket) => `interlock run --ticket ${ticket}`,
      },
      log,
      ...options.api,
    },
    { uid: ownUid, log, ...options },
    options.limits,
  );
  const release = await claimRunnerSocket(path);
  const stop = await listenOn(server, path);
  onTestFinished(async () => stop().finally(release));
  return { ...parts, path, pending, answers, warnings, endedSessions };
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly json: unknown;
}

export interface CallOptions {
  readonly method?: string;
  readonly body?: string | object;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal;
}

/** One call, its whole answer. Rejects when the connection breaks. */
export async function call(path: string, url: string, options: CallOptions = {}): Promise<Answer> {
  const { answer } = await open(path, url, options);
  answer.setEncoding('utf8');
  let body = '';
  for await (const part of answer as AsyncIterable<string>) body += part;
  const json: unknown = body.startsWith('{') && !body.includes('}\n{') ? JSON.parse(body) : null;
  return { status: answer.statusCode ?? 0, body, json };
}

/** A call of which the answer has begun. */
export async function open(
  path: string,
  url: string,
  { method, body, headers = {}, signal }: CallOptions = {},
): Promise<{ readonly sent: ClientRequest; readonly answer: IncomingMessage }> {
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const type = text === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request({
      socketPath: path,
      path: url,
      method: method ?? (text === undefined ? 'GET' : 'POST'),
      headers: { ...type, ...headers },
      agent: false,
      ...(signal === undefined ? {} : { signal }),
    });
    sent.once('error', reject);
    sent.once('response', (answer) => resolve({ sent, answer }));
    sent.end(text);
  });
}
