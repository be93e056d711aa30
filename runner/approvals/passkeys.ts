import { refuse } from '../../shared/base/index.ts';
import type { Clock } from '../../shared/base/index.ts';
import {
  challengeFor,
  challengeOfAnswer,
  isSamePerson,
  mayAnswerAlone,
  mayBeNamed,
  personWords,
} from '../../shared/engine/index.ts';
import type { Ask, Decision, Passkey, PersonProof } from '../../shared/engine/index.ts';
import {
  changePasskeys,
  createNonces,
  mostPasskeys,
  provePasskey,
  readAttestation,
  readPasskeys,
  requireNonce,
} from '../../shared/operations/index.ts';
import type { Nonces, PasskeyFile } from '../../shared/operations/index.ts';
import type { HandOver, PasskeyAdd, PasskeyRemove } from '../../shared/wire/index.ts';
import type { AnswerProof, NoteRow } from '../audit/rows.ts';

interface PasskeyDeskOptions {
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly file: PasskeyFile;
  /** Host names of the pages that passkeys may be made for. */
  readonly rpIds: () => readonly string[];
  /** Throws while everything is stopped. */
  readonly requireGoing: () => void;
  /** Throws unless this is the passphrase that a person has set. */
  readonly requirePassphrase: (passphrase: string) => Promise<void>;
  /** Writes a row to the record. Throws when it cannot. */
  readonly append: (row: NoteRow) => void;
}

/**
 * Adds and removes passkeys for a person who proves to be one, by the passphrase or a passkey that is
 * there already: whoever sits at an open page must not be able to bring a key of their own. Each
 * change is in the record, with the key, so that what it signs can be checked there.
 */
export interface PasskeyDesk {
  /** For one change, once. */
  nonce(): string;
  add(request: PasskeyAdd): Promise<Passkey>;
  remove(request: PasskeyRemove): Promise<void>;
  /** Lets somebody else answer in the owner's place for a time, or no more. */
  handOver(request: HandOver): Promise<void>;
}

export function createPasskeyDesk(options: PasskeyDeskOptions): PasskeyDesk {
  const { clock, random, file, requireGoing, append } = options;
  const now = (): number => clock.now();
  const nonces = createNonces({ elapsed: () => clock.elapsed(), random });
  const requirePerson = async (proof: PersonProof, challenge: string): Promise<string> => {
    if ('passphrase' in proof) {
      await options.requirePassphrase(proof.passphrase);
      return 'the passphrase';
    }
    const { name } = await provePasskey(proof.assertion, { file, challenge, now });
    return `the passkey "${name}"`;
  };
  return {
    nonce: () => nonces.issue(),
    add: async ({ nonce, name, person, attestation, proof }) => {
      requireGoing();
      requireNonce(nonces, nonce);
      if (person !== undefined) requireName(person);
      const passkey = await readAttestation(attestation, {
        challenge: challengeFor(['register', nonce, name, ...whose(person)]),
        name,
        person,
        rpIds: options.rpIds(),
        now,
      });
      const what = challengeFor(['change', nonce, 'add', passkey.id]);
      const by = await requirePerson(proof, what);
      await changePasskeys(file, (passkeys) => {
        requireRoom(passkeys, passkey);
        // In the record first: a key that is not there could sign what nobody can check.
        append(noteOf(passkey, 'added', { at: now(), by }));
        return [...passkeys, passkey];
      });
      return passkey;
    },
    remove: async ({ nonce, id, proof }) => {
      requireGoing();
      requireNonce(nonces, nonce);
      const found = readPasskeys(file).find((one) => one.id === id);
      if (found === undefined)
        throw refuse('invalid-request', 'There is no such passkey.', 'Look at the list again.');
      const by = await requirePerson(proof, challengeFor(['change', nonce, 'remove', id]));
      await changePasskeys(file, (passkeys) => passkeys.filter((one) => one.id !== id));
      append(noteOf(found, 'removed', { at: now(), by }));
    },
    handOver: async (request) => handOverTo(request, options, { nonces, requirePerson }),
  };
}

const longestHandOverMs = 90 * 24 * 60 * 60_000;

async function handOverTo(
  { nonce, person, until, proof }: HandOver,
  { clock, file, requireGoing, append }: PasskeyDeskOptions,
  {
    nonces,
    requirePerson,
  }: {
    readonly nonces: Nonces;
    readonly requirePerson: (proof: PersonProof, challenge: string) => Promise<string>;
  },
): Promise<void> {
  requireGoing();
  requireNonce(nonces, nonce);
  const at = clock.now();
  if (until !== null && (until <= at || until > at + longestHandOverMs))
    throw refuse(
      'invalid-request',
      'A handover ends within 90 days, and not before it begins.',
      'Choose another end.',
    );
  const by = await requirePerson(proof, challengeFor(['hand-over', nonce, person, until]));
  const isTheirs = (one: Passkey): boolean =>
    one.person !== undefined && isSamePerson(one.person, person);
  await changePasskeys(file, (passkeys) => {
    if (!passkeys.some(isTheirs))
      throw refuse('invalid-request', 'Nobody of this name has a passkey.', 'Add one first.');
    // In the record first: nobody answers for the owner of whom the record says nothing.
    append(handOverNote({ person, until }, { at, by }));
    return passkeys.map((one) => (isTheirs(one) ? standingIn(one, until) : one));
  });
}

function standingIn(passkey: Passkey, until: number | null): Passkey {
  const { standsInUntil: _before, ...plain } = passkey;
  return until === null ? plain : { ...plain, standsInUntil: until };
}

function handOverNote(
  { person, until }: Pick<HandOver, 'person' | 'until'>,
  { at, by }: { readonly at: number; readonly by: string },
): NoteRow {
  const what =
    until === null
      ? `${person} answers in the owner's place no more`
      : `${person} may answer in the owner's place until ${new Date(until).toISOString()}`;
  const code = until === null ? 'handed-back' : 'handed-over';
  return { type: 'note', at, code, text: `${what}; a person showed ${by}.` };
}

interface ProveAnswerOptions {
  readonly file: PasskeyFile;
  readonly now: () => number;
}

/** For whoever answers where no passkey can be shown. */
export const wherePasskeysAre =
  'Answer in the browser console, whose settings add a passkey: interlock ui --console';

/**
 * The passkey that signed for this very answer to this very ask; null where none did and none has to.
 * Throws `confirm-rejected` where the ask wants one, or what was signed does not hold.
 */
export async function proveAnswer(
  { presence, approvers = 1 }: Pick<Ask, 'presence' | 'approvers'>,
  decision: Decision,
  { file, now }: ProveAnswerOptions,
): Promise<AnswerProof | null> {
  const { assertion, askDigest } = decision;
  if (assertion === undefined) {
    if (presence !== 'passkey' && approvers < 2) return null;
    throw refuse('confirm-rejected', 'None was shown.', wherePasskeysAre);
  }
  const challenge = challengeOfAnswer(decision);
  // Somebody else is the second of two people; what one decides is the owner's, or who stands in for them.
  const counts = (key: Passkey): boolean => approvers > 1 || mayAnswerAlone(key, now());
  const { id, name, person } = await provePasskey(assertion, { file, challenge, now, counts });
  const whoseIs = person === undefined ? {} : { person };
  return { passkey: { id, name }, ...whoseIs, askId: decision.id, askDigest, assertion };
}

/** Whether the passkey of an answer is still there, and whose it was; false where nobody can tell. */
export function isStanding(
  { passkey, person }: Pick<AnswerProof, 'passkey' | 'person'>,
  file: PasskeyFile,
): boolean {
  try {
    return readPasskeys(file).some((one) => one.id === passkey.id && one.person === person);
  } catch {
    return false;
  }
}

const whose = (person: string | undefined): readonly [person?: string] =>
  person === undefined ? [] : [person];

function requireName(person: string): void {
  if (mayBeNamed(person)) return;
  throw refuse(
    'invalid-request',
    'Nobody else can have the name of the owner.',
    'Give the name of the person, or none where the passkey is yours.',
  );
}

function requireRoom(passkeys: readonly Passkey[], { id, name }: Passkey): void {
  if (passkeys.some((one) => one.id === id || one.name === name))
    throw refuse(
      'invalid-request',
      'There is a passkey with this name, or this very one, already.',
      'Choose another name, or remove the old one first.',
    );
  if (passkeys.length >= mostPasskeys)
    throw refuse('invalid-request', 'There are too many passkeys.', 'Remove one that is not used.');
}

function noteOf(
  { id, publicKey, rpId, name, person }: Passkey,
  change: 'added' | 'removed',
  { at, by }: { readonly at: number; readonly by: string },
): NoteRow {
  const of = `"${name}" of ${personWords(person ?? null)} for ${rpId}`;
  const text = `The passkey ${of} was ${change}; a person showed ${by}.`;
  const passkey = { id, publicKey, rpId, name, ...(person !== undefined && { person }), change };
  return { type: 'note', at, code: `passkey-${change}`, text, passkey };
}
