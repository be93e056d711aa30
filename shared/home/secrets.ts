import { createHash, randomBytes } from 'node:crypto';
import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { compile, readJson, refuse, s } from '../base/index.ts';
import type { Clock } from '../base/index.ts';
import { ensurePrivateDirectory, readPrivateFile, writeFileAtomic } from './files.ts';
import { loadKeytar } from './keytar.ts';

/** Where keys rest. A keychain asks the system; a file is 0600 below the home and says so. */
const secretStoreKinds = ['keychain', 'file'] as const;
export type SecretStoreKind = (typeof secretStoreKinds)[number];

/** Keeps small secrets by name. Names are `[a-z0-9-]{1,64}`, values at most 1,024 bytes. */
export interface SecretStore {
  readonly kind: SecretStoreKind;
  /** The secret, or null when there is none. Throws a refusal when the store cannot be asked. */
  get(name: string): Promise<Uint8Array | null>;
  /** Durable when it settles. */
  set(name: string, value: Uint8Array): Promise<void>;
  /** True when there was one. */
  remove(name: string): Promise<boolean>;
}

/** The part of keytar that we use; its own types say the same. */
export interface Keychain {
  getPassword(service: string, account: string): Promise<string | null>;
  setPassword(service: string, account: string, password: string): Promise<void>;
  deletePassword(service: string, account: string): Promise<boolean>;
}

const allowed = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** Throws for a name that could leave its folder; such a name is a bug of the caller. */
function checkSecretName(name: string): void {
  if (!allowed.test(name))
    throw new Error('A secret name is 1 to 64 of a-z, 0-9 and inner hyphens.');
}

const maxBytes = 4_096;

/** One 0600 file a secret, base64url, below a 0700 directory. The fallback where no keychain answers. */
export function fileSecretStore(directory: string, options: { readonly uid: number }): SecretStore {
  const pathOf = (name: string): string => {
    checkSecretName(name);
    ensurePrivateDirectory(directory, options);
    return join(directory, `${name}.secret`);
  };
  return {
    kind: 'file',
    get: async (name) => {
      const path = pathOf(name);
      const file = readPrivateFile(path, { uid: options.uid, maxBytes });
      if (file.kind === 'missing') return null;
      if (file.kind === 'text') return Buffer.from(file.text.trim(), 'base64url');
      throw refuse(
        'config-invalid',
        `The key file ${path} ${file.why}.`,
        'Restore its mode and owner (chmod 600), or remove it and issue the key again.',
      );
    },
    set: async (name, value) => {
      writeFileAtomic(pathOf(name), `${Buffer.from(value).toString('base64url')}\n`);
    },
    remove: async (name) => removeFile(pathOf(name)),
  };
}

function removeFile(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'ENOENT') return false;
    throw error;
  }
}

/** A locked keychain may show a dialog; a headless runner must not wait for it for good. */
const answerWithinMs = 10_000;

interface KeychainOptions {
  /** `INTERLOCK_HOME`: two homes of one user keep their secrets apart. */
  readonly home: string;
  readonly clock: Clock;
}

/** Secrets in the system keychain. Every failure is a refusal that names neither secret nor value. */
export function keychainSecretStore(keychain: Keychain, options: KeychainOptions): SecretStore {
  const scope = createHash('sha256').update(options.home).digest('hex').slice(0, 12);
  const service = `interlock-${scope}`;
  const ask = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    checkSecretName(name);
    return withinDeadline(call, options.clock);
  };
  return {
    kind: 'keychain',
    get: async (name) => {
      const text = await ask(name, async () => keychain.getPassword(service, name));
      return text === null ? null : Buffer.from(text, 'base64url');
    },
    set: async (name, value) =>
      ask(name, async () =>
        keychain.setPassword(service, name, Buffer.from(value).toString('base64url')),
      ),
    remove: async (name) => ask(name, async () => keychain.deletePassword(service, name)),
  };
}

async function withinDeadline<T>(call: () => Promise<T>, clock: Clock): Promise<T> {
  let cancel = (): void => {};
  const deadline = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(answerWithinMs, () => reject(new Error('no answer in time')));
  });
  try {
    return await Promise.race([call(), deadline]);
  } catch (cause) {
    throw refuse(
      'config-invalid',
      'The system keychain did not answer.',
      'Unlock the keychain, or sign in to the desktop session that owns it, and try again.',
      { cause },
    );
  } finally {
    cancel();
  }
}

interface OpenSecretStoreOptions {
  readonly home: string;
  /** Directory of the choice and of file secrets: `keys` below the home. */
  readonly directory: string;
  readonly uid: number;
  readonly clock: Clock;
  /** For tests; the real keytar when absent. */
  readonly loadKeychain?: () => Promise<Keychain | null>;
}

/** What says which store was chosen. */
export const storeChoice = s.object({ kind: s.oneOf(secretStoreKinds) });
const checkChoice = compile(storeChoice);

/**
 * The secret store of this home. The first opening probes the keychain and writes down the choice;
 * later ones keep it. A keychain that was chosen and is gone is a `config-invalid` refusal: the
 * store never moves to a file by itself.
 */
export async function openSecretStore(options: OpenSecretStoreOptions): Promise<SecretStore> {
  ensurePrivateDirectory(options.directory, { uid: options.uid });
  const chosen = readChoice(options);
  if (chosen === 'file') return fileSecretStore(options.directory, options);
  const keychain = await (options.loadKeychain ?? loadKeytar)();
  const store = keychain === null ? null : keychainSecretStore(keychain, options);
  if (chosen === 'keychain') return store ?? refuseMissingKeychain();
  if (store !== null && (await answers(store))) return choose(options, store);
  return choose(options, fileSecretStore(options.directory, options));
}

function readChoice({ directory, uid }: OpenSecretStoreOptions): SecretStoreKind | null {
  const path = join(directory, 'store.json');
  const file = readPrivateFile(path, { uid, maxBytes: 1_024 });
  if (file.kind === 'missing') return null;
  const choice = file.kind === 'text' ? readJson(checkChoice, file.text) : null;
  if (choice?.ok === true) return choice.value.kind;
  throw refuse(
    'config-invalid',
    `${path} does not say where the keys are kept.`,
    'Restore it from a backup, or remove it and issue all keys again.',
  );
}

function choose(options: OpenSecretStoreOptions, store: SecretStore): SecretStore {
  const text = `${JSON.stringify({ kind: store.kind }, null, 2)}\n`;
  writeFileAtomic(join(options.directory, 'store.json'), text);
  return store;
}

/** True when a probe can be written, read back and removed. */
async function answers(store: SecretStore): Promise<boolean> {
  const value = randomBytes(16);
  try {
    await store.set('probe', value);
    const back = await store.get('probe');
    await store.remove('probe');
    return back !== null && value.equals(back);
  } catch {
    return false;
  }
}

function refuseMissingKeychain(): never {
  throw refuse(
    'config-invalid',
    'The keys of this home are in the system keychain, and keytar is not installed.',
    'Install again with libsecret present (apt install libsecret-1-dev), then start Interlock.',
  );
}
