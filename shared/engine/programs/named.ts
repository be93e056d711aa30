import { recordOf } from './list.ts';
import { readArguments } from './read.ts';
import type { Argument, Reading } from './types.ts';

/**
 * The arguments of a program as its record reads them; null where it has none. `open` are indexes of
 * `argv` (whose first word is the program) that the shell will still expand.
 */
export function readNamed(
  name: string,
  args: readonly string[],
  open: readonly number[] = [],
): Reading | null {
  const record = recordOf(name);
  if (record === null) return null;
  const words = args.map((text, index): Argument => ({
    text,
    live: open.includes(index + 1) ? 'pattern' : null,
  }));
  return readArguments(record, words);
}

/** Whether a program, by its base name, runs what it is told: no rule is offered for it. */
export function isRunner(name: string): boolean {
  return [name, name.toLowerCase()].some((one) => recordOf(one)?.runs !== undefined);
}
