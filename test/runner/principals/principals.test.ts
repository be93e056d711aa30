import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPrincipals } from '../../../runner/principals/principals.ts';
import type { Principals } from '../../../runner/principals/callers.ts';
import { fileSecretStore } from '../../../shared/home/secrets.ts';

const uid = process.getuid?.() ?? 0;
let directory: string;
let principals: Principals;

function open(): Principals {
  const secrets = fileSecretStore(directory, { uid });
  return createPrincipals({ directory, secrets, uid, now: () => 1_000, random: randomBytes });
}

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'interlock-principals-')), 'keys');
  principals = open();
});
afterEach(() => rmSync(join(directory, '..'), { recursive: true, force: true }));

describe('agents with keys', () => {
  it('get a key of 32 bytes, in a file of their own and in the secret store', async () => {
    const { keyFile } = await principals.add('claude');
    const own = Buffer.from(readFileSync(keyFile, 'utf8').trim(), 'base64url');
    expect(own).toHaveLength(32);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    expect(await open().key('claude')).toEqual(own);
    expect(principals.list()).toEqual([{ name: 'claude', createdAt: 1_000, keyedAt: 1_000 }]);
  });

  it('all get a key again after a lockout has taken them away, and only those that had none', async () => {
    for (const name of ['claude', 'codex']) await principals.add(name);
    await principals.revokeAll();
    await principals.rekey('codex');
    const kept = await principals.key('codex');
    expect(await principals.restoreAll()).toEqual(['claude']);
    expect(await principals.key('claude')).toHaveLength(32);
    expect(await principals.key('codex')).toEqual(kept);
    expect(await principals.restoreAll()).toEqual([]);
  });

  it('lose the old key when a new one is issued', async () => {
    await principals.add('claude');
    const before = await principals.key('claude');
    await principals.rekey('claude');
    expect(await principals.key('claude')).not.toEqual(before);
  });

  it('all lose their keys in a lockout, and can be keyed again one by one', async () => {
    const { keyFile } = await principals.add('claude');
    await principals.add('codex');
    expect(await principals.revokeAll()).toBe(2);
    expect(await principals.key('claude')).toBeNull();
    expect(existsSync(keyFile)).toBe(false);
    expect(principals.list().map(({ keyedAt }) => keyedAt)).toEqual([null, null]);
    await principals.rekey('codex');
    expect(await principals.key('codex')).toHaveLength(32);
    expect(await principals.key('claude')).toBeNull();
    expect(await principals.revokeAll()).toBe(1);
  });

  it('are gone after they are removed', async () => {
    const { keyFile } = await principals.add('claude');
    await principals.remove('claude');
    expect(existsSync(keyFile)).toBe(false);
    expect(principals.list()).toEqual([]);
    await expect(principals.rekey('claude')).rejects.toThrow('no agent');
  });

  it.each(['', 'A', '../x', 'a b', '-a', 'a-', 'x'.repeat(41), '*', '__proto__'])(
    'cannot be called %j',
    async (name) => {
      await expect(principals.add(name)).rejects.toMatchObject({
        refusal: { code: 'invalid-request' },
      });
    },
  );

  it('cannot be made twice', async () => {
    await principals.add('claude');
    await expect(principals.add('claude')).rejects.toThrow('has a key already');
  });

  it('are not known at all when the list of agents is doubtful', async () => {
    await principals.add('claude');
    chmodSync(join(directory, 'agents.json'), 0o644);
    await expect(principals.key('claude')).rejects.toMatchObject({
      refusal: { code: 'config-invalid' },
    });
  });
});
