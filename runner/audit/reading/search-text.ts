import type { DecisionRow } from '../types.ts';

/** The words of a search, in lower case. A decision matches when each of them is in it somewhere. */
export function wordsOf(search: string | undefined): readonly string[] {
  return (search ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
}

/** True when every word is in the agent, code, folder, command or reason. */
export function hasWords(row: DecisionRow, words: readonly string[]): boolean {
  if (words.length === 0) return true;
  const text = `${row.agent} ${row.code} ${row.cwd} ${row.command} ${row.reason}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Characters that stand in a line of JSON as they are. */
const plain = /^[a-z0-9 _./:@=+,-]+$/;

/**
 * False only when no row in this text can have all the words: then it need not be parsed. Words that
 * JSON may write in another way are not looked at here.
 */
export function mayHaveWords(text: string, words: readonly string[]): boolean {
  return words.every((word) => !plain.test(word) || text.includes(word));
}

/** Bytes as the text for `mayHaveWords`: lower case, a character for each byte. */
export function searchable(bytes: Buffer): string {
  return bytes.toString('latin1').toLowerCase();
}
