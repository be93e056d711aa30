import type { Place } from '../plan/shell-state.ts';
import { recordOf } from './list.ts';
import { readArguments } from './read.ts';
import type { Argument, Reading } from './types.ts';

/** What a program takes of its words, and of a text that it is given as input; null where it has no record. */
export function readingOf(
  name: string,
  args: readonly Argument[],
  place: Pick<Place, 'piped' | 'input'>,
): Reading | null {
  const record = recordOf(name);
  if (record === null) return null;
  const code = codeGiven(name, args, place);
  // No word of the command has what such code names.
  if (code !== null) return { ...code, effects: code.effects.map((one) => ({ ...one, word: -1 })) };
  const reading = readArguments(record, args);
  return place.piped === true && record.readsPipe?.(reading) === true
    ? readArguments(record, [...args, { text: '-', live: null }])
    : reading;
}

/** As if code that comes as input stood among the words; null where none does, or it is not understood. */
function codeGiven(
  name: string,
  args: readonly Argument[],
  { input = null }: Pick<Place, 'input'>,
): Reading | null {
  const record = recordOf(name);
  const words = input === null ? null : (record?.code?.withInput(args, input) ?? null);
  if (record === null || words === null) return null;
  const reading = readArguments(record, words);
  return isRead(name, reading) ? reading : null;
}

/** The code that comes as input, where it is understood; `taken` is what `readingOf` told for each name. */
export function textGiven(
  names: readonly string[],
  args: readonly Argument[],
  taken: readonly (Reading | null)[],
  { input = null }: Pick<Place, 'input'>,
): string | undefined {
  if (input === null) return undefined;
  const isGiven = names.some((name, nth) => {
    const reading = taken[nth] ?? null;
    const isCode = recordOf(name)?.code?.withInput(args, input) ?? null;
    return isCode !== null && reading !== null && isRead(name, reading);
  });
  return isGiven ? input : undefined;
}

/** Whether the code in these words was read, so that the effects are all that it does. */
export function isRead(name: string, reading: Reading): boolean {
  return recordOf(name)?.code?.isRead(reading) === true;
}
