import { createHash } from 'node:crypto';
import type { Refusal } from '../../shared/base/index.ts';
import type { AncestorProcess, Ask, DecisionWord, Verdict } from '../../shared/engine/index.ts';
import { RunnerUnreachableError } from '../../shared/ipc/index.ts';
import type { RunnerClient, V1Handlers } from '../../shared/ipc/index.ts';
import { v1MaxOutput } from '../../shared/wire/index.ts';
import type {
  ExecEvent,
  ExecRequest,
  V1AskRequest,
  V1ExecOutcome,
  V1ExecRequest,
} from '../../shared/wire/index.ts';
import type { QueuedAsk } from '../bridge/types.ts';
import type { AskQueue, Asker } from './ask-queue.ts';
import { refusalOfError } from './refusals.ts';

/** How long an older client waits before it gives up. */
const clientPatienceMs = 15_000;

interface AskOfRequestOptions {
  /** An id of our own: any client may choose any id. */
  readonly id: string;
  readonly now: number;
  readonly ancestry: readonly AncestorProcess[];
  /** What our own analysis sees in the command; null when there is none. */
  readonly verdict: Verdict | null;
}

/**
 * An older client's question as an ask of the queue. It offers no "always": that client keeps its
 * own list, and a rule in ours would not be asked.
 */
function askOfRequest(request: V1AskRequest, options: AskOfRequestOptions): QueuedAsk {
  const { verdict } = options;
  const analysis = verdict?.analysis;
  const stages = analysis === undefined ? [] : analysis.ok ? analysis.plan.stages : analysis.stages;
  const ask: Ask = {
    id: options.id,
    kind: 'exec',
    agent: request.agentId ?? 'main',
    session: request.sessionKey ?? null,
    toolUseId: null,
    statedReason: null,
    host: request.host ?? 'gateway',
    cwd: request.cwd ?? '',
    command: request.command,
    isShellText: true,
    stages: stages.map((stage) => ({
      argv: stage.argv,
      resolvedPath: stage.executable.kind === 'file' ? stage.executable.realPath : null,
      program: stage.executable.kind,
      via: stage.via,
      cwd: stage.cwd,
      writes: stage.writes,
      why: 'The client that asks has its own rules, and none of them decided.',
      span: stage.span,
    })),
    opaque:
      analysis === undefined || analysis.ok
        ? null
        : { reason: analysis.reason, detail: analysis.detail, span: analysis.span },
    why: 'An OpenClaw client asks; it runs the command itself when you allow it.',
    risk: verdict?.risk ?? { level: 'none', findings: [] },
    env: [],
    ancestry: options.ancestry,
    proposals: [],
    durations: ['once'],
    createdAt: options.now,
    expiresAt: options.now + clientPatienceMs,
  };
  return { ask, askDigest: createHash('sha256').update(JSON.stringify(ask)).digest('hex') };
}

const keepTail = 2 * v1MaxOutput;

interface RunForClientOptions {
  readonly home: string;
  readonly signal: AbortSignal;
  /** Whether a path is a folder that can be entered. */
  readonly isFolder: (path: string) => boolean;
}

/**
 * Hands an older client's command to the runner, which decides and runs it as any other; what the
 * client says was approved before counts for nothing. The answer has the client's own shape.
 */
async function runForClient(
  runner: Pick<RunnerClient, 'exec'>,
  request: V1ExecRequest,
  { home, signal, isFolder }: RunForClientOptions,
): Promise<V1ExecOutcome> {
  const output = { stdout: '', stderr: '' };
  const asked = execRequestOf(request, home);
  const refusedBy = (refusal: Refusal): V1ExecOutcome =>
    aboutFolder.has(refusal.code) && !isFolder(asked.cwd)
      ? unavailable(`SYSTEM_RUN_DENIED: ${refusal.message}`, 'cwd-unavailable')
      : refused(refusal, output);
  try {
    for await (const event of runner.exec(asked, signal)) {
      if (event.type === 'stdout' || event.type === 'stderr') {
        output[event.type] = (output[event.type] + textOf(event)).slice(-keepTail);
      } else if (event.type === 'finished') return finished(event, output);
      else if (event.type === 'refused') return refusedBy(event.refusal);
    }
    return unavailable('The runner ended the answer early.', 'runner-gone');
  } catch (error) {
    if (error instanceof RunnerUnreachableError) return unavailable(error.message, 'runner-gone');
    return refusedBy(refusalOfError(error));
  }
}

/** The runner's refusals when the folder was missing at the start, vanished during an ask, or later. */
const aboutFolder: ReadonlySet<Refusal['code']> = new Set([
  'invalid-request',
  'binding-drift',
  'host-unavailable',
]);

function execRequestOf(request: V1ExecRequest, home: string): ExecRequest {
  const env = request.env ?? undefined;
  const session = request.sessionKey ?? undefined;
  const timeoutMs = Math.ceil(request.timeoutMs ?? 0);
  return {
    argv: request.command,
    cwd: request.cwd ?? home,
    agent: request.agentId ?? 'main',
    ...(env !== undefined && { env }),
    ...(session !== undefined && { session }),
    ...(timeoutMs > 0 && { timeoutMs }),
  };
}

type Output = { readonly stdout: string; readonly stderr: string };

function textOf(event: Extract<ExecEvent, { type: 'stdout' | 'stderr' }>): string {
  return event.encoding === 'utf8'
    ? event.data
    : Buffer.from(event.data, 'base64').toString('utf8');
}

function finished(
  { exitCode, signal }: Extract<ExecEvent, { type: 'finished' }>,
  output: Output,
): V1ExecOutcome {
  return {
    ok: true,
    payload: {
      ...(exitCode === null ? {} : { exitCode }),
      timedOut: false,
      success: exitCode === 0,
      ...output,
      ...(signal === null ? {} : { error: `ended by ${signal}` }),
    },
  };
}

/** The older reasons for our codes; every other code is sent as it is. */
const reasons: Readonly<Partial<Record<Refusal['code'], string>>> = {
  'confirm-rejected': 'user-denied',
  'approval-timeout': 'approval-cancelled',
  'requester-gone': 'approval-cancelled',
  'approver-unavailable': 'approval-cancelled',
};

function refused({ code, message }: Refusal, output: Output): V1ExecOutcome {
  if (code === 'command-timeout') {
    return { ok: true, payload: { timedOut: true, success: false, ...output, error: message } };
  }
  if (code === 'invalid-request') {
    return { ok: false, error: { code: 'INVALID_REQUEST', message, reason: 'invalid' } };
  }
  const reason = reasons[code] ?? (code === 'policy-deny' ? 'allowlist-miss' : code);
  return unavailable(`SYSTEM_RUN_DENIED: ${message}`, reason);
}

function unavailable(message: string, reason: string): V1ExecOutcome {
  return { ok: false, error: { code: 'UNAVAILABLE', message, reason } };
}

interface Version1Options {
  readonly asks: AskQueue;
  readonly runner: Pick<RunnerClient, 'exec'>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly home: string;
  /** Whether a path is a folder that can be entered; used only to word a refusal. */
  readonly isFolder: (path: string) => boolean;
  /** What our own analysis sees in a command, for the prompt; it decides nothing here. */
  readonly look: (request: {
    readonly agent: string;
    readonly command: string;
    readonly cwd: string;
  }) => Promise<Verdict>;
  readonly ancestryOf: (pid: number) => Promise<readonly AncestorProcess[]>;
}

/** Serves version-1 clients: their questions join the queue, their commands go to the runner. */
export function version1Handlers(options: Version1Options): V1Handlers {
  const { asks, runner, now, newId, home, isFolder, look, ancestryOf } = options;
  return {
    decide: async (request, offered, { peer, signal }) => {
      const agent = request.agentId ?? 'main';
      const seen = look({ agent, command: request.command, cwd: request.cwd ?? home });
      const pid = peer?.pid ?? null;
      const ancestry = pid === null ? [] : await ancestryOf(pid).catch(() => []);
      const verdict = await seen.catch(() => null);
      if (signal.aborted) return null;
      const queued = askOfRequest(request, { id: newId(), now: now(), ancestry, verdict });
      return new Promise<DecisionWord | null>((resolve) => {
        const asker: Asker = {
          deliver: ({ decision }) => {
            const fits = offered.includes(decision);
            if (signal.aborted || (!fits && decision !== 'deny')) return false;
            resolve(fits ? decision : null);
            return true;
          },
        };
        if (!asks.take(asker, queued)) {
          resolve(null);
          return;
        }
        signal.addEventListener('abort', () => {
          asks.withdrawAll(asker, 'requester-gone');
          resolve(null);
        });
      });
    },
    onExec: (request, { signal }) => runForClient(runner, request, { home, signal, isFolder }),
  };
}
