/** A stretch of numbers, both ends in it. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Whole numbers, of which many stand side by side: what it takes to keep them grows with the gaps. */
export interface NumberSet {
  has(n: number): boolean;
  add(stretch: Stretch): void;
  /** Takes out all up to this one. */
  dropUpTo(n: number): void;
  /** In order, none touching the next. */
  stretches(): readonly Stretch[];
}

/** An empty set. */
export function createNumberSet(): NumberSet {
  let kept: Stretch[] = [];
  /** The first stretch that ends at `n` or after it. */
  const placeOf = (n: number): number => {
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((kept[middle]?.to ?? 0) < n) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    has: (n) => (kept[placeOf(n)]?.from ?? Infinity) <= n,
    add: ({ from, to }) => {
      const at = placeOf(from - 1);
      let [first, last] = [from, to];
      let past = at;
      for (; (kept[past]?.from ?? Infinity) <= to + 1; past += 1) {
        first = Math.min(first, kept[past]?.from ?? first);
        last = Math.max(last, kept[past]?.to ?? last);
      }
      kept.splice(at, past - at, { from: first, to: last });
    },
    dropUpTo: (n) => {
      kept = kept
        .filter(({ to }) => to > n)
        .map(({ from, to }) => ({ from: Math.max(from, n + 1), to }));
    },
    stretches: () => kept,
  };
}
