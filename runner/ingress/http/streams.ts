import type { FastifyRequest } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Refusal } from '../../../shared/base/index.ts';
import type { ExecEvent, HookAnswer } from '../../../shared/wire/index.ts';
import { dataWithoutKnown } from '../../audit/known-secrets.ts';
import { refusalLines } from '../../cli/failure.ts';
import { exitCodeOfRefusal, exitCodeOfSignal, exitCodes } from '../../cli/io.ts';
import type { GateIo } from '../../hosts/host.ts';

/**
 * What a program has to do, byte for byte, for clients that understand nothing else: the native one
 * (`runner/client`). A frame is one byte for its kind, its length in 4 bytes big-endian, and that many
 * bytes; `answer.h` has the kinds. The last frame says how it ended, so an answer without one is none.
 */
const mediaType = 'application/x-interlock-frames';

type Kind = 'o' | 'e' | 'f' | 'x' | 'h';

/** Whether a request wants its answer in frames. */
export function wantsFrames({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.accept === mediaType;
}

/** The longest frame in bytes; a client refuses a longer one. */
const frameLimit = 4 * 1024 * 1024;

/** Text or bytes as frames of one kind; none for nothing. */
function frames(kind: Kind, content: string | Buffer): readonly Buffer[] {
  const bytes = Buffer.from(content);
  const made: Buffer[] = [];
  for (let from = 0; from < bytes.length; from += frameLimit) {
    const part = bytes.subarray(from, from + frameLimit);
    const head = Buffer.alloc(5);
    head.write(kind, 'latin1');
    head.writeUInt32BE(part.length, 1);
    made.push(head, part);
  }
  return made;
}

function exit(status: number): readonly Buffer[] {
  return frames('x', Buffer.from([status]));
}

/** A hook's answer: what it writes, and its exit status. */
export function hookFrames({ stdout, stderr, exitCode }: HookAnswer): Buffer {
  return Buffer.concat([...frames('e', stderr), ...frames('o', stdout), ...exit(exitCode)]);
}

/** What `interlock run` would write and end with, for one event. */
export function eventFrames(event: ExecEvent): Buffer {
  return Buffer.concat([...framesOf(event)]);
}

function framesOf(event: ExecEvent): readonly Buffer[] {
  switch (event.type) {
    case 'stdout':
      return frames('o', Buffer.from(event.data, event.encoding));
    case 'stderr':
      return frames('e', Buffer.from(event.data, event.encoding));
    case 'finished':
      return [...frames('f', event.folder ?? ''), ...exit(exitOf(event))];
    case 'refused':
      // Whoever is told to wait tries again, which the whole program does.
      if (event.refusal.code === 'rate-limit') return [Buffer.from('h\0\0\0\0', 'latin1')];
      return refusedFrames(event.refusal);
    case 'pending':
    case 'started':
    default:
      return [];
  }
}

function refusedFrames(refusal: Refusal): readonly Buffer[] {
  const words = refusalLines(refusal).map((line) => `${line}\n`);
  return [...frames('e', words.join('')), ...exit(exitCodeOfRefusal(refusal))];
}

function exitOf({ exitCode, signal }: Extract<ExecEvent, { type: 'finished' }>): number {
  if (exitCode !== null) return exitCode;
  return signal === null ? exitCodes.failed : exitCodeOfSignal(signal);
}

/** The same for a client behind which there is no other program: nothing is left for one to do. */
export function lastFrames(event: ExecEvent): Buffer {
  return event.type === 'refused'
    ? Buffer.concat([...refusedFrames(event.refusal)])
    : eventFrames(event);
}

/** Writes events as frames, in the form of `eventFrames` or of `lastFrames`. */
export function frameStream(response: ServerResponse, form = eventFrames): GateIo {
  return writerOf(response, { type: mediaType, form });
}

/** The head that goes with frames. */
export const frameHeaders = { 'content-type': mediaType, 'cache-control': 'no-store' } as const;

/** For answers that come in one piece: nothing is streamed, and a caller who left aborts `gone`. */
export function waiting(response: ServerResponse): GateIo {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return { gone: controller.signal, emit: () => undefined };
}

/** Writes events as NDJSON. */
export function eventStream(response: ServerResponse): GateIo {
  return writerOf(response, {
    type: 'application/x-ndjson',
    form: (event) => `${JSON.stringify(event)}\n`,
  });
}

/** Writes events in a form of their own. A slow reader holds the writer back; a gone one aborts `gone`. */
function writerOf(
  response: ServerResponse,
  { type, form }: { readonly type: string; readonly form: (event: ExecEvent) => string | Buffer },
): GateIo {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' });
  response.flushHeaders();
  return {
    gone: controller.signal,
    emit: (event: ExecEvent) => {
      if (response.destroyed || response.writableEnded) return undefined;
      const made = form(hidden(event));
      return made.length === 0 || response.write(made) ? undefined : drained(response);
    },
  };
}

/** Output was looked at as it came, wherever it is cut; where a command ended is a path to go to. */
function hidden(event: ExecEvent): ExecEvent {
  const { type } = event;
  const isPassed = type === 'stdout' || type === 'stderr' || type === 'finished';
  return isPassed ? event : dataWithoutKnown(event);
}

async function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.on('drain', done);
    response.on('close', done);
  });
}
