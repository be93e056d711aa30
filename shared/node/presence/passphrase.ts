import { scrypt, timingSafeEqual } from 'node:crypto';
import { refuse } from '../../refusal/refusal.ts';
import { compile } from '../../schema/compile.ts';
import { writeFileAtomic } from '../files/atomic-write.ts';
import { readPrivateFile } from '../files/private-file.ts';

/** What is kept of a passphrase: never itself. */
interface PassphraseFile {
  readonly version: 1;
  readonly kdf: 'scrypt';
  readonly logN: number;
  readonly r: number;
  readonly p: number;
  /** base64url, 16 and 32 bytes. */
  readonly salt: string;
  readonly hash: string;
}

export interface PassphraseOptions {
  /** `keys/passphrase.json`. */
  readonly path: string;
  readonly uid: number;
}

export const shortestPassphrase = 8;

/** scrypt at 128 MiB and some hundred milliseconds: dear for a guesser, bearable for a person. */
const cost = { logN: 17, r: 8, p: 1 } as const;

const check = compile<PassphraseFile>({
  type: 'object',
  additionalProperties: false,
  required: ['version', 'kdf', 'logN', 'r', 'p', 'salt', 'hash'],
  properties: {
    version: { const: 1 },
    kdf: { const: 'scrypt' },
    logN: { type: 'integer', minimum: 10, maximum: 20 },
    r: { type: 'integer', minimum: 1, maximum: 16 },
    p: { type: 'integer', minimum: 1, maximum: 4 },
    salt: { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' },
    hash: { type: 'string', pattern: '^[A-Za-z0-9_-]{43}$' },
  },
});

/** Whether a passphrase has been set. A doubtful file counts as set, and then matches nothing. */
export function hasPassphrase({ path, uid }: PassphraseOptions): boolean {
  return readPrivateFile(path, { uid, maxBytes: 4_096 }).kind !== 'missing';
}

/** Sets or replaces the passphrase. Refuses one that is shorter than `shortestPassphrase`. */
export async function setPassphrase(
  passphrase: string,
  options: PassphraseOptions & { readonly random: (bytes: number) => Uint8Array },
): Promise<void> {
  if (passphrase.length < shortestPassphrase)
    throw refuse(
      'invalid-request',
      `The passphrase needs at least ${shortestPassphrase} characters.`,
      'A few words that only you would put together are easy to type and hard to guess.',
    );
  const salt = Buffer.from(options.random(16));
  const hash = await derive(passphrase, salt, cost);
  const file: PassphraseFile = {
    version: 1,
    kdf: 'scrypt',
    ...cost,
    salt: salt.toString('base64url'),
    hash: hash.toString('base64url'),
  };
  writeFileAtomic(options.path, `${JSON.stringify(file, null, 2)}\n`);
}

/**
 * True when it is the passphrase that was set. Throws `config-invalid` when there is none or its
 * file is doubtful: nothing opens by losing the file.
 */
export async function verifyPassphrase(
  passphrase: string,
  options: PassphraseOptions,
): Promise<boolean> {
  const { salt, hash, logN, r, p } = read(options);
  const given = await derive(passphrase, Buffer.from(salt, 'base64url'), { logN, r, p });
  return timingSafeEqual(given, Buffer.from(hash, 'base64url'));
}

function read({ path, uid }: PassphraseOptions): PassphraseFile {
  const file = readPrivateFile(path, { uid, maxBytes: 4_096 });
  if (file.kind === 'missing')
    throw refuse('config-invalid', 'No passphrase has been set.', 'Set one: interlock passphrase');
  const checked = file.kind === 'text' ? check(parseJson(file.text)) : null;
  if (checked?.ok === true) return checked.value;
  throw refuse(
    'config-invalid',
    `${path} does not hold a passphrase that can be checked.`,
    'Restore it from a backup with mode 600, or remove it and set a new one.',
  );
}

async function derive(
  passphrase: string,
  salt: Uint8Array,
  { logN, r, p }: { readonly logN: number; readonly r: number; readonly p: number },
): Promise<Buffer> {
  const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r };
  return new Promise((resolve, reject) => {
    // The same characters can be typed in more than one form; NFKC makes them one.
    scrypt(passphrase.normalize('NFKC'), salt, 32, options, (error, key) =>
      error === null ? resolve(key) : reject(error),
    );
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
