import type {
  AnswerRequest,
  BreachReport,
  ChangesBody,
  CheckBody,
  CheckRequest,
  EventsBody,
  ExecEvent,
  ExecRequest,
  GrantEndBody,
  GrantEntry,
  GrantsBody,
  HistoryBody,
  HistoryQuery,
  LeftBody,
  NodeBody,
  NodeInfo,
  NodePolicyBody,
  NodePolicyEdit,
  NodePolicyEditBody,
  NodesBody,
  PasskeyAdd,
  PasskeyInvite,
  PasskeyNonceBody,
  HandOver,
  PasskeyRemove,
  ConsideredAsk,
  PendingAsk,
  PendingBody,
  PendingListBody,
  PermitBody,
  PermitRequest,
  RedeemRequest,
  SessionEndBody,
  SessionOverrideBody,
  SessionEndRequest,
  SessionOverrideRequest,
  StatusBody,
  StopBody,
  ToolRequest,
  UndoBody,
  UndoRequest,
} from '../wire/index.ts';
import { boxCalls } from './box-calls.ts';
import type { BoxCalls } from './box-calls.ts';
import {
  RunnerUnreachableError,
  callJson,
  parseAnswer,
  readText,
  send,
  unreachable,
} from './runner-call.ts';
import type { CallOptions, SignCall } from './runner-call.ts';
import type { SocketResponse } from './socket-http.ts';
import { strictLineCutter } from './transport/lines.ts';

/**
 * The runner's API. Every call opens its own connection. Each of them rejects with a
 * `RefusalError` when the runner says no, and with a `RunnerUnreachableError` when none answers.
 */
export interface RunnerClient extends NodeCalls, BoxCalls {
  status(signal?: AbortSignal): Promise<StatusBody>;
  /** Oldest first. */
  pending(): Promise<readonly PendingAsk[]>;
  /** What an advisor looks at before a person is asked; empty with a runner that does not say. */
  considered(): Promise<readonly ConsideredAsk[]>;
  pendingAsk(askId: string): Promise<PendingBody>;
  check(request: CheckRequest): Promise<CheckBody>;
  /**
   * Streams what happens to one command; the last event is `finished` or `refused`. Aborting the
   * signal, or leaving the loop, closes the connection: the ask is withdrawn, the command stopped.
   */
  exec(request: ExecRequest, signal?: AbortSignal): AsyncGenerator<ExecEvent, void, undefined>;
  /**
   * A command that is decided about and not run: answers a ticket, or who allowed it elsewhere.
   * Lasts as long as a person takes; aborting the signal takes the ask back.
   */
  permit(request: PermitRequest, signal?: AbortSignal): Promise<PermitBody>;
  /** The use of a tool that the agent's host carries out itself; lasts like `permit`. */
  tool(request: ToolRequest, signal?: AbortSignal): Promise<PermitBody>;
  /** Runs what a ticket stands for; streams as `exec` does. */
  redeem(request: RedeemRequest, signal?: AbortSignal): AsyncGenerator<ExecEvent, void, undefined>;
  /** `body` is signed with the approvals token by `shared/node/answers`. */
  answer(askId: string, body: AnswerRequest): Promise<void>;
  /** Hands breaches of the approval protocol to the audit log; `report` is signed likewise. */
  reportBreaches(report: BreachReport): Promise<void>;
  /** For one change of the passkeys, once. */
  passkeyNonce(): Promise<string>;
  /** Invites a person to make a passkey on a phone; the nonce that it is then added with. */
  invitePasskey(request: PasskeyInvite): Promise<string>;
  addPasskey(request: PasskeyAdd): Promise<void>;
  removePasskey(request: PasskeyRemove): Promise<void>;
  /** Lets somebody else answer in the owner's place for a time, or no more. */
  handOver(request: HandOver): Promise<void>;
  /** Says that a session is over; signed as `exec` is. */
  endSession(request: SessionEndRequest): Promise<SessionEndBody>;
  /** A command about a session; a person may have to be asked, so that it takes as long as they do. */
  overrideSession(
    request: SessionOverrideRequest,
    signal?: AbortSignal,
  ): Promise<SessionOverrideBody>;
  /** What holds for a while, the newest first. */
  grants(): Promise<readonly GrantEntry[]>;
  /** Takes one of them back; false where it had ended already. */
  endGrant(id: string): Promise<boolean>;
  lockout(reason?: string, signal?: AbortSignal): Promise<StopBody>;
  pause(reason?: string): Promise<StopBody>;
  /** With an agent: lets that one go on whose hooks had been changed. */
  resume(agent?: { readonly agent: string; readonly passphrase: string }): Promise<StopBody>;
  /** Drains the session's queue of system events. */
  events(session: string): Promise<EventsBody>;
  history(query: HistoryQuery): Promise<HistoryBody>;
  /** What commands changed: one entry with its files, or the newest ones. */
  changes(query: {
    readonly id?: string;
    readonly limit?: number;
  }): Promise<ChangesBody['entries']>;
  /** What commands in sandboxes left that something outside obeys or starts. */
  left(session?: string): Promise<LeftBody['changes']>;
  undo(request: UndoRequest): Promise<UndoBody>;
}

interface NodeCalls {
  /** Other machines: those that are nodes of this one, and the one that it is a node of. */
  nodes(): Promise<NodesBody>;
  /** Lets the machine in that shows this code; a person compared it. */
  approveNode(code: string): Promise<NodeInfo>;
  declineNode(code: string): Promise<void>;
  removeNode(node: string): Promise<NodeInfo>;
  /** The policy that decides on a node, as that machine says itself and as far as it lets this one. */
  nodePolicy(node: string): Promise<NodePolicyBody>;
  editNodePolicy(edit: NodePolicyEdit): Promise<NodePolicyEditBody['edited']>;
}

interface RunnerClientOptions {
  readonly socketPath: string;
  /** How long a call other than `exec` may take, in milliseconds; 10,000 when absent. */
  readonly timeoutMs?: number;
  /** Signs `exec`, `check`, `permit` and `tool`; unsigned when absent. */
  readonly sign?: SignCall;
}

/** Longest line of the event stream, in bytes; the runner sends output in far smaller pieces. */
const lineLimit = 4 * 1024 * 1024;

const eventTypes = new Set(['pending', 'started', 'stdout', 'stderr', 'finished', 'refused']);

interface StreamOptions {
  readonly socketPath: string;
  readonly path: string;
  readonly request: ExecRequest | RedeemRequest;
  readonly signal?: AbortSignal;
  readonly sign?: SignCall;
}

/**
 * A call that answers with a stream of events. Ends after `finished` or `refused`; a stream that breaks
 * off before either throws, because what became of the command is then unknown.
 */
export async function* streamEvents(
  options: StreamOptions,
): AsyncGenerator<ExecEvent, void, undefined> {
  const { socketPath, path, request, signal, sign } = options;
  const { status, body, close } = await send({
    socketPath,
    method: 'POST',
    path,
    body: request,
    ...(sign !== undefined && { sign }),
    ...(signal !== undefined && { signal }),
  });
  try {
    if (status !== 200) {
      parseAnswer(status, await readText(body, socketPath), socketPath);
      return;
    }
    for await (const line of linesOf(body, socketPath)) {
      const event = eventOf(line, socketPath);
      yield event;
      if (event.type === 'finished' || event.type === 'refused') return;
    }
    throw wentAway(socketPath);
  } finally {
    close();
  }
}

async function* linesOf(body: SocketResponse['body'], socketPath: string): AsyncGenerator<string> {
  const cutter = strictLineCutter(lineLimit);
  try {
    for await (const part of body)
      for (const line of cutter.push(part)) if (line.length > 1) yield line.toString('utf8');
  } catch (error) {
    const isBroken = (error as NodeJS.ErrnoException).code === 'ECONNRESET';
    throw isBroken ? wentAway(socketPath) : unreachable(error, socketPath);
  }
}

function wentAway(socketPath: string): Error {
  return new RunnerUnreachableError(
    'The runner went away before the command ended; what became of it is in its audit log.',
    socketPath,
  );
}

function eventOf(line: string, socketPath: string): ExecEvent {
  try {
    const event = JSON.parse(line) as ExecEvent;
    if (eventTypes.has(event.type)) return event;
  } catch {
    // Falls through to the one sentence below.
  }
  throw new RunnerUnreachableError(
    `What answers on ${socketPath} does not speak Interlock's language.`,
    socketPath,
  );
}

const callTimeoutMs = 10_000;

/** A client of the runner that listens on `socketPath`. Nothing is opened before the first call. */
export function runnerClient(options: RunnerClientOptions): RunnerClient {
  const { socketPath, timeoutMs = callTimeoutMs, sign } = options;
  const signed = sign === undefined ? {} : { sign };
  const get = async <T>(path: string, signal?: AbortSignal): Promise<T> =>
    (await callJson({
      socketPath,
      timeoutMs,
      method: 'GET',
      path,
      ...(signal && { signal }),
    })) as T;
  const post = async <T>(
    path: string,
    body: object,
    extra: Partial<Pick<CallOptions, 'sign' | 'signal'>> = {},
  ): Promise<T> =>
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
    status: async (signal) => get('/v1/status', signal),
    pending: async () => (await get<PendingListBody>('/v1/pending')).pending,
    considered: async () => (await get<PendingListBody>('/v1/pending')).considered ?? [],
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
    ...passkeyCalls(post),
    endSession: async (request) => post('/v1/sessions/end', request, signed),
    overrideSession: async (request, signal) => patient('/v1/sessions/override', request, signal),
    grants: async () => (await get<GrantsBody>('/v1/grants')).grants,
    endGrant: async (id) => (await post<GrantEndBody>('/v1/grants/end', { id })).ended,
    ...nodeCalls(get, post),
    ...boxCalls(get, patient),
    lockout: async (reason, signal) =>
      post('/v1/lockout', because(reason), signal === undefined ? {} : { signal }),
    pause: async (reason) => post('/v1/pause', because(reason)),
    resume: async (agent) => post('/v1/resume', agent ?? {}),
    events: async (session) => get(`/v1/events?session=${encodeURIComponent(session)}`),
    changes: async ({ id, limit }) => {
      const words = new URLSearchParams({
        ...(id !== undefined && { id }),
        ...(limit !== undefined && { limit: String(limit) }),
      });
      return (await get<ChangesBody>(`/v1/changes?${words.toString()}`)).entries;
    },
    left: async (session) => {
      const query = session === undefined ? '' : `?session=${encodeURIComponent(session)}`;
      return (await get<LeftBody>(`/v1/sandbox/changes${query}`)).changes;
    },
    undo: async (request) => post('/v1/undo', request),
    history: async (query) => get(`/v1/history?${historyQuery(query)}`),
  };
}

type PasskeyCalls = Pick<
  RunnerClient,
  'passkeyNonce' | 'invitePasskey' | 'addPasskey' | 'removePasskey' | 'handOver'
>;

function passkeyCalls(post: <T>(path: string, body: object) => Promise<T>): PasskeyCalls {
  return {
    passkeyNonce: async () => (await post<PasskeyNonceBody>('/v1/passkeys/nonce', {})).nonce,
    invitePasskey: async (request) =>
      (await post<PasskeyNonceBody>('/v1/passkeys/invite', request)).nonce,
    addPasskey: async (request) => {
      await post('/v1/passkeys/add', request);
    },
    removePasskey: async (request) => {
      await post('/v1/passkeys/remove', request);
    },
    handOver: async (request) => {
      await post('/v1/passkeys/hand-over', request);
    },
  };
}

function nodeCalls(
  get: <T>(path: string) => Promise<T>,
  post: <T>(path: string, body: object) => Promise<T>,
): NodeCalls {
  return {
    nodes: async () => get('/v1/nodes'),
    approveNode: async (code) => (await post<NodeBody>('/v1/nodes/approve', { code })).node,
    declineNode: async (code) => {
      await post('/v1/nodes/decline', { code });
    },
    nodePolicy: async (node) => post('/v1/nodes/policy', { node }),
    editNodePolicy: async (edit) =>
      (await post<NodePolicyEditBody>('/v1/nodes/policy/edit', edit)).edited,
    removeNode: async (node) => (await post<NodeBody>('/v1/nodes/remove', { node })).node,
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
  if (query.code !== undefined) words.set('code', query.code);
  if (query.by !== undefined) words.set('by', query.by);
  if (query.since !== undefined) words.set('since', String(Math.max(0, Math.floor(query.since))));
  return words.toString();
}
