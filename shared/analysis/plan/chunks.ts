import { opaque } from '../parse/opaque.ts';
import type { Word } from '../parse/syntax.ts';

/** A part of a word once variables are replaced. */
export type Chunk =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  /** The status of a command: `$?`, or a variable that holds one. */
  | { readonly kind: 'status'; readonly name: string };

/** A literal value, or the status of a command, which the shell will find in the variable `status`. */
export type Value = string | { readonly status: string };

/** The value of a variable at this place of the command, or null when it is not known. */
export type Lookup = (name: string) => Value | null;

/** Neither separators nor patterns: may stand unquoted and stays one word. */
const inert = /^[A-Za-z0-9_./:@%+=,-]+$/;

/** Replaces the variables of a word; `split` tells whether unquoted values are split and matched. */
export function substitute(word: Word, lookup: Lookup, split: boolean): readonly Chunk[] {
  return word.pieces.map((piece): Chunk => {
    if (piece.kind === 'text') return piece;
    if (piece.kind === 'status') return { kind: 'status', name: '?' };
    const value = lookup(piece.name);
    if (value === null)
      throw opaque(
        'parameter-expansion',
        `The value of $${piece.name} is not known.`,
        word.start,
        word.end,
      );
    if (typeof value !== 'string') return { kind: 'status', name: value.status };
    if (split && !piece.quoted && !inert.test(value))
      throw opaque(
        'parameter-expansion',
        `The value of $${piece.name} would be split or matched against file names.`,
        word.start,
        word.end,
      );
    return { kind: 'text', text: value, quoted: true };
  });
}
