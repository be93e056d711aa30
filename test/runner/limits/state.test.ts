import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBuckets } from '../../../runner/limits/bucket.ts';
import { keepLevels, readLevels } from '../../../runner/limits/state.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const uid = process.getuid?.() ?? 0;
const rate = { perMinute: 60, burst: 10 };
let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'interlock-limits-'));
  path = join(directory, 'limits.json');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function keeper(target: string) {
  const clock = fakeClock();
  const buckets = createBuckets({ elapsed: () => 0, levels: {} });
  const problems: string[] = [];
  const kept = keepLevels({
    path: target,
    buckets: () => buckets,
    clock,
    problem: (sentence) => problems.push(sentence),
  });
  return { clock, buckets, problems, kept };
}

describe('the state of the limits', () => {
  it('is written soon after a change, once for many, and read by the next runner', () => {
    const { clock, buckets, kept } = keeper(path);
    buckets.take('a', rate);
    kept.changed();
    buckets.take('a', rate);
    kept.changed();
    expect(existsSync(path)).toBe(false);
    clock.advance(1_000);
    expect(readLevels(path, uid)).toEqual({ a: 8 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is written at a stop, where something changed', () => {
    const { buckets, kept } = keeper(path);
    kept.flush();
    expect(existsSync(path)).toBe(false);
    buckets.take('a', rate);
    kept.changed();
    kept.flush();
    expect(readLevels(path, uid)).toEqual({ a: 9 });
  });

  it('tells when it cannot be written, and goes on', () => {
    const { clock, problems, kept } = keeper(join(directory, 'missing', 'limits.json'));
    kept.changed();
    clock.advance(1_000);
    expect(problems).toHaveLength(1);
  });

  it('is empty before the first use', () => {
    expect(readLevels(path, uid)).toEqual({});
  });

  it.each(['', '{', '{"version":2,"levels":{}}', '{"version":1,"levels":{"a":-1}}'])(
    'cannot be believed when it says %j',
    (text) => {
      writeFileSync(path, text, { mode: 0o600 });
      expect(readLevels(path, uid)).toBeNull();
    },
  );

  it('cannot be believed when others could have written it', () => {
    writeFileSync(path, '{"version":1,"levels":{}}', { mode: 0o600 });
    chmodSync(path, 0o666);
    expect(readLevels(path, uid)).toBeNull();
  });
});
