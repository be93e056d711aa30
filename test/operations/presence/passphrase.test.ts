import { randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  hasPassphrase,
  setPassphrase,
  verifyPassphrase,
} from '../../../shared/operations/presence.ts';

const uid = process.getuid?.() ?? 0;
let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'interlock-passphrase-'));
  path = join(directory, 'passphrase.json');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const set = async (text: string): Promise<void> =>
  setPassphrase(text, { path, uid, random: randomBytes });

describe('the passphrase', () => {
  it('opens with itself and with nothing else', async () => {
    await set('correct horse');
    expect(await verifyPassphrase('correct horse', { path, uid })).toBe(true);
    expect(await verifyPassphrase('correct horsf', { path, uid })).toBe(false);
    expect(await verifyPassphrase('', { path, uid })).toBe(false);
  });

  it('is not in its file, which is 0600', async () => {
    await set('correct horse');
    expect(readFileSync(path, 'utf8')).not.toContain('horse');
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('may be typed with composed or with combining characters', async () => {
    await set('caf\u00e9 creme');
    expect(await verifyPassphrase('cafe\u0301 creme', { path, uid })).toBe(true);
  });

  it('is refused when it is short', async () => {
    await expect(set('seven77')).rejects.toMatchObject({ refusal: { code: 'invalid-request' } });
    expect(hasPassphrase({ path, uid })).toBe(false);
  });

  it('opens nothing when none was set', async () => {
    await expect(verifyPassphrase('correct horse', { path, uid })).rejects.toMatchObject({
      refusal: { code: 'config-invalid' },
    });
  });

  it.each(['', '{}', '{"version":1,"kdf":"none"}', 'x'.repeat(10_000)])(
    'opens nothing when its file says %.20j',
    async (text) => {
      writeFileSync(path, text, { mode: 0o600 });
      await expect(verifyPassphrase('correct horse', { path, uid })).rejects.toMatchObject({
        refusal: { code: 'config-invalid' },
      });
    },
  );

  it('opens nothing when others could have changed its file', async () => {
    await set('correct horse');
    chmodSync(path, 0o666);
    await expect(verifyPassphrase('correct horse', { path, uid })).rejects.toThrow(
      'config-invalid',
    );
    expect(hasPassphrase({ path, uid })).toBe(true);
  });
});
