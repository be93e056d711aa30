import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AnswerRequest } from '../../api/types.ts';

/** An answer as it is signed: everything but the mac. */
export type UnsignedAnswer = Omit<AnswerRequest, 'mac'>;

const label = 'interlock answer 1';

/**
 * HMAC-SHA256 (hex) of an answer to the ask `id`. Every field goes in under its length, an absent
 * one as an empty field with its own mark, so that no two answers share one input.
 */
export function answerMac(token: string, id: string, answer: UnsignedAnswer): string {
  const mac = createHmac('sha256', Buffer.from(token, 'utf8'));
  for (const field of [
    label,
    id,
    answer.askDigest,
    answer.decision,
    answer.remember === undefined ? '-' : `+${answer.remember.duration}`,
    answer.remember === undefined ? '-' : `+${answer.remember.proposalId}`,
    answer.note === undefined ? '-' : `+${answer.note}`,
    String(answer.ts),
    answer.nonce,
  ]) {
    const bytes = Buffer.from(field, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    mac.update(length).update(bytes);
  }
  return mac.digest('hex');
}

/** Whether the answer's mac was made with `token`; compared in constant time. */
export function isSigned(token: string, id: string, answer: AnswerRequest): boolean {
  const wanted = Buffer.from(answerMac(token, id, answer), 'hex');
  const given = Buffer.from(answer.mac, 'hex');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

export interface SignOptions {
  /** The approvals token of the policy file. */
  readonly token: string;
  readonly askId: string;
  readonly now: () => number;
}

/** A body for `POST /v1/pending/:id/answer`, with a fresh nonce and the present time. */
export function signAnswer(
  options: SignOptions,
  answer: Pick<AnswerRequest, 'askDigest' | 'decision' | 'remember' | 'note'>,
): AnswerRequest {
  const unsigned: UnsignedAnswer = {
    ...answer,
    ts: options.now(),
    nonce: randomBytes(32).toString('base64url'),
  };
  return { ...unsigned, mac: answerMac(options.token, options.askId, unsigned) };
}
