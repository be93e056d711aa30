import { judge, type Judged } from '../../../../shared/engine/programs/judge.ts';
import { recordOf } from '../../../../shared/engine/programs/list.ts';
import { readArguments } from '../../../../shared/engine/programs/read.ts';
import type { Argument, ProgramRecord, Reading } from '../../../../shared/engine/programs/types.ts';

/** Words as arguments; one that begins with `‹glob›` is a pattern of the shell. */
export function argumentsOf(words: readonly string[]): readonly Argument[] {
  return words.map((word) =>
    word.startsWith('‹glob›')
      ? { text: word.slice('‹glob›'.length), live: 'pattern' }
      : { text: word, live: null },
  );
}

export function known(name: string): ProgramRecord {
  const record = recordOf(name);
  if (record === null) throw new Error(`no record of ${name}`);
  return record;
}

export function readWords(name: string, words: readonly string[]): Reading {
  return readArguments(known(name), argumentsOf(words));
}

/** A line without quotes, split at blanks. */
export function judgeLine(line: string): Judged {
  const [name = '', ...words] = line.split(' ');
  return judge(readWords(name, words));
}

/** `writes out.txt`, `reads a`: the paths of a line with their uses, sorted. */
export function pathsOf(name: string, words: readonly string[]): readonly string[] {
  return judge(readWords(name, words))
    .effects.paths.map(
      ({ use, path, base }) => `${use} ${base === undefined ? '' : `${base}/`}${path}`,
    )
    .toSorted();
}
