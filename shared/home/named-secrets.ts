import { join } from 'node:path';
import { compile, readJson, refuse, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import { openSealedFile } from './sealed-file.ts';
import { tryFileLock, waitForFileLock } from './file-lock.ts';
import { readPrivateFile, writeFileAtomic } from './files.ts';
import type { SecretStore } from './secrets.ts';

const time = s.integer({ minimum: 0 });
/** Of the name of whatever used a secret. */
const mostLetters = 100;

const facts = s.object({
  createdAt: time,
  changedAt: time,
  lastUsedAt: s.nullable(time),
  /** A brokered tool, `wrap` and the agent, a box, or the network of an agent. */
  lastUsedBy: s.nullable(s.string({ maxLength: mostLetters })),
});

const namePattern = '^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$';
const checkIndex = compile(
  s.object({
    version: s.literal(1),
    /** Grows with every value that comes, changes or goes. */
    revision: time,
    secrets: s.record(facts, { names: s.string({ pattern: namePattern }), maxProperties: 500 }),
  }),
);
type Index = NonNullable<ReturnType<typeof valueOf>>;

function valueOf(text: string) {
  const read = readJson(checkIndex, text);
  return read.ok ? read.value : null;
}

/** What is known of a secret, and never its value. Times in milliseconds since the epoch. */
export type SecretFacts = Static<typeof facts> & { readonly name: string };

/** Where the values of named secrets rest. */
type NamedSecretsKind = 'keychain' | 'encrypted-file';

/** Secrets that a person keeps here by name, for tools that act for agents. */
export interface NamedSecrets {
  readonly kind: NamedSecretsKind;
  /** Where the values are, as a sentence for a person. */
  readonly sentence: string;
  list(): readonly SecretFacts[];
  /** Every value by its name, for what has to know them all. Throws where one cannot be read. */
  values(): Promise<ReadonlyMap<string, Buffer>>;
  /** Null where there is none of that name. Throws a refusal when the store cannot be asked. */
  get(name: string): Promise<Buffer | null>;
  /** Durable when it settles. Throws `invalid-request` for a name or a value that cannot be kept. */
  set(name: string, value: Uint8Array): Promise<'made' | 'changed'>;
  /** True when there was one. */
  remove(name: string): Promise<boolean>;
  /** Writes down that it was used. */
  used(names: readonly string[], by: string): Promise<void>;
}

export interface NamedSecretsOptions {
  /** `keys` below the home. */
  readonly directory: string;
  /** Folder outside of the home for the key of the encrypted file. */
  readonly keyDirectory: string;
  readonly uid: number;
  readonly now: () => number;
  /** Asked only once there is a value to read or to keep. */
  readonly store: () => Promise<SecretStore>;
}

const maxIndexBytes = 256 * 1024;
/** Shorter ones could not be taken out of texts without taking out half of the text. */
const fewestBytes = 8;
const mostBytes = 8_192;

/** `keys/secrets.json`: names and times. */
function namedSecretsIndex(directory: string): string {
  return join(directory, 'secrets.json');
}

/**
 * How often values have changed; 0 where there never was one. Throws `config-invalid` where the list
 * cannot be read.
 */
export function namedSecretsRevision(directory: string, uid: number): number {
  return readIndex(directory, uid).revision;
}

/** Throws `invalid-request` for a name that is none. */
export function requireSecretName(name: string): void {
  if (new RegExp(namePattern, 'u').test(name)) return;
  throw refuse(
    'invalid-request',
    'A secret has a name of 1 to 40 of a-z, 0-9 and inner hyphens.',
    'Choose another name, as in: interlock secret set github',
  );
}

/** The named secrets of a home. Their list stands beside them; the values never do. */
export async function openNamedSecrets(options: NamedSecretsOptions): Promise<NamedSecrets> {
  const { directory, uid, now } = options;
  const store = await options.store();
  const read = (): Index => readIndex(directory, uid);
  const write = (index: Index): void =>
    writeFileAtomic(namedSecretsIndex(directory), `${JSON.stringify(index, null, 2)}\n`);
  const values = store.kind === 'keychain' ? inKeychain(store) : openSealedFile(options);
  const alone = async <T>(section: () => Promise<T>): Promise<T> => within(directory, section);
  const get = async (name: string): Promise<Buffer | null> =>
    Object.hasOwn(read().secrets, name) ? values.get(name) : null;
  return {
    kind: store.kind === 'keychain' ? 'keychain' : 'encrypted-file',
    sentence: values.sentence,
    list: () => Object.entries(read().secrets).map(([name, known]) => ({ name, ...known })),
    values: async () => {
      const found = new Map<string, Buffer>();
      for (const name of Object.keys(read().secrets)) {
        const value = await values.get(name);
        if (value !== null) found.set(name, value);
      }
      return found;
    },
    get,
    set: async (name, value) => {
      requireSecretName(name);
      requireValue(value);
      return alone(async () => {
        await values.set(name, Buffer.from(value));
        const { revision, secrets } = read();
        const known = secrets[name];
        const at = now();
        const fresh = { createdAt: at, changedAt: at, lastUsedAt: null, lastUsedBy: null };
        const next = known === undefined ? fresh : { ...known, changedAt: at };
        write({ version: 1, revision: revision + 1, secrets: { ...secrets, [name]: next } });
        return known === undefined ? 'made' : 'changed';
      });
    },
    remove: async (name) => {
      requireSecretName(name);
      return alone(async () => {
        const { revision, secrets } = read();
        const { [name]: known, ...rest } = secrets;
        const wasKept = await values.remove(name);
        if (known === undefined) return wasKept;
        write({ version: 1, revision: revision + 1, secrets: rest });
        return true;
      });
    },
    used: async (names, by) =>
      alone(async () => {
        const index = read();
        const at = now();
        // A longer one would make the list unreadable.
        const user = by.slice(0, mostLetters);
        const told = Object.entries(index.secrets).map(([name, known]) => [
          name,
          names.includes(name) ? { ...known, lastUsedAt: at, lastUsedBy: user } : known,
        ]);
        write({ ...index, secrets: Object.fromEntries(told) as Index['secrets'] });
      }),
  };
}

/** Where values are, behind the list of their names. */
export interface SecretValues {
  readonly sentence: string;
  get(name: string): Promise<Buffer | null>;
  set(name: string, value: Buffer): Promise<void>;
  remove(name: string): Promise<boolean>;
}

function inKeychain(store: SecretStore): SecretValues {
  const nameOf = (name: string): string => `named-${name}`;
  return {
    sentence: "Values are kept in the system's keychain.",
    get: async (name) => {
      const value = await store.get(nameOf(name));
      return value === null ? null : Buffer.from(value);
    },
    set: async (name, value) => store.set(nameOf(name), value),
    remove: async (name) => store.remove(nameOf(name)),
  };
}

function readIndex(directory: string, uid: number): Index {
  const path = namedSecretsIndex(directory);
  const file = readPrivateFile(path, { uid, maxBytes: maxIndexBytes });
  if (file.kind === 'missing') return { version: 1, revision: 0, secrets: {} };
  const index = file.kind === 'text' ? valueOf(file.text) : null;
  if (index !== null) return index;
  throw refuse(
    'config-invalid',
    `${path} does not say which secrets there are.`,
    'Restore it from a backup (mode 600), or remove it and set the secrets again.',
  );
}

/** Programs take them as a variable, which holds text without a NUL. */
function requireValue(value: Uint8Array): void {
  const say = (message: string): never => {
    throw refuse('invalid-request', message, 'Nothing was kept. Check what you copied.');
  };
  if (value.length < fewestBytes || value.length > mostBytes)
    say(`A secret has ${String(fewestBytes)} to ${String(mostBytes)} bytes.`);
  if (value.includes(0)) say('A secret cannot hold a NUL.');
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(value);
  } catch {
    say('A secret has to be UTF-8 text.');
  }
}

async function within<T>(directory: string, section: () => Promise<T>): Promise<T> {
  const release = await waitForFileLock(() => tryFileLock(join(directory, 'secrets.lock')), 5_000);
  if (release === null)
    throw refuse(
      'concurrency-busy',
      'Another program has been changing the secrets for too long.',
      'Try again in a moment.',
    );
  try {
    return await section();
  } finally {
    release();
  }
}
