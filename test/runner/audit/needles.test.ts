import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { needlesOf } from '../../../runner/audit/needles.ts';
import { createReflections } from '../../../runner/egress/reflect.ts';

/** Few letters, so that values stand in the bytes, in each other and across each other's ends. */
const word = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'é'), minLength, maxLength });

/** The same, the slow way. */
function firstOf(values: readonly string[], bytes: Buffer, from: number) {
  for (let at = from; at < bytes.length; at += 1) {
    const standing = values
      .map((value) => Buffer.from(value))
      .filter((one) => one.length > 0 && one.equals(bytes.subarray(at, at + one.length)))
      .map(({ length }) => length);
    if (standing.length > 0) return { at, length: Math.max(...standing) };
  }
  return null;
}

function beginningOf(values: readonly string[], bytes: Buffer): number {
  const lengths = values.flatMap((value) => {
    const one = Buffer.from(value);
    return Array.from({ length: Math.max(0, one.length - 1) }, (_none, at) => at + 1).filter(
      (length) =>
        length <= bytes.length &&
        one.subarray(0, length).equals(bytes.subarray(bytes.length - length)),
    );
  });
  return Math.max(0, ...lengths);
}

describe('values that are looked for in bytes', () => {
  it.each([
    ['short', 0, 6, 40],
    ['long', 9, 14, 120],
  ])(
    'are found where the first of them stands, the longest there, however they overlap: %s ones',
    (_which, least, most, length) => {
      fc.assert(
        fc.property(
          fc.array(word(least, most), { maxLength: 5 }),
          word(0, length),
          fc.array(fc.nat(4), { maxLength: 4 }),
          fc.nat(10),
          (values, around, chosen, from) => {
            const planted = chosen.map((one) => values[one] ?? '').join(around.slice(0, 3));
            const bytes = Buffer.from(`${around}${planted}${around}`);
            const needles = needlesOf(values);
            expect(needles.find(bytes, from)).toEqual(firstOf(values, bytes, from));
            expect(needles.beginning(bytes)).toBe(beginningOf(values, bytes));
          },
        ),
        { numRuns: 1_500 },
      );
    },
  );

  it('are made ready once for many requests, and no longer than others are', () => {
    const reflectionsFor = createReflections({ after: () => () => undefined });
    const first = reflectionsFor(['correct horse']);
    expect(reflectionsFor(['correct horse'])).toBe(first);
    expect(reflectionsFor(['battery staple'])).not.toBe(first);
    expect(first?.text('a correct horse')).toBe('a *************');
    for (let at = 0; at < 16; at += 1) reflectionsFor([`another value ${String(at)}`]);
    expect(reflectionsFor(['correct horse'])).not.toBe(first);
  });
});
