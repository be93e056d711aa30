import { refuse } from '../../refusal/refusal.ts';
import type { CloseReason, Duplex } from '../transport/duplex.ts';
import type { Context } from './context.ts';
import { ViolationError } from './violation.ts';

/** The breach of protocol that made a transport close, or null when it simply closed. */
export function breachOf(reason: CloseReason): ViolationError | null {
  return reason.code === 'frame-too-long' ||
    reason.code === 'partial-frame' ||
    reason.code === 'invalid-utf8'
    ? new ViolationError(reason.code, reason.detail)
    : null;
}

/**
 * Runs a handshake. Whatever fails closes the connection, a breach is told once, and the caller
 * gets a `RefusalError`.
 */
export async function guarded<T>(
  duplex: Duplex,
  context: Context,
  handshake: () => Promise<T>,
): Promise<T> {
  try {
    return await handshake();
  } catch (error) {
    duplex.destroy();
    if (!(error instanceof ViolationError)) throw error;
    context.onViolation(error.violation);
    throw refuse(
      error.violation.refusal,
      `No session with the other side: ${error.violation.detail}`,
      'Check that both sides use the same policy file, and that no other program sits on the socket.',
      { cause: error },
    );
  }
}
