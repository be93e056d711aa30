import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../runner/undo/store.ts';

/** A store in which three contents fill a segment. */
function smallSegments() {
  const folder = mkdtempSync(join(tmpdir(), 'il-store-'));
  const open = () => openStore(folder, 100);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return open;
}

const contents = Array.from({ length: 36 }, (_, at) => Buffer.alloc(40, at));

test('what a sweep moves to new segments stays, however many of them it fills', () => {
  const open = smallSegments();
  const filled = open();
  const hashes = contents.map((bytes) => filled.put(bytes));
  filled.close();
  const store = open();
  const needed = new Set(hashes.filter((_, at) => at % 3 === 0));
  const before = store.bytes();
  store.sweep((hash) => needed.has(hash));
  expect(store.bytes()).toBeLessThan(before / 2);
  const kept = (from: typeof store) => hashes.filter((hash) => from.read(hash) !== null);
  expect(kept(store)).toEqual([...needed]);
  store.close();
  const again = open();
  expect(kept(again)).toEqual([...needed]);
  again.close();
});

test('a segment of which more than half is needed is left alone', () => {
  const store = smallSegments()();
  const hashes = contents.slice(0, 9).map((bytes) => store.put(bytes));
  const before = store.bytes();
  store.sweep((hash) => hashes.indexOf(hash) % 3 !== 0);
  expect(store.bytes()).toBe(before);
  store.close();
});
