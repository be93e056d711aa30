import type { Duplex } from '../../transport/duplex.ts';
import { v1MaxFrameBytes } from '../../../frames/v1.ts';
import type { Context } from '../context.ts';
import { ViolationError } from '../violation.ts';
import { answerV1 } from './answer.ts';
import type { V1Handlers } from './types.ts';

/** A line that every version-1 client skips. */
const waiting = '{"type":"waiting"}';
const waitingEveryMs = 1_000;

/** How long a version-1 client waits for a person; later than this no answer reaches it. */
const askPatienceMs = 15_000;

/** One version-1 frame, as the first line of a connection brought it. */
export interface V1Call {
  readonly line: string;
  readonly frame: Readonly<Record<string, unknown>>;
  readonly handlers: V1Handlers;
}

/**
 * Answers the one frame of a version-1 connection and closes it. While the answer is being found a
 * line goes out every second: on a half-closed socket a write is the only way to learn that the
 * client is gone, and its prompt with it. A question to a person ends after the client's own patience.
 */
export async function serveV1(duplex: Duplex, context: Context, call: V1Call): Promise<void> {
  if (Buffer.byteLength(call.line) > v1MaxFrameBytes) {
    throw new ViolationError('frame-too-long', 'A version-1 frame is longer than is allowed.');
  }
  const gone = new AbortController();
  let answered = false;
  duplex.onClose(() => {
    if (!answered) gone.abort();
  });
  let stop = (): void => {};
  const beat = (): void => {
    stop = context.clock.after(waitingEveryMs, () => {
      duplex.send(waiting);
      beat();
    });
  };
  beat();
  const forget =
    call.frame['type'] === 'request'
      ? context.clock.after(askPatienceMs, () => gone.abort())
      : () => {};
  try {
    const answer = await answerV1(call.frame, {
      token: context.token,
      now: () => context.clock.now(),
      seen: context.nonces,
      handlers: call.handlers,
      peer: duplex.peer,
      signal: gone.signal,
      onViolation: context.onViolation,
    });
    answered = true;
    if (answer !== null) duplex.send(answer);
  } finally {
    stop();
    forget();
    duplex.end();
  }
}
