import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../clock/types.ts';
import { refuse } from '../../refusal/refusal.ts';
import { compile } from '../../schema/compile.ts';
import { writeFileAtomic } from '../files/atomic-write.ts';
import { ensurePrivateDirectory } from '../files/private-directory.ts';
import { readPrivateFile } from '../files/private-file.ts';
import { fileSecretStore } from './file-store.ts';
import { keychainSecretStore } from './keychain-store.ts';
import { loadKeytar } from './keytar.ts';
import type { Keychain, SecretStore, SecretStoreKind } from './types.ts';

export interface OpenSecretStoreOptions {
  readonly home: string;
  /** Directory of the choice and of file secrets: `keys` below the home. */
  readonly directory: string;
  readonly uid: number;
  readonly clock: Clock;
  /** For tests; the real keytar when absent. */
  readonly loadKeychain?: () => Promise<Keychain | null>;
}

const parseChoice = compile<{ readonly kind: SecretStoreKind }>({
  type: 'object',
  additionalProperties: false,
  required: ['kind'],
  properties: { kind: { enum: ['keychain', 'file'] } },
});

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
  const choice = file.kind === 'text' ? parseChoice(parseJson(file.text)) : null;
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
