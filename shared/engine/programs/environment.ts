import { environmentOf } from './judge.ts';
import { programs } from './list.ts';

let recorded: ReadonlyMap<string, string> | null = null;

/**
 * Why a variable steers a program that has a record, or null. The name is in upper case; a record's
 * name that ends in `*` stands for all that begin so.
 */
export function recordedVariable(name: string): string | null {
  recorded ??= new Map(
    programs.flatMap((record) =>
      Object.entries(environmentOf(record)).map(([key, why]) => [key.toUpperCase(), why] as const),
    ),
  );
  const own = recorded.get(name);
  if (own !== undefined) return own;
  for (let at = name.indexOf('_'); at !== -1; at = name.indexOf('_', at + 1)) {
    const family = recorded.get(`${name.slice(0, at + 1)}*`);
    if (family !== undefined) return family;
  }
  return null;
}
