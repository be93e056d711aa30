import { answerWindowMs } from '../../shared/api/limits.ts';
import type { AnswerRequest } from '../../shared/api/types.ts';
import type { Clock } from '../../shared/clock/types.ts';
import { isSigned } from '../../shared/node/answers/mac.ts';
import type { PeerCredentials } from '../../shared/node/peer/types.ts';
import { createNonceMemory } from '../../shared/node/protocol/nonces.ts';
import { refuse } from '../../shared/refusal/refusal.ts';
import type { PendingAsks } from './pending.ts';

export interface TerminalAnswersOptions {
  readonly clock: Clock;
  readonly pending: PendingAsks;
  /** The approvals token; null while the policy has none. */
  readonly token: () => string | null;
  /** Whether a process was started by a command of this runner. */
  readonly isOwnDescendant: (pid: number) => Promise<boolean>;
}

/** Takes answers that a person gives at a terminal. Throws a refusal unless the answer counts. */
export type TerminalAnswers = (
  id: string,
  answer: AnswerRequest,
  peer: PeerCredentials,
) => Promise<void>;

export function createTerminalAnswers(options: TerminalAnswersOptions): TerminalAnswers {
  const { clock, pending } = options;
  const nonces = createNonceMemory(clock);
  return async (id, answer, peer) => {
    const token = options.token();
    if (token === null || !isSigned(token, id, answer))
      throw refuse(
        'hmac-fail',
        'The answer is not signed with the approvals token.',
        'Answer with "interlock approve" as the user who owns INTERLOCK_HOME.',
      );
    if (Math.abs(clock.now() - answer.ts) > answerWindowMs)
      throw refuse('replay-detected', 'The answer is too old.', 'Answer again.');
    if (!nonces.use(answer.nonce, answer.ts + 2 * answerWindowMs))
      throw refuse('replay-detected', 'The answer was used before.', 'Answer again.');
    if (peer.pid !== null && (await options.isOwnDescendant(peer.pid)))
      throw refuse(
        'hmac-fail',
        'A command cannot answer for a person.',
        'Answer in a terminal or in the app.',
      );
    const { decision, askDigest, remember, note } = answer;
    const accepted = pending.answer({
      id,
      askDigest,
      decision,
      ...(remember === undefined ? {} : { remember }),
      ...(note === undefined ? {} : { note }),
    });
    if (!accepted)
      throw refuse(
        'invalid-request',
        'No such question is open: it was answered, withdrawn or is another one by now.',
        'See what is open with "interlock pending".',
      );
  };
}
