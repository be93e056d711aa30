import { randomUUID } from 'node:crypto';
import { refusalOf } from '../../refusal/refusal.ts';
import type { Duplex } from '../transport/duplex.ts';
import { approverSession } from './approver-session.ts';
import { guarded } from './breach.ts';
import type { Context } from './context.ts';
import { contextOf, requireOwnPeer } from './context.ts';
import { acceptHello, sendChallenge } from './handshake.ts';
import { nextLine } from './next-line.ts';
import { parseObject } from './parse.ts';
import type { ApproverSession, SessionOptions } from './types.ts';
import { isV1 } from './v1/answer.ts';
import { serveV1 } from './v1/serve.ts';
import type { V1Handlers } from './v1/types.ts';
import { ViolationError, violation } from './violation.ts';

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
