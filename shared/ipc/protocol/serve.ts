import { randomUUID } from 'node:crypto';
import { refusalOf } from '../../base/index.ts';
import { v1MaxFrameBytes } from '../../wire/index.ts';
import type { Duplex } from '../transport/duplex.ts';
import { approverSession } from './approver-session.ts';
import { contextOf, requireOwnPeer } from './context.ts';
import type { ApproverSession, Context, SessionOptions } from './context.ts';
import { acceptHello, nextLine, sendChallenge } from './handshake.ts';
import { answerV1, isV1 } from './v1.ts';
import type { V1Handlers } from './v1.ts';
import { ViolationError, guarded, parseObject, violation } from './violation.ts';

/** A line that every version-1 client skips. */
const waiting = '{"type":"waiting"}';
const waitingEveryMs = 1_000;

/** How long a version-1 client waits for a person; later than this no answer reaches it. */
const askPatienceMs = 15_000;

/** One version-1 frame, as the first line of a connection brought it. */
interface V1Call {
  readonly line: string;
  readonly frame: Readonly<Record<string, unknown>>;
  readonly handlers: V1Handlers;
}

/**
 * Answers the one frame of a version-1 connection and closes it. While the answer is being found a
 * line goes out every second: on a half-closed socket a write is the only way to learn that the
 * client is gone, and its prompt with it. A question to a person ends after the client's own patience.
 */
async function serveV1(duplex: Duplex, context: Context, call: V1Call): Promise<void> {
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

export interface ServeOptions {
  readonly v2: SessionOptions & {
    /** A runner has proved that it knows the token. Set the callbacks in this turn. */
    readonly onSession: (session: ApproverSession) => void;
  };
  /** Null where `config.json` turns version 1 off. */
  readonly v1: V1Handlers | null;
}

/**
 * Serves one connection to the approvals socket, whichever version its client speaks. The challenge
 * of version 2 goes out at once; a version-1 client skips lines whose type it does not know, and
 * its own first line then tells it apart. What goes wrong closes the connection, a breach of
 * protocol reaches `v2.onViolation`, and neither throws. Throws `config-invalid` when there is no
 * usable token.
 */
export function serveApprovals(duplex: Duplex, options: ServeOptions): void {
  const context = contextOf(options.v2);
  if (options.v1 !== null && duplex.peer?.uid !== context.uid) {
    denyForeigner(duplex, context);
    return;
  }
  guarded(duplex, context, () => serve(duplex, context, options)).catch((error: unknown) => {
    if (refusalOf(error) === undefined) throw error;
  });
}

async function serve(duplex: Duplex, context: Context, options: ServeOptions): Promise<void> {
  requireOwnPeer(duplex, context.uid);
  const challenge = sendChallenge(duplex, context);
  const line = await nextLine(duplex, context.clock, context.limits.challengeTtlMs);
  const frame = parseObject(line);
  if (isV1(frame)) {
    if (options.v1 === null) {
      throw new ViolationError('wrong-version', 'A version-1 client came, and version 1 is off.');
    }
    await serveV1(duplex, context, { line, frame, handlers: options.v1 });
    return;
  }
  const key = acceptHello(line, challenge, { ...context, duplex });
  options.v2.onSession(approverSession(duplex, context, key));
}

/** Version 1 has a word for a peer of another user: `deny`, under an id of our own. */
function denyForeigner(duplex: Duplex, context: Context): void {
  context.onViolation(
    violation('foreign-peer', 'The peer runs as another user, or its user could not be read.'),
  );
  duplex.send(JSON.stringify({ type: 'decision', id: randomUUID(), decision: 'deny' }));
  duplex.end();
}
