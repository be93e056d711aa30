import { describe, expect, it } from 'vitest';
import { decide } from '../../shared/verdict/decide.ts';
import { benchInputs, decisionRate } from './rules.bench.ts';

describe('the benchmark of decisions', () => {
  it.each(['exact', 'mixed'] as const)(
    'measures what it says: %s rules allow, allow twice, and miss',
    (mix) => {
      expect(benchInputs(100, mix).map((input) => decide(input).decision)).toEqual([
        'allow',
        'allow',
        'ask',
      ]);
    },
  );

  it('counts decisions against the clock that it is given', () => {
    let now = 0;
    const rate = decisionRate(10, 'exact', { milliseconds: 10, clock: () => (now += 1) });
    expect(rate.microseconds * rate.perSecond).toBeCloseTo(1_000_000);
  });
});
