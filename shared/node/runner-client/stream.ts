import type { IncomingMessage } from 'node:http';
import type { ExecEvent, ExecRequest, RedeemRequest } from '../../api/types.ts';
import type { SignCall } from './call.ts';
import { parseAnswer, send, unreachable } from './call.ts';
import { RunnerUnreachableError } from './unreachable.ts';

/** Longest line of the event stream, in characters; the runner sends output in far smaller pieces. */
const lineLimit = 4 * 1024 * 1024;

const eventTypes = new Set(['pending', 'started', 'stdout', 'stderr', 'finished', 'refused']);

export interface StreamOptions {
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
  const { sent, answer } = await send({
    socketPath,
    method: 'POST',
    path,
    body: request,
    ...(sign !== undefined && { sign }),
    ...(signal !== undefined && { signal }),
  });
  try {
    const status = answer.statusCode ?? 0;
    if (status !== 200) {
      parseAnswer(status, await restOf(answer), socketPath);
      return;
    }
    for await (const line of linesOf(answer, socketPath)) {
      const event = eventOf(line, socketPath);
      yield event;
      if (event.type === 'finished' || event.type === 'refused') return;
    }
    throw new RunnerUnreachableError(
      'The runner went away before the command ended; what became of it is in its audit log.',
      socketPath,
    );
  } finally {
    sent.destroy();
  }
}

async function restOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  answer.setEncoding('utf8');
  for await (const part of answer as AsyncIterable<string>) text += part;
  return text;
}

async function* linesOf(answer: IncomingMessage, socketPath: string): AsyncGenerator<string> {
  let rest = '';
  answer.setEncoding('utf8');
  try {
    for await (const part of answer as AsyncIterable<string>) {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > lineLimit) throw new Error('a line of the answer is too long');
      for (const line of lines) if (line !== '') yield line;
    }
  } catch (error) {
    throw unreachable(error, socketPath);
  }
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
