import { isKeyword } from './keywords.ts';
import { opaque } from './opaque.ts';
import { readRedirect, redirectAt } from './redirect.ts';
import { skipBlanks, type Source } from './source.ts';
import type { Piece, Prefix, Redirect, SimpleCommand, Word } from './syntax.ts';
import { readWord, unquotedText } from './word.ts';

const assignment = /^([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[)/;

/** Whether a command ends here: at a newline, the end, or an operator other than a redirection. */
function ends(source: Source): boolean {
  const c = source.text[source.at];
  if (c === undefined || c === '\n' || c === '|' || c === ';' || c === ')') return true;
  return c === '&' && !redirectAt(source);
}

/** Reads a simple command whose first word may have been read already. */
export function readSimple(source: Source, first: Word | null, start: number): SimpleCommand {
  const words: Word[] = [];
  const assignments: Prefix[] = [];
  const redirects: Redirect[] = [];
  let end = start;
  let word = first;
  for (;;) {
    if (word !== null) {
      const descriptor = descriptorOf(source, word);
      if (descriptor !== null) redirects.push(readRedirect(source, descriptor));
      else takeWord(word, words, assignments, redirects.length > 0);
      end = source.at;
      word = null;
    }
    skipBlanks(source);
    const c = source.text[source.at];
    if (c === '#') {
      // Behind a blank or an operator this is a comment; a word would have swallowed it.
      break;
    }
    if (ends(source)) break;
    if (c === '(') {
      if (words.length === 1)
        throw opaque('function-definition', 'A function is defined.', start, source.at + 1);
      throw opaque('syntax-error', 'A parenthesis stands in the wrong place.', source.at);
    }
    if (redirectAt(source)) {
      redirects.push(readRedirect(source, null));
      end = source.at;
    } else word = readWord(source);
  }
  return { kind: 'simple', assignments, words, redirects, start, end };
}

function takeWord(word: Word, words: Word[], assignments: Prefix[], redirected: boolean): void {
  if (words.length === 0) {
    const prefix = assignmentOf(word);
    if (prefix !== null) {
      assignments.push(prefix);
      return;
    }
    const text = unquotedText(word);
    if ((assignments.length > 0 || redirected) && text !== null && isKeyword(text))
      throw opaque('unsupported-syntax', `\`${text}\` is used as a name.`, word.start, word.end);
  }
  words.push(word);
}

/** The number right before a redirection, or null when the word is a word. */
function descriptorOf(source: Source, word: Word): number | null {
  const c = source.text[source.at];
  if (c !== '<' && c !== '>') return null;
  const text = unquotedText(word);
  if (text === null) return null;
  if (/^\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(text))
    throw opaque('redirect', 'A descriptor is kept in a variable.', word.start, word.end);
  if (!/^[0-9]+$/.test(text)) return null;
  if (!/^[012]$/.test(text))
    throw opaque('redirect', `Descriptor ${text} is redirected.`, word.start, word.end);
  return Number(text);
}

function assignmentOf(word: Word): Prefix | null {
  const [piece, ...rest] = word.pieces;
  if (piece?.kind !== 'text' || piece.quoted) return null;
  const match = assignment.exec(piece.text);
  if (match === null) return null;
  const [all, name = '', operator] = match;
  if (operator === '[')
    throw opaque('array', 'An element of an array is assigned.', word.start, word.end);
  if (operator === '+=')
    throw opaque('assignment', 'A variable is added to.', word.start, word.end);
  const value: Piece[] = [...rest];
  if (piece.text.length > all.length)
    value.unshift({ kind: 'text', text: piece.text.slice(all.length), quoted: false });
  return { name, value: { pieces: value, start: word.start + all.length, end: word.end } };
}
