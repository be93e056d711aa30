import { s } from './schema.ts';
import type { Schema, Static } from './schema.ts';

/**
 * What turns one list of keyed items into another, neither longer than `maxItems`. Items that are not
 * named stay, in their order.
 */
export const listChangeSchema = <T>(item: Schema<T>, maxItems: number) =>
  s.object({
    /** Keys of items to take out; an item that moves is taken out and inserted again. */
    remove: s.optional(s.array(s.string({ minLength: 1, maxLength: 1_024 }), { maxItems })),
    /** Items that take the place of those with the same keys. */
    replace: s.optional(s.array(item, { maxItems })),
    /** Runs of items to put in, by the place of their first item in the finished list, ascending. */
    insert: s.optional(
      s.array(
        s.object({
          at: s.integer({ minimum: 0, maximum: maxItems }),
          items: s.array(item, { minItems: 1, maxItems }),
        }),
        { maxItems },
      ),
    ),
  });
export type ListChange<T> = Static<ReturnType<typeof listChangeSchema<T>>>;

/** How the items of a list are told apart. */
interface Keyed<T> {
  readonly key: (item: T) => string;
  readonly same: (one: T, other: T) => boolean;
}

/**
 * The change from one list to another, as small as its moves allow; `{}` when they are the same.
 * Null when a key occurs twice in either, so that it does not tell which item is meant.
 */
export function listChange<T>(
  before: readonly T[],
  after: readonly T[],
  { key, same }: Keyed<T>,
): ListChange<T> | null {
  const places = new Map(before.map((item, index) => [key(item), index]));
  const keys = after.map(key);
  if (places.size !== before.length || new Set(keys).size !== keys.length) return null;
  const stay = longestRising(keys.map((each) => places.get(each) ?? -1));

  const kept = new Set(keys.filter((_, index) => stay.has(index)));
  const remove = [...places.keys()].filter((each) => !kept.has(each));
  const replace: T[] = [];
  const insert: { at: number; items: T[] }[] = [];
  for (const [index, item] of after.entries()) {
    if (stay.has(index)) {
      const old = before[places.get(keys[index] as string) as number] as T;
      if (old !== item && !same(old, item)) replace.push(item);
      continue;
    }
    const run = insert.at(-1);
    if (run !== undefined && run.at + run.items.length === index) run.items.push(item);
    else insert.push({ at: index, items: [item] });
  }
  return {
    ...(remove.length > 0 && { remove }),
    ...(replace.length > 0 && { replace }),
    ...(insert.length > 0 && { insert }),
  };
}

/**
 * The list after a change. Null when the change was not made for this list: it names an item that is
 * not there, inserts one that is, or inserts beyond the end.
 */
export function applyListChange<T>(
  before: readonly T[],
  { remove = [], replace = [], insert = [] }: ListChange<T>,
  key: (item: T) => string,
): readonly T[] | null {
  const removed = new Set(remove);
  const replaced = new Map(replace.map((item) => [key(item), item]));
  const present = new Set<string>();
  const kept: T[] = [];
  for (const item of before) {
    const name = key(item);
    if (removed.delete(name)) continue;
    present.add(name);
    kept.push(replaced.get(name) ?? item);
    replaced.delete(name);
  }
  if (removed.size > 0 || replaced.size > 0) return null;

  const list: T[] = [];
  let next = 0;
  for (const { at, items } of insert) {
    if (at < list.length || at - list.length > kept.length - next) return null;
    while (list.length < at) list.push(kept[next++] as T);
    for (const item of items) {
      if (present.has(key(item))) return null;
      present.add(key(item));
      list.push(item);
    }
  }
  while (next < kept.length) list.push(kept[next++] as T);
  return list;
}

/** The places in `values` of a longest rising series of them; negative values are left out. */
function longestRising(values: readonly number[]): ReadonlySet<number> {
  /** `ends[n]`: the place of the smallest value with which a series of n + 1 ends. */
  const ends: number[] = [];
  const previous = new Map<number, number>();
  for (const [index, value] of values.entries()) {
    if (value < 0) continue;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    if (low > 0) previous.set(index, ends[low - 1] as number);
    ends[low] = index;
  }
  const series = new Set<number>();
  for (let at = ends.at(-1); at !== undefined; at = previous.get(at)) series.add(at);
  return series;
}
