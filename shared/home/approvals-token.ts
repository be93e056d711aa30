import { randomBytes } from 'node:crypto';
import { messageOf, refusalOf, refuse } from '../base/index.ts';
import type { PolicyDocument } from '../engine/index.ts';
import { readPolicyFile, writePolicyFile } from './policy-file.ts';
import type { HomePaths } from './paths.ts';
import type { SecretStore } from './secrets.ts';

/**
 * A reference in the place of the token: eight characters that no earlier token had. It is shorter
 * than a token may be, so that a program that takes it for one accepts nobody.
 */
const reference = /^secret:([a-z0-9]{8})$/u;
const prefix = 'secret:';

/** What of a store the token needs. */
export type TokenStore = Pick<SecretStore, 'get' | 'set' | 'remove'>;

/** Whether the policy names a secret of the store in the place of the token. */
function isTokenReference(field: string): boolean {
  return field.startsWith(prefix);
}

function storedName(field: string): string | null {
  const name = reference.exec(field)?.[1];
  return name === undefined ? null : `approvals-token-${name}`;
}

/** Yields the token in force; null while the policy names none. */
export type ReadToken = () => Promise<string | null>;

interface TokenReaderOptions {
  /** The policy as it is now; null while it is not valid. */
  readonly document: () => PolicyDocument | null;
  readonly openStore: () => Promise<Pick<TokenStore, 'get'>>;
}

/**
 * Reads the approvals token, from the policy itself or from the secret store that it refers to. A
 * reference means one secret for good, so each is asked for once. What is made rejects with a refusal
 * where the store does not answer or has no such secret: then nobody is authenticated.
 */
export function tokenReader({ document, openStore }: TokenReaderOptions): ReadToken {
  let known: { readonly field: string; readonly token: string } | null = null;
  return async () => {
    for (;;) {
      const field = document()?.socket?.token;
      if (field === undefined) return null;
      if (!isTokenReference(field)) return field;
      if (known?.field === field) return known.token;
      const name = storedName(field);
      const secret = name === null ? null : await (await openStore()).get(name);
      if (secret !== null && secret.length > 0) {
        known = { field, token: Buffer.from(secret).toString('base64url') };
        return known.token;
      }
      // Another token may have come while the store was asked, and the old one have left it.
      if (document()?.socket?.token === field) throw notInStore();
    }
  };
}

function notInStore(): Error {
  return refuse(
    'config-invalid',
    'The policy refers to the secret store for the approvals token, and the store has no such secret.',
    'A runner that starts makes a new one; so does "interlock doctor --mend approvals-token".',
  );
}

/** What became of the approvals token. */
type TokenRotation =
  | { readonly rotated: true }
  /** Why not, as a sentence. The token of before stays in force. */
  | { readonly rotated: false; readonly why: string };

/** Where the token stands: in the policy, where version-1 clients read it, or in the secret store. */
type TokenPlace = 'policy' | 'store';

export interface RotateTokenOptions {
  readonly uid: number;
  /** Asked only where the token is or shall be in it. */
  readonly openStore: () => Promise<TokenStore>;
  /** Where the new token shall stand; where the old one stands, when absent. */
  readonly place?: TokenPlace;
}

const attempts = 20;

/**
 * Gives the approvals socket a new token, so that an approver has to prove itself anew. The new
 * secret is in the store before the policy refers to it, and the old one leaves after that: whoever
 * reads the policy finds a token at any moment. Whatever others write meanwhile stays: theirs is read
 * and only the token is changed. Never rejects.
 */
export async function rotateToken(
  paths: Pick<HomePaths, 'policy'>,
  options: RotateTokenOptions,
): Promise<TokenRotation> {
  const { uid } = options;
  for (let left = attempts; ; left -= 1) {
    const file = readPolicyFile(paths.policy, { uid, keepLastGood: false });
    if (!file.ok) return { rotated: false, why: file.problem.message };
    const { socket } = file.document;
    if (socket === undefined) return { rotated: false, why: 'The policy names no token.' };
    const place = options.place ?? placeOf(socket.token);
    let made: NewToken | null = null;
    try {
      made = await newToken(place, options.openStore);
      const document = { ...file.document, socket: { ...socket, token: made.field } };
      await writePolicyFile(paths.policy, document, { uid, baseHash: file.hash });
      await forget(socket.token, options.openStore);
      return { rotated: true };
    } catch (error) {
      await forget(made?.field, options.openStore);
      if (left > 1 && refusalOf(error)?.code === 'binding-drift') continue;
      return { rotated: false, why: messageOf(error) };
    }
  }
}

function placeOf(field: string | undefined): TokenPlace {
  return field !== undefined && isTokenReference(field) ? 'store' : 'policy';
}

interface NewToken {
  /** What the policy says for it. */
  readonly field: string;
}

/** A fresh token at its place; in the policy it stands once the field is written. */
export async function newToken(
  place: TokenPlace,
  openStore: () => Promise<TokenStore>,
): Promise<NewToken> {
  const secret = randomBytes(32);
  if (place === 'policy') return { field: secret.toString('base64url') };
  const field = `${prefix}${randomBytes(4).toString('hex')}`;
  await (await openStore()).set(storedName(field) ?? '', secret);
  return { field };
}

/** A secret that nothing refers to any more opens nothing; that it could not be removed is no failure. */
async function forget(
  field: string | undefined,
  openStore: () => Promise<TokenStore>,
): Promise<void> {
  const name = field === undefined ? null : storedName(field);
  if (name === null) return;
  try {
    await (await openStore()).remove(name);
  } catch {
    // Nothing refers to it.
  }
}

/** How the token stands against where it should; `lost` where the store has not got it. */
export type TokenState = 'well' | 'in-policy' | 'in-store' | 'lost';

/** Rejects with a refusal where the store does not answer. */
export async function tokenState(
  document: PolicyDocument,
  { v1, openStore }: { readonly v1: boolean; readonly openStore: RotateTokenOptions['openStore'] },
): Promise<TokenState> {
  const field = document.socket?.token;
  if (field === undefined) return 'well';
  if (placeOf(field) === 'policy') return v1 ? 'well' : 'in-policy';
  if (v1) return 'in-store';
  const name = storedName(field);
  const secret = name === null ? null : await (await openStore()).get(name);
  return secret === null || secret.length === 0 ? 'lost' : 'well';
}

export interface SettleTokenOptions extends RotateTokenOptions {
  /** `approvals.v1`: whether version-1 clients have to find the token in the policy. */
  readonly v1: boolean;
}

/**
 * Brings the token to where `approvals.v1` wants it. A token that moves is a new one: the policy and
 * its copies have shown the old one, or soon will show the new. Null where there was nothing to do.
 * Rejects with a refusal where the store does not answer.
 */
export async function settleToken(
  paths: Pick<HomePaths, 'policy'>,
  options: SettleTokenOptions,
): Promise<TokenRotation | null> {
  const file = readPolicyFile(paths.policy, { uid: options.uid, keepLastGood: false });
  if (!file.ok || (await tokenState(file.document, options)) === 'well') return null;
  return rotateToken(paths, { ...options, place: options.v1 ? 'policy' : 'store' });
}
