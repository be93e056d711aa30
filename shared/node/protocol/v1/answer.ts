import type { NonceMemory } from '../nonces.ts';
import type { Violation } from '../violation.ts';
import { answerAsk } from './answer-ask.ts';
import { answerExec } from './answer-exec.ts';
import type { V1Context, V1Handlers } from './types.ts';

export interface V1Options {
  readonly token: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Nonces of exec frames that were accepted before. */
  readonly seen: NonceMemory;
  readonly handlers: V1Handlers;
  readonly peer: V1Context['peer'];
  readonly signal: V1Context['signal'];
  /** A wrong token, a wrong hmac or a replay: for the audit row. */
  readonly onViolation: (violation: Violation) => void;
}

/** True when a frame's type is one of version 1. */
export function isV1(frame: Readonly<Record<string, unknown>>): boolean {
  return frame['type'] === 'request' || frame['type'] === 'exec';
}

/**
 * The one line that answers a version-1 frame, without its newline; null: close without a word.
 * Never rejects: whatever goes wrong in a handler is a refusal.
 */
export async function answerV1(
  frame: Readonly<Record<string, unknown>>,
  options: V1Options,
): Promise<string | null> {
  const answer =
    frame['type'] === 'request'
      ? await answerAsk(frame, options)
      : frame['type'] === 'exec'
        ? await answerExec(frame, options)
        : null;
  return answer === null ? null : JSON.stringify(answer);
}
