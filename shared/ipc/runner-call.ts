import { oneStop, parseJson, refusalCodes, refusalOf, refuse } from '../base/index.ts';
import type { RefusalCode, RefusalError } from '../base/index.ts';
import type { UnsignedCall } from './signed-request.ts';
import { requestOverSocket } from './socket-http.ts';
import type { SocketResponse } from './socket-http.ts';

/** Nobody answers on the runner's socket. The message is a sentence, the hint says how to start it. */
export class RunnerUnreachableError extends Error {
  readonly hint: string;
  readonly socketPath: string;

  constructor(message: string, socketPath: string, options?: ErrorOptions) {
    super(oneStop(message), options);
    this.name = 'RunnerUnreachableError';
    this.socketPath = socketPath;
    this.hint = 'Start it with "interlock up" (with an approver) or "interlock runner" (alone).';
  }
}

/** The refusal inside an error answer; an answer that names none counts as `invalid-request`. */
function refusalFrom(value: unknown, status: number): RefusalError {
  const refusal = (value as { refusal?: unknown } | null)?.refusal as
    { code?: unknown; message?: unknown; hint?: unknown } | null | undefined;
  const known = refusalCodes.find((code): code is RefusalCode => code === refusal?.code);
  if (known === undefined)
    return refuse(
      'invalid-request',
      `The runner answered with status ${String(status)} and no reason.`,
      'Runner and command line may be of different versions: restart with "interlock up".',
    );
  return refuse(known, textOf(refusal?.message), textOf(refusal?.hint));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The longest answer that is read whole, in bytes. A list of asks stays far below. */
const answerLimit = 16 * 1024 * 1024;

export interface CallOptions {
  readonly socketPath: string;
  /** Without one the call lasts as long as the runner takes. */
  readonly timeoutMs?: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  /** Headers that prove who calls; made anew for each call. */
  readonly sign?: SignCall;
  readonly signal?: AbortSignal;
}

export type SignCall = (call: UnsignedCall) => Readonly<Record<string, string>>;

/** One request, one JSON answer. Rejects with a `RefusalError` or a `RunnerUnreachableError`. */
export async function callJson(options: CallOptions): Promise<unknown> {
  const { status, body } = await send(options);
  return parseAnswer(status, await readText(body, options.socketPath), options.socketPath);
}

/**
 * Sends a request and resolves with the head of the answer; its body is still to be read. Rejects with a
 * `RefusalError` where the socket is not one to be trusted, and then nothing was sent.
 */
export async function send(options: CallOptions): Promise<SocketResponse> {
  const { socketPath, method, path, body, timeoutMs, signal, sign } = options;
  const payload = body === undefined ? '' : JSON.stringify(body);
  try {
    return await requestOverSocket({
      socketPath,
      method,
      path,
      headers: sign?.({ method, path, payload }) ?? {},
      ...(body !== undefined && { payload }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    const isSaid = signal?.aborted === true || refusalOf(error) !== undefined;
    throw isSaid ? error : unreachable(error, socketPath);
  }
}

/** The whole body as text. Rejects with a `RunnerUnreachableError`, also where it is too long. */
export async function readText(body: SocketResponse['body'], socketPath: string): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of body) {
      size += part.length;
      if (size > answerLimit) throw new Error('the answer is too long');
      parts.push(part);
    }
  } catch (error) {
    throw unreachable(error, socketPath);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Turns status and body into a value, or throws what the runner refused. */
export function parseAnswer(status: number, text: string, socketPath: string): unknown {
  const parsed = parseJson(text === '' ? '{}' : text);
  if (!parsed.ok)
    throw new RunnerUnreachableError(
      `What answers on ${socketPath} does not speak Interlock's language.`,
      socketPath,
      { cause: parsed.error },
    );
  if (status >= 200 && status < 300) return parsed.value;
  throw refusalFrom(parsed.value, status);
}

/** A sentence for the ways in which a socket can fail to be a runner. */
export function unreachable(error: unknown, socketPath: string): RunnerUnreachableError {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  const sentences: Readonly<Record<string, string>> = {
    ENOENT: `No runner is listening: ${socketPath} does not exist.`,
    ECONNREFUSED: `No runner is listening: ${socketPath} was left behind by one that ended.`,
    EACCES: `This user may not open the runner's socket ${socketPath}.`,
    ENOTSOCK: `${socketPath} is not a socket.`,
    ECONNRESET: 'The runner closed the connection before it answered.',
  };
  const sentence =
    sentences[code ?? ''] ??
    `The runner on ${socketPath} did not answer: ${error instanceof Error ? error.message : 'unknown error'}.`;
  return new RunnerUnreachableError(sentence, socketPath, { cause: error });
}
