import type { ExecEvent } from '../../../shared/api/types.ts';
import { refusalOf } from '../../../shared/refusal/refusal.ts';
import type { Refusal } from '../../../shared/refusal/refusal.ts';
import { exitCodeOfRefusal, exitCodeOfSignal, exitCodes } from '../exit.ts';
import { refusalLines } from '../failure.ts';
import { say } from '../io.ts';
import type { Io, StopSignal } from '../io.ts';
import { sayDuration } from '../text/duration.ts';
import type { FinishedEvent, OutputSink } from './output.ts';
import { rateLimitDelays } from './patience.ts';
import type { Sleep } from './patience.ts';

export interface RunParts {
  /** Sends the request once; called again where the runner says `rate-limit`. */
  readonly start: (signal: AbortSignal) => AsyncIterable<ExecEvent>;
  readonly sink: OutputSink;
  readonly io: Io;
  readonly sleep: Sleep;
  /** Tell a person on stderr what is being waited for. */
  readonly chatty: boolean;
}

/** Runs one request to its end and resolves with the exit status of `interlock run`. */
export async function runRequest(parts: RunParts): Promise<number> {
  const { io } = parts;
  const stop = new AbortController();
  let stoppedBy: StopSignal | null = null;
  const unlisten = io.onSignal((signal) => {
    stoppedBy ??= signal;
    stop.abort();
  });
  try {
    return await attempts(parts, stop.signal);
  } catch (error) {
    if (stoppedBy === null) throw error;
    return exitCodeOfSignal(stoppedBy);
  } finally {
    unlisten();
  }
}

async function attempts(parts: RunParts, signal: AbortSignal): Promise<number> {
  for (const pause of [...rateLimitDelays, null]) {
    const end = await attempt(parts, signal);
    if (end.type === 'finished') {
      parts.sink.finished(end);
      return exitCodeOf(end);
    }
    if (end.refusal.code !== 'rate-limit' || pause === null) return refused(end, parts);
    if (parts.chatty)
      say(parts.io.stderr, `interlock: too many requests, trying again in ${sayDuration(pause)}`);
    await parts.sleep(pause, signal);
  }
  throw new Error('unreachable: the last attempt always ends');
}

type End =
  | FinishedEvent
  | { readonly type: 'refused'; readonly id: string | null; readonly refusal: Refusal };

async function attempt(parts: RunParts, signal: AbortSignal): Promise<End> {
  try {
    for await (const event of parts.start(signal)) {
      if (event.type === 'finished' || event.type === 'refused') return event;
      await onEvent(event, parts);
    }
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { type: 'refused', id: null, refusal };
  }
  throw new Error('the stream of events ended without an end of the command');
}

async function onEvent(
  event: Exclude<ExecEvent, { type: 'finished' | 'refused' }>,
  { sink, io, chatty }: RunParts,
): Promise<void> {
  if (event.type === 'stdout' || event.type === 'stderr') return sink.write(event);
  if (event.type === 'pending' && chatty) {
    const left = sayDuration(event.expiresAt - io.now());
    say(
      io.stderr,
      `interlock: waiting for a person to decide (${left} left; here: interlock approve ${event.askId})`,
    );
  }
  return undefined;
}

function refused(end: Extract<End, { type: 'refused' }>, { sink, io }: RunParts): number {
  for (const line of refusalLines(end.refusal)) say(io.stderr, line);
  sink.refused(end.id, end.refusal);
  return exitCodeOfRefusal(end.refusal);
}

function exitCodeOf(end: FinishedEvent): number {
  if (end.exitCode !== null) return end.exitCode;
  return end.signal === null ? exitCodes.failed : exitCodeOfSignal(end.signal);
}
