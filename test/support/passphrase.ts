import { randomBytes, scryptSync } from 'node:crypto';
import { dirname } from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';

/**
 * A passphrase that was set, as its file says, at the lowest cost that a file may name: who tests
 * something else need not wait for what makes guessing dear.
 */
export function havePassphrase(path: string, passphrase: string): void {
  const cost = { logN: 10, r: 8, p: 1 };
  const salt = randomBytes(16);
  const hash = scryptSync(passphrase, salt, 32, { N: 2 ** cost.logN, r: cost.r, p: cost.p });
  const [saltText, hashText] = [salt, hash].map((bytes) => bytes.toString('base64url'));
  const file = { version: 1, kdf: 'scrypt', ...cost, salt: saltText, hash: hashText };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, JSON.stringify(file), { mode: 0o600 });
}
