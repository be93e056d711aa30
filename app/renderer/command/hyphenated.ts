/** A stretch of text; `whole` ones are not to be broken where a hyphen would allow it. */
export interface Piece {
  readonly word: string;
  readonly whole: boolean;
}

/** A text cut at its words with hyphens; joined, the pieces are the text. */
export function hyphenated(text: string): readonly Piece[] {
  return text
    .split(/([^\s-]*-[^\s]*)/)
    .map((word, index) => ({ word, whole: index % 2 === 1 }))
    .filter(({ word }) => word !== '');
}
