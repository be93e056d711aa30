import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../shared/home/clock.ts';
import { keychainSecretStore } from '../../../shared/home/secrets.ts';
import { openSecretStore } from '../../../shared/home/secrets.ts';
import type { Keychain, SecretStore } from '../../../shared/home/secrets.ts';

let home: string;
let directory: string;
const uid = process.getuid?.() ?? 0;
const secret = Buffer.from('a secret of thirty-two bytes !!!');

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'interlock-secrets-'));
  directory = join(home, 'keys');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function memoryKeychain(): Keychain & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  const key = (service: string, account: string): string => `${service}/${account}`;
  return {
    entries,
    getPassword: async (service, account) => entries.get(key(service, account)) ?? null,
    setPassword: async (service, account, password) => {
      entries.set(key(service, account), password);
    },
    deletePassword: async (service, account) => entries.delete(key(service, account)),
  };
}

async function open(keychain: Keychain | null): Promise<SecretStore> {
  return openSecretStore({
    home,
    directory,
    uid,
    clock: systemClock,
    loadKeychain: async () => keychain,
  });
}

describe('the secret store', () => {
  it('uses the keychain where one answers, and leaves no secret in a file', async () => {
    const keychain = memoryKeychain();
    const store = await open(keychain);
    await store.set('audit-chain', secret);
    expect(store.kind).toBe('keychain');
    expect(await store.get('audit-chain')).toEqual(secret);
    expect(readdirSync(directory)).toEqual(['store.json']);
    expect([...keychain.entries.keys()]).toHaveLength(1);
  });

  it('falls back to 0600 files where no keychain is there', async () => {
    const store = await open(null);
    await store.set('agent-claude', secret);
    expect(store.kind).toBe('file');
    expect(statSync(join(directory, 'agent-claude.secret')).mode & 0o777).toBe(0o600);
    expect(await (await open(null)).get('agent-claude')).toEqual(secret);
  });

  it('falls back to files where the keychain refuses, as without a session bus', async () => {
    const broken: Keychain = {
      getPassword: async () => Promise.reject(new Error('Cannot autolaunch D-Bus')),
      setPassword: async () => Promise.reject(new Error('Cannot autolaunch D-Bus')),
      deletePassword: async () => Promise.reject(new Error('Cannot autolaunch D-Bus')),
    };
    expect((await open(broken)).kind).toBe('file');
  });

  it('never moves from a chosen keychain to a file by itself', async () => {
    await open(memoryKeychain());
    await expect(open(null)).rejects.toMatchObject({ refusal: { code: 'config-invalid' } });
  });

  it('keeps the file store after a keychain appears', async () => {
    await open(null);
    expect((await open(memoryKeychain())).kind).toBe('file');
  });

  it('keeps two homes of one user apart in one keychain', async () => {
    const keychain = memoryKeychain();
    const one = keychainSecretStore(keychain, { home: '/a', clock: systemClock });
    const two = keychainSecretStore(keychain, { home: '/b', clock: systemClock });
    await one.set('key', secret);
    expect(await two.get('key')).toBeNull();
  });

  it('refuses a secret file that others can read', async () => {
    const store = await open(null);
    await store.set('key', secret);
    chmodSync(join(directory, 'key.secret'), 0o644);
    await expect(store.get('key')).rejects.toMatchObject({ refusal: { code: 'config-invalid' } });
  });

  it.each(['../policy', 'a/b', '', '.', 'A', 'x'.repeat(65)])(
    'rejects the name %j',
    async (name) => {
      const store = await open(null);
      await expect(store.set(name, secret)).rejects.toThrow('secret name');
    },
  );

  it('says nothing of the secret when the keychain does not answer in time', async () => {
    let fire = (): void => {};
    const store = keychainSecretStore(
      { ...memoryKeychain(), setPassword: async () => new Promise(() => {}) },
      {
        home,
        clock: { now: () => 0, elapsed: () => 0, after: (_ms, run) => ((fire = run), () => {}) },
      },
    );
    const pending = store.set('key', secret).catch((error: unknown) => error);
    fire();
    const error = String(await pending);
    expect(error).toContain('keychain did not answer');
    expect(error).not.toContain(secret.toString('base64url'));
  });

  it('tells whether there was something to remove', async () => {
    const store = await open(null);
    await store.set('key', secret);
    expect([await store.remove('key'), await store.remove('key')]).toEqual([true, false]);
    expect(await store.get('key')).toBeNull();
  });
});
