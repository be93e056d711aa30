import type { Refusal } from '../../../shared/base/index.ts';
import { challengeFor, challengeOfDevice } from '../../../shared/engine/index.ts';
import type { Assertion } from '../../../shared/engine/index.ts';
import { devicePaths, isConsoleSecret } from '../../bridge/console-session.ts';
import { makePasskey, signWith } from '../passkeys/ceremony.ts';
import { useApp } from '../state/app.ts';
import { post } from '../state/connection.ts';

/** Who this device is. Its key cannot leave the browser, so that nothing that is kept here can be copied. */
interface Identity {
  readonly device: string;
  readonly passkey: string;
  readonly keys: CryptoKeyPair;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const storeName = 'identity';

/** Whether this page is the one for devices: they alone get it over TLS. */
export const isDevicePage = (): boolean =>
  window.interlock === undefined && location.protocol === 'https:';

function request<T>(made: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    made.addEventListener('success', () => resolve(made.result));
    made.addEventListener('error', () => reject(made.error ?? new Error('The store failed.')));
  });
}

async function store(mode: IDBTransactionMode): Promise<IDBObjectStore> {
  const opening = indexedDB.open('interlock', 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(storeName));
  return (await request(opening)).transaction(storeName, mode).objectStore(storeName);
}

async function ownIdentity(): Promise<Identity | null> {
  const kept: unknown = await request((await store('readonly')).get(storeName));
  return (kept ?? null) as Identity | null;
}

function base64url(bytes: ArrayBuffer): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function signed({ privateKey }: CryptoKeyPair, text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  return base64url(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytes));
}

type Posted = Readonly<Record<string, unknown>>;

/** What the machine answers; its refusal where it does not. Rejects where nobody answers. */
async function ask(path: string, what: object): Promise<Posted | Refusal> {
  const { ok, body } = await post(path, what);
  return ok ? body : (body['refusal'] as Refusal);
}

async function freshNonce(): Promise<string | Refusal> {
  const answer = await ask(devicePaths.nonce, {});
  return 'nonce' in answer ? String(answer['nonce']) : (answer as Refusal);
}

/**
 * What opens one connection: by the device's key alone, which locks out and no more, or with its passkey.
 * Null where this is not a paired device. Rejects where nobody answers.
 */
async function ticket(
  own: Identity,
  nonce: string,
  assertion: Assertion | null,
): Promise<string | Refusal> {
  const { origin } = location;
  const challenge = challengeOfDevice(['open', own.device], { nonce, origin });
  const answer = await ask(devicePaths.session, {
    device: own.device,
    nonce,
    signature: await signed(own.keys, challenge),
    ...(assertion !== null && { assertion }),
  });
  return 'session' in answer && isConsoleSecret(answer['session'])
    ? answer['session']
    : (answer as Refusal);
}

export async function ticketByKey(): Promise<string | Refusal | null> {
  const own = await ownIdentity();
  if (own === null) return null;
  const nonce = await freshNonce();
  return typeof nonce === 'string' ? ticket(own, nonce, null) : nonce;
}

/** Opens what this device may see, with its passkey. What goes wrong is said at the top of the page. */
export async function openWithOwnPasskey(): Promise<void> {
  const { fail, enter } = useApp.getState();
  const own = await ownIdentity();
  const nonce = await freshNonce();
  if (own === null) return;
  if (typeof nonce !== 'string') return fail(nonce);
  const allowed = [{ id: own.passkey, transports: [] }];
  const assertion = await signWith(challengeFor(['open', nonce]), allowed);
  if (assertion === null) return;
  const opened = await ticket(own, nonce, assertion);
  if (typeof opened === 'string') {
    fail(null);
    enter(opened);
  } else fail(opened);
}

/** What a code invites to; null where it is not good, which is said. `person`: null, the owner. */
export async function invitation(code: string): Promise<{
  readonly name: string;
  readonly person: string | null;
  readonly passkeyNonce: string;
} | null> {
  const invited = await ask(devicePaths.invitation, { code });
  if (!('passkeyNonce' in invited)) {
    refused(invited as Refusal);
    return null;
  }
  const person = 'person' in invited ? String(invited['person']) : null;
  return { name: String(invited['name']), person, passkeyNonce: String(invited['passkeyNonce']) };
}

/**
 * Pairs this device by a code from the machine's screen. False where that failed, which is said.
 *
 * @param passphrase of the machine; null: its owner has agreed there that it is somebody else's
 */
export async function pair(code: string, passphrase: string | null): Promise<boolean> {
  const { fail } = useApp.getState();
  const invited = await invitation(code);
  if (invited === null) return false;
  const { name, person, passkeyNonce } = invited;
  const whose = person === null ? ([] as const) : ([person] as const);
  const challenged = challengeFor(['register', passkeyNonce, name, ...whose]);
  const attestation = await makePasskey(challenged, name, []);
  if (attestation === null) return false;
  const keys = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  const nonce = await freshNonce();
  if (typeof nonce !== 'string') return refused(nonce);
  const challenge = challengeOfDevice(['pair', code], { nonce, origin: location.origin });
  const taken = await ask(devicePaths.pair, {
    code,
    nonce,
    key: base64url(await crypto.subtle.exportKey('raw', keys.publicKey)),
    signature: await signed(keys, challenge),
    passkeyNonce,
    attestation,
    ...(passphrase !== null && { passphrase }),
  });
  if (!('device' in taken)) return refused(taken as Refusal);
  const own: Identity = { device: String(taken['device']), passkey: attestation.id, keys };
  await request((await store('readwrite')).put(own, storeName));
  fail(null);
  return true;
}

function refused(refusal: Refusal): false {
  useApp.getState().fail(refusal);
  return false;
}
