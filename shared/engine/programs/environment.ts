import { environmentOf } from './judge.ts';
import { programs } from './list.ts';

interface Recorded {
  readonly whole: ReadonlyMap<string, string>;
  readonly families: readonly (readonly [prefix: string, why: string])[];
}

let recorded: Recorded | null = null;

function collect(): Recorded {
  const all = programs.flatMap((record) => Object.entries(environmentOf(record)));
  const isFamily = ([name]: readonly [string, string]): boolean => name.endsWith('*');
  return {
    whole: new Map(
      all.filter((one) => !isFamily(one)).map(([name, why]) => [name.toUpperCase(), why]),
    ),
    families: all.filter(isFamily).map(([name, why]) => [name.slice(0, -1).toUpperCase(), why]),
  };
}

let harmless: ReadonlySet<string> | null = null;

/** Whether a record knows the variable as one that only labels things or says less. Case counts. */
export function isHarmless(name: string): boolean {
  harmless ??= new Set(programs.flatMap((record) => record.harmless ?? []));
  return harmless.has(name);
}

/**
 * Why a variable steers a program that has a record, or null. The name is in upper case; a record's
 * name that ends in `*` stands for all that begin so.
 */
export function recordedVariable(name: string): string | null {
  recorded ??= collect();
  const own = recorded.whole.get(name);
  if (own !== undefined) return own;
  return recorded.families.find(([prefix]) => name.startsWith(prefix))?.[1] ?? null;
}
