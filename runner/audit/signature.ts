import type { DecisionRow } from './rows.ts';

/** Of the text of a block of decisions: large enough that most words that are not there are told. */
export const signatureBytes = 8_192;
const bits = signatureBytes * 8;
/** Lengths of the pieces of a text: the shorter ones for short words, the longer ones for numbers. */
const pieces = [3, 4];

/** What is searched of a decision, in lower case. */
export function searchedText({ agent, code, cwd, command, reason }: DecisionRow): string {
  return `${agent} ${code} ${cwd} ${command} ${reason}`.toLowerCase();
}

/** Adds every piece of a text to a signature: a Bloom filter with one hash. */
export function signText(signature: Uint8Array, text: string): void {
  for (const length of pieces)
    for (let at = 0; at + length <= text.length; at += 1) {
      const bit = bitOf(text, at, length);
      signature[bit >>> 3] = (signature[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
}

/** A test that is false only of signatures of texts which do not have all the words. */
export function mayHaveAll(words: readonly string[]): (signature: Uint8Array) => boolean {
  const wanted = words.flatMap((word) =>
    pieces.flatMap((length) =>
      Array.from({ length: Math.max(0, word.length - length + 1) }, (_, at) =>
        bitOf(word, at, length),
      ),
    ),
  );
  return (signature) =>
    wanted.every((bit) => ((signature[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0);
}

function bitOf(text: string, at: number, length: number): number {
  let hash = 0x811c9dc5;
  for (let index = at; index < at + length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 15)) & (bits - 1);
}
