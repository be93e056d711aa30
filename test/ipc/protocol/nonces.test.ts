import { describe, expect, it } from 'vitest';
import { createNonceMemory } from '../../../shared/ipc/protocol/context.ts';
import { createTokenBucket } from '../../../shared/base/clock.ts';
import { fakeClock } from '../../support/fake-clock.ts';

describe('the memory of nonces', () => {
  it('takes each nonce once, until it could not be accepted any more', () => {
    const clock = fakeClock(0);
    const nonces = createNonceMemory(clock);
    expect(nonces.use('a', 100)).toBe(true);
    clock.jump(100);
    expect(nonces.use('a', 200)).toBe(false);
    clock.jump(1);
    expect(nonces.use('a', 200)).toBe(true);
  });

  it('refuses new nonces when it is full, rather than forget old ones', () => {
    const clock = fakeClock(0);
    const nonces = createNonceMemory(clock, 2);
    expect([nonces.use('a', 10), nonces.use('b', 20), nonces.use('c', 30)]).toEqual([
      true,
      true,
      false,
    ]);
    clock.jump(11);
    expect(nonces.use('c', 30)).toBe(true);
    expect(nonces.use('b', 30)).toBe(false);
    expect(nonces.size).toBe(2);
  });
});

describe('the token bucket', () => {
  it('fills with time up to its burst, and not when the clock goes back', () => {
    const clock = fakeClock(1_000);
    const takeOne = createTokenBucket(clock, { burst: 2, perSecond: 1 });
    const take = (times: number): boolean[] => Array.from({ length: times }, () => takeOne());
    expect(take(3)).toEqual([true, true, false]);
    clock.lag(60_000);
    expect(take(3)).toEqual([true, true, false]);
    clock.jump(-30_000);
    expect(take(1)).toEqual([false]);
    clock.lag(1_000);
    expect(take(2)).toEqual([true, false]);
  });
});
