import { readAnsiC } from './ansi-c.ts';
import { oddBlank } from './characters.ts';
import { readDollar } from './dollar.ts';
import { opaque } from './opaque.ts';
import { readDoubleQuotes, readSingleQuotes } from './quotes.ts';
import { metacharacters, type Source } from './source.ts';
import type { Piece, Word } from './syntax.ts';

const plainRun = /[^ \t\n'"\\$`|&;()<>]+/y;

/** Reads one word from its first character; the caller has made sure that one starts here. */
export function readWord(source: Source): Word {
  const { text } = source;
  const start = source.at;
  const pieces: Piece[] = [];
  for (;;) {
    const c = text[source.at];
    if (c === undefined || c === ' ' || c === '\t' || c === '\n') break;
    if (metacharacters.includes(c)) {
      if (c === '(') throw parenthesis(source, start);
      break;
    }
    if (c === "'") pieces.push(readSingleQuotes(source));
    else if (c === '"') pieces.push(...readDoubleQuotes(source));
    else if (c === '\\') {
      if (!readEscape(source, pieces)) break;
    } else if (c === '$') readUnquotedDollar(source, pieces);
    else if (c === '`')
      throw opaque('command-substitution', 'The output of another command is used.', source.at);
    else pieces.push(readRun(source));
  }
  if (pieces.some(isBashOnly)) source.bashOnly = true;
  return { pieces, start, end: source.at };
}

/** Brace lists, and `==` in a test. */
function isBashOnly(piece: Piece): boolean {
  return piece.kind === 'text' && !piece.quoted && /\{|^==$/.test(piece.text);
}

function readRun(source: Source): Piece {
  plainRun.lastIndex = source.at;
  const run = plainRun.exec(source.text)?.[0] ?? '';
  const odd = oddBlank.exec(run);
  if (odd !== null)
    throw opaque(
      'control-character',
      'An invisible character or an unusual blank stands outside of quotes.',
      source.at + odd.index,
    );
  source.at += run.length;
  return { kind: 'text', text: run, quoted: false };
}

/** False when the word ends here. */
function readEscape(source: Source, pieces: Piece[]): boolean {
  const { text } = source;
  const next = text.codePointAt(source.at + 1);
  if (next === undefined)
    throw opaque('syntax-error', 'The command ends in a backslash.', source.at);
  if (next === 0x0a) {
    let at = source.at;
    while (text.startsWith('\\\n', at)) at += 2;
    if (!/^[ \t\n]?$/.test(text[at] ?? ''))
      throw opaque('unsupported-syntax', 'A word is broken over two lines.', source.at, at);
    return false;
  }
  const character = String.fromCodePoint(next);
  if (oddBlank.test(character))
    throw opaque('control-character', 'An invisible character is escaped.', source.at);
  pieces.push({ kind: 'text', text: character, quoted: true });
  source.at += 1 + character.length;
  return true;
}

function readUnquotedDollar(source: Source, pieces: Piece[]): void {
  const next = source.text[source.at + 1];
  if (next === "'") {
    source.at += 2;
    source.bashOnly = true;
    pieces.push({ kind: 'text', text: readAnsiC(source), quoted: true });
  } else if (next === '"') {
    throw opaque('unsupported-syntax', 'A $"…" is translated by the shell.', source.at);
  } else pieces.push(readDollar(source, false));
}

function parenthesis(source: Source, start: number): Error {
  const before = source.text.slice(start, source.at);
  if (/^[A-Za-z_][A-Za-z0-9_]*\+?=$/.test(before))
    return opaque('array', 'An array is assigned.', start, source.at + 1);
  if (/[?*+@!]$/.test(before))
    return opaque('glob', 'An extended pattern is used.', start, source.at + 1);
  return opaque('function-definition', 'A function seems to be defined.', start, source.at + 1);
}

/** The text of a word that is one run of unquoted characters, else null. Keywords are such words. */
export function unquotedText(word: Word): string | null {
  const [piece] = word.pieces;
  return word.pieces.length === 1 && piece?.kind === 'text' && !piece.quoted ? piece.text : null;
}
