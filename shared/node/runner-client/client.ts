import type { HistoryQuery, PendingListBody } from '../../api/types.ts';
import { callJson } from './call.ts';
import { streamEvents } from './stream.ts';
import type { RunnerClient, RunnerClientOptions } from './types.ts';

const callTimeoutMs = 10_000;

/** A client of the runner that listens on `socketPath`. Nothing is opened before the first call. */
export function runnerClient(options: RunnerClientOptions): RunnerClient {
  const { socketPath, timeoutMs = callTimeoutMs, sign } = options;
  const signed = sign === undefined ? {} : { sign };
  const get = async <T>(path: string): Promise<T> =>
    (await callJson({ socketPath, timeoutMs, method: 'GET', path })) as T;
  const post = async <T>(path: string, body: object, extra: typeof signed = {}): Promise<T> =>
    (await callJson({ socketPath, timeoutMs, method: 'POST', path, body, ...extra })) as T;
  const patient = async <T>(path: string, body: object, signal?: AbortSignal): Promise<T> =>
    (await callJson({
      socketPath,
      method: 'POST',
      path,
      body,
      ...signed,
      ...(signal && { signal }),
    })) as T;
  const stream = { socketPath, ...signed };
  const because = (reason: string | undefined): object => (reason === undefined ? {} : { reason });

  return {
    status: async () => get('/v1/status'),
    pending: async () => (await get<PendingListBody>('/v1/pending')).pending,
    pendingAsk: async (askId) => get(`/v1/pending/${encodeURIComponent(askId)}`),
    check: async (request) => post('/v1/check', request, signed),
    exec: (request, signal) =>
      streamEvents({ ...stream, path: '/v1/exec', request, ...(signal && { signal }) }),
    permit: async (request, signal) => patient('/v1/permits', request, signal),
    tool: async (request, signal) => patient('/v1/tools', request, signal),
    redeem: (request, signal) =>
      streamEvents({ socketPath, path: '/v1/tickets/redeem', request, ...(signal && { signal }) }),
    answer: async (askId, body) => {
      await post(`/v1/pending/${encodeURIComponent(askId)}/answer`, body);
    },
    reportBreaches: async (report) => {
      await post('/v1/breaches', report);
    },
    endSession: async (request) => post('/v1/sessions/end', request, signed),
    lockout: async (reason) => post('/v1/lockout', because(reason)),
    pause: async (reason) => post('/v1/pause', because(reason)),
    resume: async () => post('/v1/resume', {}),
    events: async (session) => get(`/v1/events?session=${encodeURIComponent(session)}`),
    history: async (query) => get(`/v1/history?${historyQuery(query)}`),
  };
}

function historyQuery(query: HistoryQuery): string {
  const words = new URLSearchParams({
    offset: String(query.offset),
    limit: String(query.limit),
  });
  if (query.search !== undefined) words.set('search', query.search);
  if (query.agent !== undefined) words.set('agent', query.agent);
  if (query.decision !== undefined) words.set('decision', query.decision);
  return words.toString();
}
