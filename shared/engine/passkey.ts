import { s, sha256 } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import type { Decision } from './ask.ts';

/** What passes between a page, the app and the runner about passkeys (WebAuthn). */

const base64url = (maxLength: number) =>
  s.string({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$' });

/** The credential's id, as its authenticator chose it. */
const id = base64url(1_400);
const name = s.string({ minLength: 1, maxLength: 60, pattern: '^[^\\u0000-\\u001f\\u007f]+$' });
const transports = s.array(s.string({ pattern: '^[a-z-]{1,20}$' }), { maxItems: 10 });

/** 32 random bytes, base64url; good once. */
const nonce = s.string({ pattern: '^[A-Za-z0-9_-]{43}$' });

/** What an authenticator signed: `navigator.credentials.get`, each field in base64url. */
export const assertionSchema = s.object({
  id,
  clientDataJSON: base64url(8_192),
  authenticatorData: base64url(8_192),
  signature: base64url(4_096),
});
export type Assertion = Static<typeof assertionSchema>;

/** A passkey that was just made: `navigator.credentials.create`, each field in base64url. */
export const attestationSchema = s.object({
  id,
  clientDataJSON: base64url(8_192),
  attestationObject: base64url(32_768),
  transports,
});
export type Attestation = Static<typeof attestationSchema>;

/** Shows that a person is there who may change what passkeys there are. */
const proofSchema = s.union(
  s.object({ passphrase: s.string({ minLength: 1, maxLength: 1_000 }) }),
  s.object({ assertion: assertionSchema }),
);
export type PersonProof = Static<typeof proofSchema>;

/** Adds a passkey. `nonce`: from the runner, for this change alone. */
export const passkeyAddFields = {
  nonce,
  name,
  /** Whose it is; absent: the owner's. */
  person: s.optional(name),
  attestation: attestationSchema,
  proof: proofSchema,
};
/** Invites a person to make one on a phone of theirs; gives the nonce that it is then added with. */
export const passkeyInviteFields = { nonce, name, person: name, proof: proofSchema };
/** Stands for the proof that the invitation came with; `nonce` is what it gave. */
export const invitedSchema = s.object({ invited: s.literal(true) });
/** Removes one. */
export const passkeyRemoveFields = { nonce, id, proof: proofSchema };
/** Lets another person answer in the owner's place until then (milliseconds since the epoch); null: no more. */
export const handOverFields = {
  nonce,
  person: name,
  until: s.nullable(s.integer({ minimum: 0 })),
  proof: proofSchema,
};
/** Ends a lockout, or opens a session. `nonce`: from whoever is to do it. */
export const passkeyUseFields = { nonce, assertion: assertionSchema };

/** A passkey as it is kept: the public half, and whose it is. */
export const passkeySchema = s.object({
  id,
  /** COSE key, base64url. */
  publicKey: base64url(4_096),
  /** Signatures that its authenticator had counted; authenticators that share keys count none. */
  counter: s.integer({ minimum: 0, maximum: 0xffff_ffff }),
  /** The host name of the page that it was made for, and works at. */
  rpId: s.string({ pattern: '^[a-z0-9.-]{1,253}$' }),
  name,
  /** Whose it is; absent: the owner's. */
  person: s.optional(name),
  /** Of another person: until when it may answer in the owner's place. Absent: it may not. */
  standsInUntil: s.optional(s.integer({ minimum: 0 })),
  transports,
  /** Milliseconds since the epoch. */
  madeAt: s.integer({ minimum: 0 }),
  lastUsedAt: s.nullable(s.integer({ minimum: 0 })),
});
export type Passkey = Static<typeof passkeySchema>;

/** How a passkey stands in the record, so that what it signs can be checked there later. */
export interface RecordedPasskey extends Pick<
  Passkey,
  'id' | 'publicKey' | 'rpId' | 'name' | 'person'
> {
  readonly change: 'added' | 'removed';
}

/** What is signed for: nothing that was signed for one thing counts for another. */
type Purpose =
  | readonly ['register', nonce: string, name: string, person?: string]
  | readonly ['invite', nonce: string, name: string, person: string]
  | readonly ['change', nonce: string, what: 'add' | 'remove', which: string]
  | readonly ['hand-over', nonce: string, person: string, until: number | null]
  | readonly ['unlock', nonce: string]
  | readonly ['open', nonce: string];

/** The challenge of one purpose: 64 hex digits, of which an authenticator signs the ASCII bytes. */
export function challengeFor(purpose: Purpose): string {
  return sha256(JSON.stringify(['interlock-passkey/1', ...purpose]));
}

/** The same for an answer: over the digest of the very ask, and all that the answer picks of it. */
export function challengeOfAnswer({
  id: askId,
  askDigest,
  decision,
  remember,
}: Pick<Decision, 'id' | 'askDigest' | 'decision' | 'remember'>): string {
  const picked = remember === undefined ? [] : [remember.duration, remember.proposalId];
  return sha256(
    JSON.stringify(['interlock-passkey/1', 'answer', askId, askDigest, decision, ...picked]),
  );
}

/**
 * Whether a page of this origin may use passkeys of `rpId`: `localhost` over HTTP with any port, as
 * the port of a console changes; any other name over TLS alone.
 */
export function isOriginOf(rpId: string, origin: string): boolean {
  const port = '(:[0-9]{1,5})?$';
  const host = rpId.replaceAll('.', '\\.');
  return rpId === 'localhost'
    ? new RegExp(`^http://localhost${port}`).test(origin)
    : new RegExp(`^https://${host}${port}`).test(origin);
}
