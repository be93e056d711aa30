import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { keepReturningMemory, libc } from '../../shared/home/libc.ts';
import { fakeClock } from '../support/fake-clock.ts';

/** Of glibc: `ldd` says whose it is. */
const isGlibc =
  process.platform === 'linux' &&
  /GLIBC|GNU libc/u.test(spawnSync('ldd', ['--version'], { encoding: 'utf8' }).stdout);

describe('memory that is free', () => {
  it('goes back to the system soon after the start and then each minute, until that ends', () => {
    const clock = fakeClock();
    let returned = 0;
    const end = keepReturningMemory(clock, () => (returned += 1));
    clock.advance(4_999);
    expect(returned).toBe(0);
    clock.advance(1);
    expect(returned).toBe(1);
    clock.advance(60_000);
    clock.advance(60_000);
    expect(returned).toBe(3);
    end();
    clock.advance(600_000);
    expect(returned).toBe(3);
  });

  it.skipIf(!isGlibc)('is what glibc is asked for', () => {
    expect(libc().malloc_trim?.(0)).toBeTypeOf('number');
  });
});
