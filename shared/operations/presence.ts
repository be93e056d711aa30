import { scrypt, timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import { compile, readJson, refuse, s } from '../base/index.ts';
import type { Static } from '../base/index.ts';
import {
  keepStopNote,
  openLock,
  readPrivateFile,
  withFileLock,
  writeFileAtomic,
} from '../home/index.ts';
import type { HomePaths } from '../home/index.ts';

interface AttemptsOptions {
  /** Beside the passphrase: `keys/passphrase-attempts.json`. */
  readonly path: string;
  readonly uid: number;
}

const check = compile(
  s.object({
    version: s.literal(1),
    wrong: s.integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  }),
);

const free = 2;
const longestSeconds = 30;

/**
 * Counts one attempt before it is made, and answers how long to wait before it, in milliseconds.
 * Counting comes first, so that nothing is won by ending the program, by trying many times at once
 * or by setting the clock. A damaged count is a large one. Throws when it cannot be written.
 */
export async function countAttempt(options: AttemptsOptions): Promise<number> {
  return withFileLock(`${options.path}.lock`, () => {
    const before = readCount(options);
    writeFileAtomic(options.path, `${JSON.stringify({ version: 1, wrong: before + 1 })}\n`);
    return waitBefore(before);
  });
}

/** It was right: the next attempt waits for nothing. */
export function forgetAttempts({ path }: Pick<AttemptsOptions, 'path'>): void {
  rmSync(path, { force: true });
}

/** The pause in milliseconds after so many wrong attempts in a row: none twice, then 1, 2, 4 … 30 s. */
export function waitBefore(wrong: number): number {
  if (wrong < free) return 0;
  return Math.min(2 ** Math.min(wrong - free, 10), longestSeconds) * 1_000;
}

function readCount({ path, uid }: AttemptsOptions): number {
  const file = readPrivateFile(path, { uid, maxBytes: 1_024 });
  if (file.kind === 'missing') return 0;
  const checked = file.kind === 'text' ? readJson(check, file.text) : null;
  return checked?.ok === true ? checked.value.wrong : 100;
}

/** What is kept of a passphrase: never itself. */
const passphraseFile = s.object({
  version: s.literal(1),
  kdf: s.literal('scrypt'),
  logN: s.integer({ minimum: 10, maximum: 20 }),
  r: s.integer({ minimum: 1, maximum: 16 }),
  p: s.integer({ minimum: 1, maximum: 4 }),
  /** base64url, 16 and 32 bytes. */
  salt: s.string({ pattern: '^[A-Za-z0-9_-]{22}$' }),
  hash: s.string({ pattern: '^[A-Za-z0-9_-]{43}$' }),
});
type PassphraseFile = Static<typeof passphraseFile>;
const checkPassphraseFile = compile(passphraseFile);

interface PassphraseOptions {
  /** `keys/passphrase.json`. */
  readonly path: string;
  readonly uid: number;
}

export const shortestPassphrase = 8;

/** scrypt at 128 MiB and some hundred milliseconds: dear for a guesser, bearable for a person. */
const cost = { logN: 17, r: 8, p: 1 } as const;

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
  const checked = file.kind === 'text' ? readJson(checkPassphraseFile, file.text) : null;
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

interface UnlockOptions {
  readonly paths: HomePaths;
  readonly uid: number;
  readonly now: () => number;
  /** Who asks, for the record: `person at a terminal`, `person at the app`. */
  readonly by: string;
  /** Told before a wait after wrong attempts, in milliseconds. */
  readonly onWait?: (ms: number) => void;
  readonly sleep?: (ms: number) => Promise<void>;
}

/**
 * Opens the lock for whoever knows the passphrase. It writes the state files itself: no runner can
 * be asked to do it, so nothing that talks to a runner can unlock. Throws `config-invalid` when no
 * passphrase is set and `confirm-rejected` when this is not it.
 */
export async function unlockWithPassphrase(
  passphrase: string,
  options: UnlockOptions,
): Promise<void> {
  const { paths, uid, now, by } = options;
  await requirePassphrase(passphrase, options);
  openLock(paths, { uid, now: now(), by });
}

/** Throws unless this is the passphrase. Waits longer with each wrong one before it. */
export async function requirePassphrase(passphrase: string, options: UnlockOptions): Promise<void> {
  const { paths, uid, now, by, sleep = wait } = options;
  const file = { path: paths.passphrase, uid };
  if (!hasPassphrase(file)) throw noPassphrase();
  const attempts = { path: `${paths.passphrase}.attempts`, uid };
  const pause = await countAttempt(attempts);
  if (pause > 0) {
    options.onWait?.(pause);
    await sleep(pause);
  }
  if (await verifyPassphrase(passphrase, file)) {
    forgetAttempts(attempts);
    return;
  }
  const text = `A wrong passphrase was given by ${by}.`;
  keepStopNote(paths, { at: now(), code: 'unlock-refused', by, text }, uid);
  throw refuse(
    'confirm-rejected',
    'That is not the passphrase.',
    'Try again. Each wrong one makes the next wait longer.',
  );
}

function noPassphrase(): Error {
  return refuse(
    'config-invalid',
    'No passphrase has been set, so nothing can be unlocked with one.',
    'At a terminal on this machine: interlock unlock — it lets you set one first.',
  );
}

async function wait(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
