import { challengeOfAnswer } from '../../shared/engine/index.ts';
import type { RecordedPasskey } from '../../shared/engine/index.ts';
import { checkAssertion } from '../../shared/operations/index.ts';
import type { AuditRow, DecisionRow } from './rows.ts';

interface Signed<Place> {
  readonly row: DecisionRow;
  readonly key: RecordedPasskey | null;
  readonly place: Place;
}

/** A yes that was signed, of which the record says what cannot be. */
interface SignedProblem<Place> {
  readonly place: Place;
  readonly text: string;
}

/** Rows may overtake one another by so much: an answer may be written after its key was removed. */
const overlapMs = 60_000;

/**
 * Holds what passkeys signed against the keys that stand in the record before it. Nothing else is
 * needed for it, so that it can be checked by who has only the record.
 */
export function signedAnswers<Place>() {
  const keys = new Map<string, { readonly key: RecordedPasskey; removedAt: number }>();
  const signed: Signed<Place>[] = [];
  return {
    /** Takes in one row, in the order of the record, as its text. */
    row: (text: string, place: Place): void => {
      // Few rows have either; the others are not read.
      if (!text.includes('"passkey":{')) return;
      const row = JSON.parse(text) as AuditRow;
      if (row.type === 'note' && row.passkey !== undefined) {
        const { id, change } = row.passkey;
        const known = keys.get(id);
        if (change === 'added') keys.set(id, { key: row.passkey, removedAt: Infinity });
        else if (known !== undefined) known.removedAt = row.at;
      }
      if (row.type !== 'decision' || row.proof === undefined) return;
      const found = keys.get(row.proof.passkey.id);
      const key = found !== undefined && row.at <= found.removedAt + overlapMs ? found.key : null;
      signed.push({ row, key, place });
    },
    /**
     * What does not hold.
     *
     * @param isWhole no older rows were archived, so that every key is in it
     */
    problems: async (isWhole: boolean): Promise<readonly SignedProblem<Place>[]> => {
      const found: SignedProblem<Place>[] = [];
      for (const { row, key, place } of signed) {
        if (key === null && isWhole)
          found.push({
            place,
            text: `Request ${row.id} was signed by a passkey that was not there.`,
          });
        if (key !== null && !(await holds(row, key)))
          found.push({ place, text: `What was signed for request ${row.id} is not this answer.` });
      }
      return found;
    },
  };
}

async function holds({ id, code, proof }: DecisionRow, key: RecordedPasskey): Promise<boolean> {
  if (proof === undefined || code !== 'allow-once') return false;
  const { askDigest, assertion } = proof;
  const challenge = challengeOfAnswer({ id, askDigest, decision: 'allow-once' });
  try {
    await checkAssertion(assertion, { key: { ...key, counter: 0 }, challenge });
    return true;
  } catch {
    return false;
  }
}
