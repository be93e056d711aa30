import { recordOf } from './list.ts';
import { readArguments } from './read.ts';
import type { Argument, ProgramRecord, Reading } from './types.ts';

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

/**
 * Whether a reading says all that its words do to files. What runs other code, or does what the
 * files of a project say, may do anything with them.
 */
export function isSure(reading: Reading | null): boolean {
  if (reading === null || reading.doubts.length > 0) return false;
  const record = recordOf(reading.program);
  if (record === null || record.project !== undefined) return false;
  return record.runs !== 'code' || record.code?.isRead(reading) === true;
}

/** It looks at the files that it is given or runs them; what the code does, nobody can tell. */
export function onlyRuns(record: ProgramRecord | null): boolean {
  return record?.runs === 'code' && record.project === undefined;
}
