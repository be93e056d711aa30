import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openNamedSecrets, namedSecretsRevision } from '../../../shared/home/named-secrets.ts';
import type { NamedSecrets } from '../../../shared/home/named-secrets.ts';
import { fileSecretStore, keychainSecretStore } from '../../../shared/home/secrets.ts';
import type { SecretStore } from '../../../shared/home/secrets.ts';
import { systemClock } from '../../../shared/home/clock.ts';
import { ensurePrivateDirectory } from '../../../shared/home/files.ts';

const uid = process.geteuid?.() ?? 0;
const value = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

let folder: string;
let directory: string;
let keyDirectory: string;
let at: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'il-named-'));
  directory = join(folder, 'home', 'keys');
  keyDirectory = join(folder, 'data', 'interlock', 'keys');
  ensurePrivateDirectory(directory, { uid });
  at = 1_000;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function open(store?: SecretStore): Promise<NamedSecrets> {
  return openNamedSecrets({
    directory,
    keyDirectory,
    uid,
    now: () => at,
    store: async () => store ?? fileSecretStore(directory, { uid }),
  });
}

const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'ok',
    (error: { refusal?: { code?: string } }) => error.refusal?.code,
  );

/** Every file below a folder, whole. */
function contents(of: string): string {
  return readdirSync(of, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

describe('named secrets', () => {
  it('come back as they were kept, and change in place', async () => {
    const secrets = await open();
    expect(await secrets.set('github', Buffer.from(value))).toBe('made');
    expect((await secrets.get('github'))?.toString()).toBe(value);
    at = 2_000;
    expect(await secrets.set('github', Buffer.from(`${value}2`))).toBe('changed');
    expect((await (await open()).get('github'))?.toString()).toBe(`${value}2`);
    expect(secrets.list()).toEqual([
      { name: 'github', createdAt: 1_000, changedAt: 2_000, lastUsedAt: null, lastUsedBy: null },
    ]);
  });

  it('leave nothing readable in the home where no keychain answers, and say where the key is', async () => {
    const secrets = await open();
    await secrets.set('github', Buffer.from(value));
    const home = contents(join(folder, 'home'));
    for (const spelling of [value, Buffer.from(value).toString('base64').slice(0, -2)])
      expect(home).not.toContain(spelling);
    const [key = ''] = readdirSync(keyDirectory);
    const identity = readFileSync(join(keyDirectory, key), 'utf8').trim();
    expect(identity).toMatch(/^AGE-SECRET-KEY-/u);
    expect(home).not.toContain(identity);
    expect(statSync(join(keyDirectory, key)).mode & 0o777).toBe(0o600);
    expect(secrets.kind).toBe('encrypted-file');
    expect(secrets.sentence).toContain(join(keyDirectory, key));
  });

  it('are in the keychain where one answers, and in no file', async () => {
    const entries = new Map<string, string>();
    const keychain = {
      getPassword: async (_service: string, account: string) => entries.get(account) ?? null,
      setPassword: async (_service: string, account: string, password: string) =>
        void entries.set(account, password),
      deletePassword: async (_service: string, account: string) => entries.delete(account),
    };
    const secrets = await open(keychainSecretStore(keychain, { home: folder, clock: systemClock }));
    await secrets.set('github', Buffer.from(value));
    expect(secrets.kind).toBe('keychain');
    expect([...entries.keys()]).toEqual(['named-github']);
    expect(readdirSync(directory).toSorted()).toEqual(['secrets.json', 'secrets.lock']);
    expect((await secrets.get('github'))?.toString()).toBe(value);
  });

  it('are found by a program that comes with other variables', async () => {
    await (await open()).set('github', Buffer.from(value));
    keyDirectory = join(folder, 'elsewhere');
    expect((await (await open()).get('github'))?.toString()).toBe(value);
  });

  it('are gone when they are removed, and cannot be had by a name that is not listed', async () => {
    const secrets = await open();
    await secrets.set('github', Buffer.from(value));
    expect(await secrets.remove('github')).toBe(true);
    expect(await secrets.remove('github')).toBe(false);
    expect(await secrets.get('github')).toBeNull();
    expect(await secrets.get('constructor')).toBeNull();
  });

  it('tell a change by their revision, and a use not', async () => {
    const secrets = await open();
    expect(namedSecretsRevision(directory, uid)).toBe(0);
    await secrets.set('github', Buffer.from(value));
    expect(namedSecretsRevision(directory, uid)).toBe(1);
    at = 5_000;
    await secrets.used(['github'], 'git');
    expect(namedSecretsRevision(directory, uid)).toBe(1);
    expect(secrets.list()[0]).toMatchObject({ lastUsedAt: 5_000, lastUsedBy: 'git' });
    await secrets.remove('github');
    expect(namedSecretsRevision(directory, uid)).toBe(2);
  });

  it.each([
    ['GitHub', value],
    ['a/b', value],
    ['', value],
    ['a'.repeat(41), value],
    ['github', 'short'],
    ['github', 'x'.repeat(8_193)],
    ['github', `nul\0${value}`],
  ])('refuse what cannot be kept: %j', async (name, wanted) => {
    const secrets = await open();
    expect(await codeOf(secrets.set(name, Buffer.from(wanted)))).toBe('invalid-request');
    expect(secrets.list()).toEqual([]);
  });

  it('refuse bytes that are not text', async () => {
    const bytes = Buffer.from([0xff, 0xfe, 1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await codeOf((await open()).set('github', bytes))).toBe('invalid-request');
  });

  it('refuse to be read, and to be written anew, without their key', async () => {
    const secrets = await open();
    await secrets.set('github', Buffer.from(value));
    rmSync(keyDirectory, { recursive: true });
    expect(await codeOf(secrets.get('github'))).toBe('config-invalid');
    expect(await codeOf(secrets.set('npm', Buffer.from(value)))).toBe('config-invalid');
    expect(secrets.list().map(({ name }) => name)).toEqual(['github']);
  });

  it('refuse a file or a list that was changed, and never show what is in it', async () => {
    const secrets = await open();
    await secrets.set('github', Buffer.from(value));
    const sealed = join(directory, 'secrets.age');
    const text = readFileSync(sealed, 'utf8');
    writeFileSync(
      sealed,
      text.replace(/.(?=\n-----END)/u, (one) => (one === 'A' ? 'B' : 'A')),
    );
    expect(await codeOf(secrets.get('github'))).toBe('config-invalid');
    writeFileSync(join(directory, 'secrets.json'), '{"version":1,"revision":1,"secrets":{},"x":1}');
    expect(() => secrets.list()).toThrow(/does not say which secrets/u);
  });

  it('are all there when several programs keep one at once', async () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    await Promise.all(
      names.map(async (name) => (await open()).set(name, Buffer.from(value + name))),
    );
    const values = await (await open()).values();
    expect([...values.keys()].toSorted()).toEqual(names.toSorted());
  });
});
