import { describe, expect, it } from 'vitest';
import { createStateFeed } from '../../../app/host/state-feed.ts';
import type { StateParts } from '../../../app/host/state-feed.ts';
import { fakeClock } from '../../support/fake-clock.ts';

const parts: StateParts = {
  runner: null,
  queue: [],
  missed: [],
  policy: { hash: '', problem: null },
};

function openFeed() {
  const clock = fakeClock(1_000);
  const feed = createStateFeed({ clock, parts: () => parts });
  const seen: { readonly revision: number; readonly now: number }[] = [];
  const stop = feed.subscribe(({ revision, now }) => seen.push({ revision, now }));
  return { clock, feed, seen, stop };
}

describe('the state feed', () => {
  it('tells the state at once, then the first change at once, then a flood as one', () => {
    const { clock, feed, seen } = openFeed();
    feed.changed();
    clock.advance(0);
    for (let change = 0; change < 50; change += 1) {
      feed.changed();
      clock.advance(0);
    }
    clock.advance(25);
    expect(seen).toEqual([
      { revision: 0, now: 1_000 },
      { revision: 1, now: 1_000 },
      { revision: 2, now: 1_025 },
    ]);
  });

  it('is not held up by a clock that jumps back', () => {
    const { clock, feed, seen } = openFeed();
    feed.changed();
    clock.advance(0);
    clock.jump(-3_600_000);
    feed.changed();
    clock.advance(25);
    expect(seen).toHaveLength(3);
  });

  it('tells nothing to who left, nor after the close', () => {
    const { clock, feed, seen, stop } = openFeed();
    stop();
    feed.changed();
    clock.advance(25);
    expect(seen).toHaveLength(1);
    feed.subscribe(() => seen.push({ revision: -1, now: 0 }));
    feed.changed();
    feed.dispose();
    clock.advance(25);
    expect(seen).toHaveLength(2);
    expect(clock.pending).toBe(0);
  });
});
