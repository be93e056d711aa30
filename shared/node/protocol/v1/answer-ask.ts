import { createHmac } from 'node:crypto';
import type { DecisionWord } from '../../../ask/types.ts';
import { decisionWords } from '../../../ask/types.ts';
import type { V1AskRequest, V1DecisionFrame } from '../../../frames/v1.ts';
import { checkV1Request } from '../../../frames/v1-schemas.ts';
import { sameMac } from '../keys.ts';
import { violation } from '../violation.ts';
import type { V1Options } from './answer.ts';

/**
 * Answers `{"type":"request"}`. A wrong token is answered `deny`, and a client cannot tell that
 * from a person's `deny`. Null where the client takes no `deny`, or where the frame is malformed.
 */
export async function answerAsk(
  frame: unknown,
  options: V1Options,
): Promise<V1DecisionFrame | null> {
  const checked = checkV1Request(frame);
  if (!checked.ok) return null;
  const { id, request, token } = checked.value;
  if (!sameSecret(token, options.token)) {
    options.onViolation(violation('bad-mac', 'A version-1 request carries a wrong token.'));
    return { type: 'decision', id, decision: 'deny' };
  }
  const offered = offeredBy(request);
  const decision = await decide(request, offered, { id, options });
  if (decision !== null && offered.includes(decision)) return { type: 'decision', id, decision };
  return offered.includes('deny') ? { type: 'decision', id, decision: 'deny' } : null;
}

/** The words that a client takes; words that nobody knows are left out. */
export function offeredBy(request: V1AskRequest): readonly DecisionWord[] {
  const allowed = request.allowedDecisions ?? null;
  if (allowed !== null) return decisionWords.filter((word) => allowed.includes(word));
  return decisionWords.filter((word) => word !== 'allow-always' || request.ask !== 'always');
}

async function decide(
  request: V1AskRequest,
  offered: readonly DecisionWord[],
  asked: { readonly id: string; readonly options: V1Options },
): Promise<DecisionWord | null> {
  const { handlers, peer, signal } = asked.options;
  try {
    return await handlers.decide(request, offered, { id: asked.id, peer, signal });
  } catch {
    return null;
  }
}

/** Compares two secrets of any length in constant time. */
function sameSecret(one: string, other: string): boolean {
  const hash = (secret: string): string =>
    createHmac('sha256', 'interlock-approval/1').update(secret, 'utf8').digest('hex');
  return sameMac(hash(one), hash(other));
}
