import { displayPlain, readAs, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';

/** Who answers asks: the owner of the home, and people whose passkeys the owner has added. */

/** One that stands here as the owner's would make two people of one. */
const ownerNames: readonly string[] = [
  '',
  'owner',
  'the owner',
  // As the German page calls them.
  'eigentümer',
  'der eigentümer',
  'besitzer',
  'der besitzer',
];

/** Names that are the same to a reader are one person; the owner has none. */
function keyOf(person: string | null): string {
  return person === null ? 'owner' : readAs(person);
}

/** Whether two names are of one person; null: the owner. */
export function isSamePerson(one: string | null, other: string | null): boolean {
  return keyOf(one) === keyOf(other);
}

/** Whether somebody else than the owner may be called so. */
export function mayBeNamed(person: string): boolean {
  return !ownerNames.includes(keyOf(person));
}

/** A yes that a passkey has signed. */
export interface SignedYes {
  /** Whose passkey it is; null: the owner's. */
  readonly person: string | null;
  readonly passkey: { readonly id: string; readonly name: string };
}

/** What happens to an ask that more than one person has to allow. */
export type AnswerEvent<Yes extends SignedYes> =
  | { readonly kind: 'yes'; readonly yes: Yes }
  | { readonly kind: 'no' }
  /** The time is over. */
  | { readonly kind: 'timeout' }
  /** Somebody's passkey was removed: what it said counts no more. */
  | { readonly kind: 'revoked'; readonly passkey: string };

/** The answers so far. Once `ended` is set nothing changes any more. */
export interface Count<Yes extends SignedYes> {
  readonly needed: number;
  readonly given: readonly Yes[];
  /** `repeated`: one person, or one passkey, said yes twice. Only `allowed` allows anything. */
  readonly ended: null | 'allowed' | 'denied' | 'expired' | 'repeated';
}

/** Nobody has answered yet. `needed`: how many different people have to say yes. */
export function noAnswers<Yes extends SignedYes>(needed: number): Count<Yes> {
  return { needed, given: [], ended: null };
}

/** The count after one more event: one no ends it, and only a yes of somebody else is one more. */
export function counted<Yes extends SignedYes>(
  count: Count<Yes>,
  event: AnswerEvent<Yes>,
): Count<Yes> {
  if (count.ended !== null) return count;
  if (event.kind === 'no') return { ...count, ended: 'denied' };
  if (event.kind === 'timeout') return { ...count, ended: 'expired' };
  if (event.kind === 'revoked')
    return { ...count, given: count.given.filter(({ passkey }) => passkey.id !== event.passkey) };
  const { yes } = event;
  if (count.given.some((one) => isOneAnswer(one, yes))) return { ...count, ended: 'repeated' };
  const given = [...count.given, yes];
  return { ...count, given, ended: given.length >= count.needed ? 'allowed' : null };
}

function isOneAnswer(one: SignedYes, other: SignedYes): boolean {
  return isSamePerson(one.person, other.person) || one.passkey.id === other.passkey.id;
}

/** Whether a passkey may answer alone: the owner's, and that of who stands in for them now. */
export function mayAnswerAlone(
  { person, standsInUntil = 0 }: { readonly person?: string; readonly standsInUntil?: number },
  now: number,
): boolean {
  return person === undefined || standsInUntil > now;
}

const answerPlaces = ['app', 'terminal', 'gateway'] as const;

/** What one person said to an ask, as the record and the history have it. */
export const givenAnswerSchema = s.object({
  said: s.oneOf(['yes', 'no']),
  via: s.oneOf(answerPlaces),
  /** Whose passkey signed; null: the owner's. Absent: nothing shows who it was. */
  person: s.optional(s.nullable(s.string({ maxLength: 60 }))),
  /** The name of the passkey. */
  passkey: s.optional(s.string({ maxLength: 60 })),
  /** Of an answer that came from the gateway: which one, and how it was given there, in its words. */
  by: s.optional(s.string({ maxLength: 1_000 })),
});
export type GivenAnswer = Static<typeof givenAnswerSchema>;

/** A name to be read; null: the owner. */
export function personWords(person: string | null): string {
  return person ?? 'the owner';
}

/** Who has to allow an ask, and who has, where one person is not enough; else null. */
export function approversWords({
  approvers = 1,
  answered = [],
}: {
  readonly approvers?: number;
  readonly answered?: readonly { readonly person: string | null }[];
}): string | null {
  if (approvers === 1) return null;
  const said = answered.map(({ person }) => ` ${personWords(person)} said yes.`);
  return `Two different people have to allow this, each with a passkey.${said.join('')}`;
}

const placeWords: Readonly<Record<GivenAnswer['via'], string>> = {
  app: 'in the app',
  terminal: 'at a terminal',
  gateway: 'at the gateway',
};

/** An answer as words: `yes by Ben with the passkey "blue key"`, `no at a terminal`. */
export function answerWords({ said, via, person, passkey, by }: GivenAnswer): string {
  if (person === undefined)
    return `${said} ${placeWords[via]}${by === undefined ? '' : ` ${displayPlain(by)}`}`;
  const shown = passkey === undefined ? '' : ` with the passkey "${passkey}"`;
  return `${said} by ${personWords(person)}${shown}`;
}
