import { challengeOfAnswer, isSamePerson } from '../../shared/engine/index.ts';
import type { RecordedPasskey } from '../../shared/engine/index.ts';
import { checkAssertion } from '../../shared/operations/index.ts';
import type { AnswerProof, AuditRow, DecisionRow } from './rows.ts';

interface Signed<Place> {
  readonly row: Pick<DecisionRow, 'id' | 'code'>;
  readonly proof: AnswerProof;
  /** It is what the decision rests on, and no yes that another answer made void. */
  readonly counts: boolean;
  readonly key: RecordedPasskey | null;
  readonly place: Place;
}

/** A yes that was signed, of which the record says what cannot be. */
interface SignedProblem<Place> {
  readonly place: Place;
  readonly text: string;
}

/** A passkey of the record, and when it was taken out; null while it stands. */
export interface KeptKey {
  readonly key: RecordedPasskey;
  readonly removedAt: number | null;
  /** When it could answer in the owner's place; absent: an older program kept none of it. */
  readonly standsIn?: readonly StandsIn[] | undefined;
}

/** From when until when; milliseconds since the epoch. */
interface StandsIn {
  readonly from: number;
  readonly until: number;
}

/** What a passkey stood in for before, cut off where it ends or begins anew, and what begins now. */
function standingIn(
  before: readonly StandsIn[] = [],
  { at, until }: { readonly at: number; readonly until: number | null },
): readonly StandsIn[] {
  const ended = before.map((one) => ({ ...one, until: Math.min(one.until, at) }));
  return until === null ? ended : [...ended, { from: at, until }];
}

/** The passkeys that notes of the record bring and take, `before` being those of older rows. */
export function recordedKeys(before: readonly KeptKey[] = []) {
  const keys = new Map(before.map((one) => [one.key.id, one]));
  return {
    /** Takes in one row, in the order of the record. */
    row: (row: AuditRow): void => {
      if (row.type !== 'note') return;
      const { at, handOver } = row;
      for (const id of handOver?.passkeys ?? []) {
        const known = keys.get(id);
        const until = handOver?.until ?? null;
        if (known !== undefined)
          keys.set(id, { ...known, standsIn: standingIn(known.standsIn, { at, until }) });
      }
      if (row.passkey === undefined) return;
      const { id, change } = row.passkey;
      const known = keys.get(id);
      if (change === 'added') keys.set(id, { key: row.passkey, removedAt: null, standsIn: [] });
      else if (known !== undefined) keys.set(id, { ...known, removedAt: row.at });
    },
    find: (id: string): KeptKey | undefined => keys.get(id),
    all: (): readonly KeptKey[] => [...keys.values()],
  };
}

/** Few rows have a passkey, or hand over to one; the others need not be read for it. */
export function mayHavePasskey(text: string | Buffer): boolean {
  return text.includes('"passkey":{') || text.includes('"handOver":{');
}

/** Rows may overtake one another by so much: an answer may be written after its key was removed. */
const overlapMs = 60_000;

/**
 * Holds what passkeys signed against the keys that stand in the record before it. Nothing else is
 * needed for it, so that it can be checked by who has only the record.
 *
 * @param before the keys of rows that were archived
 */
export function signedAnswers<Place>(before?: readonly KeptKey[]) {
  const keys = recordedKeys(before);
  const signed: Signed<Place>[] = [];
  const found: SignedProblem<Place>[] = [];
  const take = (row: DecisionRow, proof: AnswerProof, place: Place): RecordedPasskey | null => {
    const known = keys.find(proof.passkey.id);
    const isLate = row.at > (known?.removedAt ?? Infinity) + overlapMs;
    const key = known === undefined || isLate ? null : known.key;
    signed.push({
      row: { id: row.id, code: row.code },
      proof,
      counts: proof === row.proof,
      key,
      place,
    });
    return key;
  };
  return {
    /** Takes in one row, in the order of the record, as its text. */
    row: (text: string, place: Place): void => {
      if (!mayHavePasskey(text) && !text.includes('"approvers":')) return;
      const row = JSON.parse(text) as AuditRow;
      keys.row(row);
      if (row.type !== 'decision') return;
      const { earlier = [], proof, approvers = 1 } = row;
      const proofs = [...earlier, ...(proof === undefined ? [] : [proof])];
      const shown = proofs.map((one) => [one, take(row, one, place)] as const);
      for (const [one, key] of shown)
        if (key !== null && !isSamePerson(key.person ?? null, one.person ?? null))
          found.push({ place, text: `What was signed for request ${row.id} is of somebody else.` });
      if (
        approvers > 1 &&
        row.decision === 'allow' &&
        row.by === 'person' &&
        row.code === 'allow-once' &&
        !areDifferent(proofs, approvers)
      )
        found.push({
          place,
          text: `Request ${row.id} was not allowed by ${String(approvers)} different people.`,
        });
      if (approvers === 1 && row.decision === 'allow' && proof !== undefined)
        if (!stoodIn(keys.find(proof.passkey.id), { at: row.at, proof }))
          found.push({
            place,
            text: `Request ${row.id} was allowed by somebody who did not stand in for the owner.`,
          });
    },
    /**
     * What does not hold.
     *
     * @param isWhole every key is known: no older rows were archived without theirs
     */
    problems: async (isWhole: boolean): Promise<readonly SignedProblem<Place>[]> => {
      for (const { row, proof, counts, key, place } of signed) {
        if (key === null && isWhole)
          found.push({
            place,
            text: `Request ${row.id} was signed by a passkey that was not there.`,
          });
        if (key !== null && !(await holds(row, { proof, counts, key })))
          found.push({ place, text: `What was signed for request ${row.id} is not this answer.` });
      }
      return found;
    },
  };
}

/** Whether who said yes alone was the owner, or stood in for them then; true where that is not known. */
function stoodIn(
  known: KeptKey | undefined,
  { at, proof }: { readonly at: number; readonly proof: AnswerProof },
): boolean {
  const person = known?.key.person ?? proof.person;
  if (person === undefined || known === undefined || known.standsIn === undefined) return true;
  return known.standsIn.some(
    ({ from, until }) => from - overlapMs <= at && at <= until + overlapMs,
  );
}

/** So many proofs, each of another person. */
function areDifferent(proofs: readonly AnswerProof[], many: number): boolean {
  const others = (one: AnswerProof, at: number): boolean =>
    proofs.every(
      (other, place) => place === at || !isSamePerson(one.person ?? null, other.person ?? null),
    );
  return proofs.length >= many && proofs.every(others);
}

/** An ask has the id of its request; one that was put anew to somebody else has a number behind it. */
function isAskOf(askId: string, id: string): boolean {
  return (
    askId === id || (askId.startsWith(`${id}.`) && /^[0-9]+$/u.test(askId.slice(id.length + 1)))
  );
}

async function holds(
  { id, code }: Signed<unknown>['row'],
  {
    proof,
    counts,
    key,
  }: { readonly proof: AnswerProof; readonly counts: boolean; readonly key: RecordedPasskey },
): Promise<boolean> {
  const { askDigest, assertion, askId = id } = proof;
  if ((counts && code !== 'allow-once') || !isAskOf(askId, id)) return false;
  const challenge = challengeOfAnswer({ id: askId, askDigest, decision: 'allow-once' });
  try {
    await checkAssertion(assertion, { key: { ...key, counter: 0 }, challenge });
    return true;
  } catch {
    return false;
  }
}
