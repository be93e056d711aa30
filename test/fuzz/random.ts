/** Numbers that look random and come again with the same seed. */
export interface Random {
  /** An integer from 0 up to, not including, `below`. */
  readonly below: (below: number) => number;
  readonly chance: (percent: number) => boolean;
  readonly pick: <T>(from: readonly T[]) => T;
}

/** A small generator of good quality for tests (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (percent) => next() * 100 < percent,
    pick: (from) => {
      const found = from[below(from.length)];
      if (found === undefined) throw new Error('nothing to pick from');
      return found;
    },
  };
}
