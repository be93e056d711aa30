import type { ExecEvent, ExecRequest } from '../../../shared/api/types.ts';
import type { V1ExecOutcome, V1ExecRequest } from '../../../shared/frames/v1.ts';
import { v1MaxOutput } from '../../../shared/frames/v1.ts';
import type { RunnerClient } from '../../../shared/node/runner-client/types.ts';
import { RunnerUnreachableError } from '../../../shared/node/runner-client/unreachable.ts';
import type { Refusal } from '../../../shared/refusal/refusal.ts';
import { refusalOfError } from '../refusal-of-error.ts';

const keepTail = 2 * v1MaxOutput;

export interface RunForClientOptions {
  readonly home: string;
  readonly signal: AbortSignal;
  /** Whether a path is a folder that can be entered. */
  readonly isFolder: (path: string) => boolean;
}

/**
 * Hands an older client's command to the runner, which decides and runs it as any other; what the
 * client says was approved before counts for nothing. The answer has the client's own shape.
 */
export async function runForClient(
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

/** How the runner refuses when the folder was gone from the start, went during an ask, or later. */
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

/** The older reasons for our codes; all others are told with our code. */
const reasons: Readonly<Partial<Record<Refusal['code'], string>>> = {
  'confirm-rejected': 'user-denied',
  'approval-timeout': 'approval-cancelled',
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
