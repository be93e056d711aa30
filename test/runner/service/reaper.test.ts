import { expect, it } from 'vitest';
import { reapMs, reapOrphans } from '../../../runner/service/reaper.ts';
import { fakeClock } from '../../support/fake-clock.ts';

it('waits for what has ended and that nobody has waited for within a round, and for nothing else', () => {
  const clock = fakeClock();
  let ended: readonly number[] = [7, 8];
  const waited: number[] = [];
  const stop = reapOrphans({ clock, ended: () => ended, waitFor: (pid) => void waited.push(pid) });
  clock.advance(reapMs);
  expect(waited).toEqual([]);
  // Node has taken 8 in the meantime, and 9 has only just ended.
  ended = [7, 9];
  clock.advance(reapMs);
  expect(waited).toEqual([7]);
  ended = [9];
  clock.advance(reapMs);
  expect(waited).toEqual([7, 9]);
  stop();
  clock.advance(10 * reapMs);
  expect(waited).toEqual([7, 9]);
});
