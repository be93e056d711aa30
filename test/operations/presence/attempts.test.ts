import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { countAttempt, forgetAttempts, waitBefore } from '../../../shared/operations/presence.ts';

function fresh() {
  const folder = mkdtempSync(join(tmpdir(), 'il-attempts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { path: join(folder, 'attempts'), uid: process.geteuid?.() ?? -1 };
}

test.each([
  [0, 0],
  [1, 0],
  [2, 1_000],
  [3, 2_000],
  [6, 16_000],
  [7, 30_000],
  [1e6, 30_000],
])('after %i wrong ones the next waits %i ms', (wrong, ms) => {
  expect(waitBefore(wrong)).toBe(ms);
});

test('attempts are counted on the disk, before they are made, until one is right', async () => {
  const options = fresh();
  const waits = [];
  for (let count = 0; count < 4; count += 1) waits.push(await countAttempt(options));
  expect(waits).toEqual([0, 0, 1_000, 2_000]);
  forgetAttempts(options);
  expect(await countAttempt(options)).toBe(0);
});

test('trying many times at once wins nothing', async () => {
  const options = fresh();
  const waits = await Promise.all(Array.from({ length: 6 }, async () => countAttempt(options)));
  expect(waits.toSorted((a, b) => a - b)).toEqual([0, 0, 1_000, 2_000, 4_000, 8_000]);
});

test('a damaged count is a large one', async () => {
  const options = fresh();
  writeFileSync(options.path, '{', { mode: 0o600 });
  expect(await countAttempt(options)).toBe(30_000);
});
