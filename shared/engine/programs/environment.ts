import { once } from '../../base/index.ts';
import { nameOf } from '../plan/paths.ts';
import type { Executable } from '../plan/types.ts';
import { environmentOf } from './judge.ts';
import { everyRecord, recordOf } from './list.ts';

interface Recorded {
  readonly whole: ReadonlyMap<string, string>;
  readonly families: readonly (readonly [prefix: string, why: string])[];
}

const recorded = once((): Recorded => {
  const all = everyRecord().flatMap((record) => Object.entries(environmentOf(record)));
  const isFamily = ([name]: readonly [string, string]): boolean => name.endsWith('*');
  return {
    whole: new Map(
      all.filter((one) => !isFamily(one)).map(([name, why]) => [name.toUpperCase(), why]),
    ),
    families: all.filter(isFamily).map(([name, why]) => [name.slice(0, -1).toUpperCase(), why]),
  };
});

const harmless = once(
  (): ReadonlySet<string> => new Set(everyRecord().flatMap((record) => record.harmless ?? [])),
);

/** Whether a record knows the variable as one that only labels things or says less. Case counts. */
export function isHarmless(name: string): boolean {
  return harmless().has(name);
}

/**
 * Why a variable steers a program that has a record, or null. The name is in upper case; a record's
 * name that ends in `*` stands for all that begin so.
 */
export function recordedVariable(name: string): string | null {
  const { whole, families } = recorded();
  const own = whole.get(name);
  if (own !== undefined) return own;
  return families.find(([prefix]) => name.startsWith(prefix))?.[1] ?? null;
}

/** What every program takes the same way: language, time zone, colours, the width of the screen. */
const common =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|COLUMNS|LINES|CI|DEBUG|VERBOSE)$/;

/**
 * Whether a rule for a program with any arguments may cover a variable that no list refuses. What
 * runs a project's code hands it on to that code, for which any name may be meant. Any other reads
 * the few that it knows, some of which steer it, and no list of those is ever complete: there only
 * what is known to steer nothing counts.
 */
export function mayBeSetFor(executable: Executable, name: string, value: string): boolean {
  if (executable.kind === 'builtin' || executable.kind === 'tool') return true;
  if (common.test(name) && /^(?:[\w@+-][\w.@+-]*)?(?:\/[\w+-]+)*$/.test(value)) return true;
  const names =
    executable.kind === 'file'
      ? [nameOf(executable.path), nameOf(executable.realPath)]
      : [executable.name];
  return names.every((one) => {
    const record = recordOf(one);
    if (record === null) return false;
    if (record.chooses !== undefined) return record.chooses.some((known) => isCalled(name, known));
    return record.project !== undefined || record.runs === 'code';
  });
}

function isCalled(name: string, known: string): boolean {
  return known.endsWith('*') ? name.startsWith(known.slice(0, -1)) : name === known;
}
