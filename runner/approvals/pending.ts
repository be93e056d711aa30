import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import { choiceOf } from '../../shared/engine/index.ts';
import type { Ask, Decision, GivenAnswer } from '../../shared/engine/index.ts';
import { createNonceMemory, isSigned } from '../../shared/ipc/index.ts';
import type { PeerCredentials } from '../../shared/ipc/index.ts';
import { answerWindowMs } from '../../shared/wire/index.ts';
import type { AnswerRequest, PendingAsk } from '../../shared/wire/index.ts';
import type { AskEnding } from '../gate/ports.ts';
import { wherePasskeysAre } from './passkeys.ts';

/** The asks that are in front of a person. Each ends exactly once; whoever comes later is told so. */
export interface PendingAsks {
  /** Settles with the first ending. */
  add(ask: Ask, askDigest: string): Promise<AskEnding>;
  list(): readonly PendingAsk[];
  find(id: string): PendingAsk | undefined;
  /** Ends one ask; false when it is not open (any more). */
  end(id: string, ending: AskEnding): boolean;
  /** An answer. False when no such ask is open, or it names the digest of another one. */
  answer(decision: Decision, via: GivenAnswer['via'], by?: string): boolean;
  endAll(ending: AskEnding): void;
  onChange(listener: () => void): void;
}

export function createPendingAsks(): PendingAsks {
  const open = new Map<string, PendingAsk & { readonly settle: (ending: AskEnding) => void }>();
  const listeners: (() => void)[] = [];
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const end = (id: string, ending: AskEnding): boolean => {
    const entry = open.get(id);
    if (entry === undefined) return false;
    open.delete(id);
    entry.settle(ending);
    changed();
    return true;
  };
  return {
    add: async (ask, askDigest) =>
      new Promise((settle) => {
        open.set(ask.id, { ask, askDigest, settle });
        changed();
      }),
    list: () => [...open.values()].map(({ ask, askDigest }) => ({ ask, askDigest })),
    find: (id) => open.get(id),
    end,
    answer: (decision, via, by) => {
      const entry = open.get(decision.id);
      if (entry === undefined || entry.askDigest !== decision.askDigest) return false;
      const where = by === undefined ? { via } : { via, by };
      return end(decision.id, { kind: 'decided', ask: entry.ask, decision, ...where });
    },
    endAll: (ending) => {
      for (const id of open.keys()) end(id, ending);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}

interface TerminalAnswersOptions {
  readonly clock: Clock;
  readonly pending: PendingAsks;
  /** The approvals token; null while the policy has none. */
  readonly token: () => Promise<string | null>;
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
    const token = await options.token();
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
    const asked = pending.find(id);
    if (asked?.askDigest === askDigest && choiceOf(asked.ask, answer) === null)
      throw refuse(
        'invalid-request',
        'The answer picks what the question does not offer.',
        'See what is on offer with "interlock pending --json".',
      );
    if (asked?.ask.presence === 'passkey' && decision !== 'deny')
      throw refuse('confirm-rejected', 'Only a passkey can allow this.', wherePasskeysAre);
    const given = {
      id,
      askDigest,
      decision,
      ...(remember === undefined ? {} : { remember }),
      ...(note === undefined ? {} : { note }),
    };
    const accepted = pending.answer(given, 'terminal');
    if (!accepted)
      throw refuse(
        'invalid-request',
        'No such question is open: it was answered, withdrawn or is another one by now.',
        'See what is open with "interlock pending".',
      );
  };
}
