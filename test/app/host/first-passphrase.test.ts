import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setupHandlers } from '../../../app/host/setup-handlers.ts';
import { verifyPassphrase } from '../../../shared/operations/presence.ts';
import { refusalOf } from '../../../shared/base/refusal.ts';

const uid = process.geteuid?.() ?? -1;
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'first-passphrase-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function set(passphrase: string, locked = false): Promise<string> {
  const options = {
    paths: { keysDirectory: folder, passphrase: join(folder, 'passphrase.json') },
    uid,
    locked: () => locked,
  };
  const { setPassphrase } = setupHandlers(options as Parameters<typeof setupHandlers>[0]);
  try {
    await setPassphrase({ passphrase });
    return 'set';
  } catch (error) {
    return refusalOf(error)?.code ?? String(error);
  }
}

test('the first passphrase is set, never a second over it, and its words are nowhere', async () => {
  const file = { path: join(folder, 'passphrase.json'), uid };
  expect(await set('three words here')).toBe('set');
  expect(readFileSync(file.path, 'utf8')).not.toContain('three');
  expect(await set('other words here')).toBe('invalid-request');
  expect(await verifyPassphrase('three words here', file)).toBe(true);
});

test('none is set while everything is locked, and none that is short', async () => {
  expect(await set('three words here', true)).toBe('lockout-active');
  expect(await set('abc')).toBe('invalid-request');
});
