import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { snapshotOf } from '../../shared/engine/plan/snapshot.ts';
import { nodeFiles } from '../../shared/home/machine.ts';

let folder = '';
const sizes = [0, 1, 255, 256, 257, 70_000, 300_000];
const limits = [1, 256, 65_536, 1_000_000];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'il-heads-'));
  mkdirSync(join(folder, 'folder'));
  for (const size of sizes) writeFileSync(join(folder, String(size)), Buffer.alloc(size, 'ab'));
  writeFileSync(join(folder, 'other'), Buffer.alloc(257, 'ac'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('whether a file begins as before', () => {
  it('is what reading it again would say, whatever lies there and however much is read', () => {
    const names = [...sizes.map(String), 'other', 'folder', 'missing'];
    const before = names.flatMap((name) =>
      limits.flatMap((limit) => nodeFiles().head(join(folder, name), limit) ?? []),
    );
    let same = 0;
    for (const files of [nodeFiles(), snapshotOf(nodeFiles())])
      for (const name of names)
        for (const limit of limits)
          for (const text of before) {
            const path = join(folder, name);
            const now = files.head(path, limit);
            const expected = now !== null && Buffer.from(now).equals(text);
            expect(files.isHead?.(path, limit, text), `${name}, ${String(limit)}`).toBe(expected);
            if (expected) same += 1;
          }
    expect(same).toBeGreaterThan(50);
  });
});
