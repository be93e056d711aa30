import { refuse, sha256 } from '../../shared/base/index.ts';
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
import type { HomePaths } from '../../shared/home/index.ts';
import {
  changePasskeys,
  createNonces,
  hasItsDevice,
  mostPasskeys,
  pairingTtlMs,
  provePasskey,
  readAttestation,
  readPasskeys,
} from '../../shared/operations/index.ts';
import type { Nonces, PasskeyFile } from '../../shared/operations/index.ts';
import type {
  HandOver,
  PasskeyAdd,
  PasskeyInvite,
  PasskeyRemove,
} from '../../shared/wire/index.ts';
import type { AnswerProof, NoteRow, RecordedHandOver } from '../audit/rows.ts';

interface PasskeyDeskOptions {
  readonly clock: Clock;
  readonly random: (bytes: number) => Uint8Array;
  readonly file: PasskeyFile;
  /** Host names of the pages that passkeys may be made for. */
  readonly rpIds: () => readonly string[];
  /** Whether a passkey that was made on a device still has it; true of any other. */
  readonly hasDevice: (key: Pick<Passkey, 'id' | 'rpId'>) => boolean;
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
  /**
   * Lets somebody else make a passkey on a phone of theirs, once, within ten minutes: what the owner
   * proves here need not be proved there. Returns the nonce that it is added with.
   */
  invite(request: PasskeyInvite): Promise<string>;
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
    // One of a phone that was revoked proves as little as the phone.
    const counts = (key: Passkey): boolean => key.person === undefined && options.hasDevice(key);
    const { name } = await provePasskey(proof.assertion, { file, challenge, now, counts });
    return `the passkey "${name}"`;
  };
  const invitations = createInvitations(options);
  return {
    nonce: () => nonces.issue(),
    invite: async ({ nonce, name, person, proof }) => {
      requireGoing();
      requireName(person);
      const what = challengeFor(['invite', nonce, name, person]);
      const by = await nonces.once(nonce, () => requirePerson(proof, what));
      return invitations.issue({ name, person, by });
    },
    add: async ({ nonce, name, person, attestation, proof }) => {
      requireGoing();
      if (person !== undefined) requireName(person);
      const made = async (): Promise<Passkey> =>
        readAttestation(attestation, {
          challenge: challengeFor(['register', nonce, name, ...whose(person)]),
          name,
          person,
          rpIds: options.rpIds(),
          now,
        });
      const { passkey, by } =
        'invited' in proof
          ? await invitations.once(nonce, { name, person }, made)
          : await nonces.once(nonce, async () => {
              const key = await made();
              const what = challengeFor(['change', nonce, 'add', key.id]);
              return { passkey: key, by: await requirePerson(proof, what) };
            });
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
      const { found, by } = await nonces.once(nonce, async () => {
        const one = readPasskeys(file).find((known) => known.id === id);
        if (one === undefined)
          throw refuse('invalid-request', 'There is no such passkey.', 'Look at the list again.');
        const what = challengeFor(['change', nonce, 'remove', id]);
        return { found: one, by: await requirePerson(proof, what) };
      });
      await changePasskeys(file, (passkeys) => passkeys.filter((one) => one.id !== id));
      append(noteOf(found, 'removed', { at: now(), by }));
    },
    handOver: async (request) => handOverTo(request, options, { nonces, requirePerson }),
  };
}

interface Invitation {
  readonly name: string;
  readonly person?: string | undefined;
}

const mostInvitations = 8;

/** Who was invited to make a passkey, by what the owner then proved. No disk has any of it. */
function createInvitations({ clock, random }: Pick<PasskeyDeskOptions, 'clock' | 'random'>) {
  type Open = Required<Invitation> & { readonly by: string; readonly until: number };
  // By a digest of the nonce, so that finding one tells nothing of another.
  let open: readonly (readonly [digest: string, invitation: Open])[] = [];
  const find = (nonce: string, { name, person }: Invitation) => {
    const found = open.find(([digest]) => digest === sha256(nonce));
    const [, one] = found ?? [];
    if (found !== undefined && one?.name === name && one.person === person)
      if (clock.elapsed() <= one.until) return found;
    throw refuse(
      'confirm-rejected',
      'Nobody was invited by this, or it was used, or is too old.',
      'Make a new code on the machine: interlock device pair NAME --person PERSON',
    );
  };
  return {
    issue: (invited: Omit<Open, 'until'>): string => {
      const nonce = Buffer.from(random(32)).toString('base64url');
      const invitation = { ...invited, until: clock.elapsed() + pairingTtlMs };
      open = [...open, [sha256(nonce), invitation] as const].slice(-mostInvitations);
      return nonce;
    },
    /** The passkey that was made for it, and what the owner had proved it by. Spends it. */
    once: async (nonce: string, invited: Invitation, made: () => Promise<Passkey>) => {
      find(nonce, invited);
      const passkey = await made();
      const found = find(nonce, invited);
      open = open.filter((one) => one !== found);
      return { passkey, by: `${found[1].by} when they invited it` };
    },
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
  const at = clock.now();
  if (until !== null && (until <= at || until > at + longestHandOverMs))
    throw refuse(
      'invalid-request',
      'A handover ends within 90 days, and not before it begins.',
      'Choose another end.',
    );
  const what = challengeFor(['hand-over', nonce, person, until]);
  const by = await nonces.once(nonce, () => requirePerson(proof, what));
  const isTheirs = (one: Passkey): boolean =>
    one.person !== undefined && isSamePerson(one.person, person);
  await changePasskeys(file, (passkeys) => {
    if (!passkeys.some(isTheirs))
      throw refuse('invalid-request', 'Nobody of this name has a passkey.', 'Add one first.');
    // In the record first: nobody answers for the owner of whom the record says nothing.
    const theirs = passkeys.filter(isTheirs).map(({ id }) => id);
    append(handOverNote({ person, until, passkeys: theirs }, { at, by }));
    return passkeys.map((one) => (isTheirs(one) ? standingIn(one, until) : one));
  });
}

function standingIn(passkey: Passkey, until: number | null): Passkey {
  const { standsInUntil: _before, ...plain } = passkey;
  return until === null ? plain : { ...plain, standsInUntil: until };
}

function handOverNote(
  handOver: RecordedHandOver,
  { at, by }: { readonly at: number; readonly by: string },
): NoteRow {
  const { person, until } = handOver;
  const what =
    until === null
      ? `${person} answers in the owner's place no more`
      : `${person} may answer in the owner's place until ${new Date(until).toISOString()}`;
  const code = until === null ? 'handed-back' : 'handed-over';
  return { type: 'note', at, code, text: `${what}; a person showed ${by}.`, handOver };
}

interface ProveAnswerOptions {
  readonly file: PasskeyFile;
  readonly now: () => number;
  /** Whether a passkey that was made on a device still has it; true of any other. */
  readonly hasDevice: (key: Pick<Passkey, 'id' | 'rpId'>) => boolean;
}

/** The passkeys and devices of one home. */
export function provingIn({
  paths,
  uid,
  clock,
}: {
  readonly paths: Pick<HomePaths, 'passkeys' | 'devices'>;
  readonly uid: number;
  readonly clock: Pick<Clock, 'now'>;
}): ProveAnswerOptions {
  return {
    file: { path: paths.passkeys, uid },
    now: () => clock.now(),
    hasDevice: (key) => hasItsDevice(key, { paths, uid }),
  };
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
  { file, now, hasDevice }: ProveAnswerOptions,
): Promise<AnswerProof | null> {
  const { assertion, askDigest } = decision;
  if (assertion === undefined) {
    if (presence !== 'passkey' && approvers < 2) return null;
    throw refuse('confirm-rejected', 'None was shown.', wherePasskeysAre);
  }
  const challenge = challengeOfAnswer(decision);
  // Somebody else is the second of two people; what one decides is the owner's, or who stands in for them.
  const counts = (key: Passkey): boolean =>
    hasDevice(key) && (approvers > 1 || mayAnswerAlone(key, now()));
  const { id, name, person } = await provePasskey(assertion, { file, challenge, now, counts });
  const whoseIs = person === undefined ? {} : { person };
  return { passkey: { id, name }, ...whoseIs, askId: decision.id, askDigest, assertion };
}

/** Whether the passkey of an answer is still there, and whose it was, and so is the device that it was made on; false where nobody can tell. */
export function isStanding(
  { passkey, person }: Pick<AnswerProof, 'passkey' | 'person'>,
  { file, hasDevice }: Pick<ProveAnswerOptions, 'file' | 'hasDevice'>,
): boolean {
  try {
    return readPasskeys(file).some(
      (one) => one.id === passkey.id && one.person === person && hasDevice(one),
    );
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
