import { refuse } from '../../shared/base/index.ts';
import type { Disposable } from '../../shared/base/index.ts';
import type { Config } from '../../shared/engine/index.ts';
import type { Principal } from '../../shared/home/index.ts';
import { isSignedBy, readSignature } from '../../shared/ipc/index.ts';
import type { Signature } from '../../shared/ipc/index.ts';
import type { NonceWindow } from './nonce-window.ts';

export type { Principal, PrincipalFile } from '../../shared/home/index.ts';

export interface Principals {
  list(): readonly Principal[];
  /** Makes an agent and its key. Refuses a name that is taken or not `[a-z0-9-]`. */
  add(name: string): Promise<IssuedKey>;
  /** Issues a new key; the old one is worthless at once. */
  rekey(name: string): Promise<IssuedKey>;
  remove(name: string): Promise<void>;
  /** Removes whatever is there of an agent, also of one whose making was cut off. */
  clear(name: string): Promise<void>;
  /** Issues a new key to every agent whose key was taken away; returns their names. */
  restoreAll(): Promise<readonly string[]>;
  /** Takes every key away and answers how many there were; agents stay, without a key. */
  revokeAll(): Promise<number>;
  /** The key of an agent, or null when it has none. */
  key(name: string): Promise<Uint8Array | null>;
}

/** A key that was just issued, and the 0600 file in which the agent finds it. */
export interface IssuedKey {
  readonly name: string;
  readonly keyFile: string;
}

/**
 * The session of a call by the name that the runner knows it by. Those of other users carry the
 * user in front, so that nobody takes up, or reads of, a session of somebody else by its name.
 */
export function sessionOf(
  session: string | undefined,
  { caller, owner }: { readonly caller: number | null; readonly owner: number },
): string | null {
  if (session === undefined) return null;
  return caller === owner ? session : `${caller ?? 'nobody'}/${session}`;
}

/** Whether `config.json` lets this user act as any agent at all. Nobody listed: nobody may. */
export function isGuest({ users, agents }: Pick<Config, 'users' | 'agents'>, uid: number): boolean {
  return (
    users.some((user) => user.uid === uid && (user.agents ?? []).length > 0) ||
    Object.values(agents).some(({ uids }) => uids?.includes(uid) === true)
  );
}

/** How far a request's clock may be from ours, in milliseconds, either way. */
export const signatureTtlMs = 60_000;

interface SignedRequest {
  readonly signature: Signature;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** `bodyDigest` of the bytes that came. */
  readonly digest: string;
}

/**
 * Answers the agent that signed the request. The order is: time, key and mac, nonce; so that nobody
 * without the key can fill the memory of nonces. Refuses with `hmac-fail` or `replay-detected`, and
 * does not tell an unknown agent from a wrong key.
 */
export async function authenticateSigned(
  request: SignedRequest,
  parts: {
    readonly principals: Pick<Principals, 'key'>;
    readonly nonces: NonceWindow;
    readonly now: () => number;
  },
): Promise<string> {
  const { signature, ...call } = request;
  const { agent, ts, nonce } = signature;
  if (Math.abs(parts.now() - ts) > signatureTtlMs)
    throw refuse(
      'hmac-fail',
      'The signature of the request is too old, or from the future.',
      'Sign each request when it is sent, with the present time; check the clock.',
    );
  const key = await parts.principals.key(agent);
  if (key === null || !isSignedBy(key, { ...call, agent, ts, nonce }, signature))
    throw refuse(
      'hmac-fail',
      'The signature of the request is not right for this agent.',
      `A person may issue a new key: interlock agents rekey ${agent}`,
    );
  if (!parts.nonces.use(nonce, ts + signatureTtlMs))
    throw refuse(
      'replay-detected',
      'This request was sent before, or the clock was set back since.',
      'Sign each request anew, with a fresh nonce and the right time.',
    );
  return agent;
}

/** A call as an ingress received it: headers in lower case, path with query, body as parsed. */
export interface ReceivedCall {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** `bodyDigest` of the bytes that came; absent where nobody could have signed them. */
  readonly digest?: string;
}

/** What keys say about who calls. */
export interface Callers {
  /** The agent that signed the call; null when it is not signed. Refuses every doubtful signature. */
  signer(call: ReceivedCall): Promise<string | null>;
  /** Throws `config-invalid` while the list of agents is doubtful. */
  keyState(agent: string): 'none' | 'keyed' | 'revoked';
}

interface CallersOptions {
  readonly principals: Pick<Principals, 'key' | 'list'>;
  /** Opened at the first signed call, and again after it failed: without it none is accepted. */
  readonly openNonces: () => NonceWindow;
  readonly now: () => number;
}

/** Fits no signature. */
const noDigest = '';

/** Callers over the keys as they are at each call, so that a change holds at once. */
export function createCallers(options: CallersOptions): Callers & Disposable {
  const { principals, openNonces, now } = options;
  let nonces: NonceWindow | null = null;
  return {
    signer: async ({ headers, method, path, body, digest = noDigest }) => {
      const signature = readSignature(headers);
      if (signature === null) return null;
      nonces ??= openNonces();
      return authenticateSigned(
        { signature, method, path, body, digest },
        { principals, nonces, now },
      );
    },
    keyState: (agent) => {
      const known = principals.list().find(({ name }) => name === agent);
      if (known === undefined) return 'none';
      return known.keyedAt === null ? 'revoked' : 'keyed';
    },
    dispose: () => {
      nonces?.dispose();
      nonces = null;
    },
  };
}

/** Whether an agent that has had a key still has one. While the list is doubtful, as it was. */
export function keepsItsKey(principals: Pick<Principals, 'list'>): (agent: string) => boolean {
  const keyed = new Set<string>();
  return (agent) => {
    try {
      const known = principals.list().find(({ name }) => name === agent);
      if (known === undefined) return !keyed.has(agent);
      if (known.keyedAt !== null) keyed.add(agent);
      return known.keyedAt !== null;
    } catch {
      return true;
    }
  };
}
