import { opaque } from '../parse/opaque.ts';
import { quoteWord } from '../quote.ts';
import type { Chunk } from './chunks.ts';

const wildcard = /[*?[]/;
const bracket = /\[!?[A-Za-z0-9_.-]+\]/y;

/** Whether unquoted text holds a character that could begin a pattern. */
export function mayBePattern(chunks: readonly Chunk[]): boolean {
  return chunks.some(
    (chunk) => chunk.kind === 'text' && !chunk.quoted && wildcard.test(chunk.text),
  );
}

const longestPattern = 2048;

export interface Pattern {
  /** The word with its wildcards, as it would be written without quotes. */
  readonly text: string;
  /** Literal parts quoted, wildcards bare. */
  readonly render: string;
}

/**
 * A file name pattern that stays for the shell to expand when the command runs, or null when no
 * wildcard is left (a lone `[` is no pattern). It is not expanded here: files come and go between
 * the look and the run, also through earlier parts of the same command. So a pattern is no literal;
 * a rule can cover it only with "anything after", and a program that could take a file's name for a
 * dangerous option is not trusted with a pattern that may begin with `-`.
 */
export function readPattern(chunks: readonly Chunk[]): Pattern | null {
  const length = chunks.reduce((sum, one) => sum + (one.kind === 'text' ? one.text.length : 1), 0);
  if (length > longestPattern || chunks.length > 256)
    throw opaque('glob', 'A pattern is too long.');
  let text = '';
  let render = '';
  let literal = '';
  let wildcards = 0;
  let quotedSpecial = false;
  const flush = (): void => {
    if (literal !== '') render += quoteWord(literal);
    literal = '';
  };
  chunks.forEach((chunk, index) => {
    if (chunk.kind === 'status') throw mixed();
    text += chunk.text;
    if (chunk.quoted) {
      literal += chunk.text;
      quotedSpecial ||= /[*?[\]\\\n]/.test(chunk.text);
      return;
    }
    for (let at = 0; at < chunk.text.length; at++) {
      const c = chunk.text[at] ?? '';
      const part = c === '[' ? bracketAt(chunks, index, at) : c === '*' || c === '?' ? c : null;
      if (part === null) {
        literal += c;
        continue;
      }
      flush();
      render += part;
      wildcards++;
      at += part.length - 1;
    }
  });
  if (wildcards === 0) return null;
  flush();
  if (quotedSpecial) throw mixed();
  if (/(?:^|\/)\.{1,2}[*?[]/.test(text))
    throw opaque('glob', 'Shells disagree whether this pattern stands for `.` and `..` too.');
  return { text, render };
}

/** The bracket expression that starts here, or null when the `[` is an ordinary character. */
function bracketAt(chunks: readonly Chunk[], index: number, at: number): string | null {
  const chunk = chunks[index];
  const text = chunk?.kind === 'text' ? chunk.text : '';
  bracket.lastIndex = at;
  const found = bracket.exec(text)?.[0];
  if (found !== undefined) return found;
  const later = chunks
    .slice(index + 1)
    .some((next) => next.kind !== 'text' || next.text.includes(']'));
  if (later || text.includes(']', at))
    throw opaque('glob', 'A set of characters in a pattern is unusual.');
  return null;
}

function mixed(): Error {
  return opaque('glob', 'A pattern is mixed with quoted special characters.');
}
