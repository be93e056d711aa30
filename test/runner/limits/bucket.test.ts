import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refilled, waitFor } from '../../../shared/base/clock.ts';
import { createBuckets } from '../../../runner/limits/bucket.ts';

const rate = { perMinute: 60, burst: 10 };

describe('a token bucket', () => {
  it.each([
    ['one token a second', 0, 1_000, 1],
    ['a part of a token', 0, 500, 0.5],
    ['never more than the burst', 9, 60_000, 10],
    ['nothing for a clock that ran backwards', 3, -5_000, 3],
    ['nothing for a time that is not a number', 3, Number.NaN, 3],
    ['no more than a smaller burst of new settings', 50, 0, 10],
  ])('fills with %s', (_name, tokens, elapsed, expected) => {
    expect(refilled(tokens, rate, elapsed)).toBe(expected);
  });

  it('tells how long the next token takes', () => {
    expect([waitFor(1, rate), waitFor(0.25, rate), waitFor(0, rate)]).toEqual([0, 750, 1_000]);
    expect(waitFor(0, { perMinute: 0, burst: 1 })).toBe(Infinity);
  });

  it('never gives more than the burst and the refill, however it is asked', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -10_000, max: 10_000 }), { maxLength: 200 }),
        (steps) => {
          let now = 0;
          let forward = 0;
          const buckets = createBuckets({ elapsed: () => now, levels: {} });
          let taken = 0;
          for (const step of steps) {
            now += step;
            forward += Math.max(0, step);
            if (buckets.take('a', rate) === 0) taken += 1;
          }
          expect(taken).toBeLessThanOrEqual(rate.burst + forward / 1_000);
        },
      ),
    );
  });

  it('keeps what an earlier runner had used, and fills nothing for the time between', () => {
    let now = 1_000_000;
    const first = createBuckets({ elapsed: () => now, levels: {} });
    for (let count = 0; count < 10; count += 1) expect(first.take('a', rate)).toBe(0);
    now += 500;
    const second = createBuckets({ elapsed: () => now + 9_000_000, levels: first.levels() });
    expect(second.take('a', rate)).toBe(1_000);
    expect(second.take('new', rate)).toBe(0);
  });

  it('starts empty when it cannot be known what was used', () => {
    expect(createBuckets({ elapsed: () => 0, levels: null }).take('a', rate)).toBe(1_000);
  });

  it('keeps a bounded number of names', () => {
    const buckets = createBuckets({ elapsed: () => 0, levels: {} });
    for (let name = 0; name < 5_000; name += 1) buckets.take(`n${name}`, rate);
    expect(Object.keys(buckets.levels())).toHaveLength(2_000);
  });
});
