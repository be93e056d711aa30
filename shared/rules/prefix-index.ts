import { push } from './shelf.ts';

/** Values found by what a text starts with; the work depends on the lengths in use, not on their number. */
export interface PrefixIndex<T> {
  add(prefix: string, value: T): void;
  find(text: string): Iterable<T>;
}

export function prefixIndex<T>(): PrefixIndex<T> {
  const byLength = new Map<number, Map<string, T[]>>();
  return {
    add(prefix, value) {
      let level = byLength.get(prefix.length);
      if (level === undefined) byLength.set(prefix.length, (level = new Map()));
      push(level, prefix, value);
    },
    *find(text) {
      for (const [length, level] of byLength) {
        if (length <= text.length) yield* level.get(text.slice(0, length)) ?? [];
      }
    },
  };
}
