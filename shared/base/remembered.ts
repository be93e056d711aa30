/** What `make` makes, at the first call; it is for tables that many starts of a program never ask for. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

interface Memory {
  /** So many answers are kept; beyond it all are dropped, and it begins anew. */
  readonly most: number;
  /** Longer texts are not kept, in UTF-16 units. */
  readonly longest: number;
}

const usual: Memory = { most: 1024, longest: 256 };

/**
 * A function of a text that keeps its answers. Only for pure functions of what does not change:
 * what lies on a disk, or what the time is, is never remembered.
 */
export function remembered<T>(
  of: (text: string) => T,
  { most, longest }: Memory = usual,
): (text: string) => T {
  const kept = new Map<string, T>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const answer = of(text);
    if (text.length > longest) return answer;
    if (kept.size >= most) kept.clear();
    kept.set(text, answer);
    return answer;
  };
}
