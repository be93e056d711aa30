import { readBackquotes, readDollar, readDoubleQuotes, readSingleQuotes } from './quoting.ts';
import { metacharacters, oddBlank } from './source.ts';
import type { Source } from './source.ts';
import { opaque } from './syntax.ts';
import type { Piece, Word } from './syntax.ts';

const simple: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '?': '?',
};

const numbered = /(?:x([0-9A-Fa-f]{1,2})|([0-7]{1,3})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8}))/y;

/**
 * Reads `$'…'` from behind its opening quote and moves past the closing one. Only what means the
 * same in every locale is decoded: ASCII, and no NUL, which would cut the word short.
 */
function readAnsiC(source: Source): string {
  const { text } = source;
  const start = source.at;
  let decoded = '';
  for (;;) {
    const c = text[source.at];
    if (c === undefined) throw opaque('syntax-error', "A $'…' has no end.", start - 2);
    source.at++;
    if (c === "'") return decoded;
    if (c !== '\\') {
      decoded += c;
      continue;
    }
    const escape = text[source.at] ?? '';
    const known = Object.hasOwn(simple, escape) ? simple[escape] : undefined;
    if (known !== undefined) {
      decoded += known;
      source.at++;
      continue;
    }
    numbered.lastIndex = source.at;
    const match = numbered.exec(text);
    const code = match ? codeOf(match) : 0;
    if (match === null || code === 0 || code > 0x7f)
      throw opaque(
        'unsupported-syntax',
        "A $'…' holds an escape whose meaning depends on the shell or the locale.",
        source.at - 1,
        source.at + 1,
      );
    decoded += String.fromCharCode(code);
    source.at += match[0].length;
  }
}

function codeOf(match: RegExpExecArray): number {
  const [, hex, octal, short, long] = match;
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return Number.parseInt(hex ?? short ?? long ?? '0', 16);
}

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
    else if (c === '`') pieces.push(readBackquotes(source, false));
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
