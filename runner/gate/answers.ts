import { personWords } from '../../shared/engine/index.ts';
import type { GivenAnswer } from '../../shared/engine/index.ts';
import type { AnswerProof } from '../audit/rows.ts';
import type { AskEnding } from './ports.ts';

/** Who said what to an ask, in the order of the answers; empty where nobody did. */
export function answersOf(ending: AskEnding): readonly GivenAnswer[] {
  const earlier = (ending.earlier ?? []).map(signedBy);
  if (ending.kind !== 'decided') return earlier;
  const { decision, proof, via, by } = ending;
  const where = by === undefined ? { via } : { via, by };
  if (decision.decision === 'deny') return [...earlier, { said: 'no', ...where }];
  return [...earlier, proof === undefined ? { said: 'yes', ...where } : signedBy(proof)];
}

/** A passkey signs in the app and nowhere else. */
function signedBy({ passkey, person }: AnswerProof): GivenAnswer {
  return { said: 'yes', via: 'app', person: person ?? null, passkey: passkey.name };
}

/** Those who said yes and are known, as words: `Ben and the owner`; null where none is. */
export function namesOf(answers: readonly GivenAnswer[]): string | null {
  const names = answers.flatMap(({ said, person }) =>
    said === 'yes' && person !== undefined ? [personWords(person)] : [],
  );
  return names.length === 0 ? null : names.join(' and ');
}
