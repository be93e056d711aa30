import { keyOfWords } from './args.ts';
import type { Words } from './args.ts';
import type { CompiledRule } from './compiled-rule.ts';

/** The rules for one program, sorted by what they say of its arguments. */
export interface Shelf {
  /** Rules with one fixed list of words. */
  readonly exact: Map<string, CompiledRule[]>;
  /** Rules with a fixed first word. */
  readonly first: Map<string, CompiledRule[]>;
  readonly others: CompiledRule[];
}

export function emptyShelf(): Shelf {
  return { exact: new Map(), first: new Map(), others: [] };
}

export function put(shelf: Shelf, compiled: CompiledRule): void {
  const { args } = compiled;
  if (args === null || args.problem !== null) shelf.others.push(compiled);
  else if (args.key !== null) push(shelf.exact, args.key, compiled);
  else if (args.firstLiteral === null) shelf.others.push(compiled);
  else push(shelf.first, args.firstLiteral, compiled);
}

/** All rules that could match these words; with words still to be expanded, all rules there are. */
export function* candidates(shelf: Shelf, words: Words): Iterable<CompiledRule> {
  yield* shelf.others;
  if (words.open.size > 0) {
    for (const rules of shelf.exact.values()) yield* rules;
    for (const rules of shelf.first.values()) yield* rules;
    return;
  }
  if (shelf.exact.size > 0) yield* shelf.exact.get(keyOfWords(words.values)) ?? [];
  const first = words.values[0];
  if (first !== undefined) yield* shelf.first.get(first) ?? [];
}

export function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
