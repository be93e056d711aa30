import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { shareWith } from '../../../runner/cli/service/share.ts';

const owner = process.geteuid?.() ?? -1;
const socket = { path: '/run/x/runner.sock', gid: 7 };

function configWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'il-share-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'config.json');
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

const kept = { version: 1, limits: { burst: 3 }, service: { logLevel: 'warn' } };

test('users and socket are added, and all else in the file stays', () => {
  const configPath = configWith(
    JSON.stringify({ ...kept, users: [{ uid: 4_000_001, agents: ['claude'] }] }),
  );
  const uids = [4_000_001, 4_000_002, owner];
  expect(shareWith({ configPath, owner, socket, uids })).toEqual([4_000_002]);
  expect(JSON.parse(readFileSync(configPath, 'utf8'))).toEqual({
    ...kept,
    service: { logLevel: 'warn', sharedSocket: socket },
    users: [
      { uid: 4_000_001, agents: ['claude'] },
      { uid: 4_000_002, agents: ['*'] },
    ],
  });
});

test.each([
  ['is not valid', '{"version":2}'],
  ['is not JSON', '{'],
])('a file that %s is not written to', (_what, text) => {
  const configPath = configWith(text);
  expect(() => shareWith({ configPath, owner, socket, uids: [5] })).toThrow('not valid');
  expect(readFileSync(configPath, 'utf8')).toBe(text);
});

test('a file that others can read is not written to', () => {
  const configPath = configWith('{"version":1}');
  chmodSync(configPath, 0o644);
  expect(() => shareWith({ configPath, owner, socket, uids: [5] })).toThrow(
    'can be used by others',
  );
});

test('a socket that the settings would not take is refused, and nothing is written', () => {
  const configPath = configWith('{"version":1}');
  const relative = { path: 'runner.sock', gid: 7 };
  expect(() => shareWith({ configPath, owner, socket: relative, uids: [5] })).toThrow('not valid');
  expect(readFileSync(configPath, 'utf8')).toBe('{"version":1}');
});
