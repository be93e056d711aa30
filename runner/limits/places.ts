/** Counts what is under way, by name and in all. */
export interface Places {
  /** Takes one place. The answer gives it back, and may be called twice. */
  take(name: string): () => void;
  of(name: string): number;
  readonly total: number;
}

export function createPlaces(): Places {
  const counts = new Map<string, number>();
  let total = 0;
  const add = (name: string, change: 1 | -1): void => {
    const count = (counts.get(name) ?? 0) + change;
    if (count === 0) counts.delete(name);
    else counts.set(name, count);
    total += change;
  };
  return {
    take: (name) => {
      add(name, 1);
      let taken = true;
      return () => {
        if (taken) add(name, -1);
        taken = false;
      };
    },
    of: (name) => counts.get(name) ?? 0,
    get total() {
      return total;
    },
  };
}
