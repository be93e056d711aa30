import { quoteWord } from '../parse/shell-quote.ts';
import { opaque } from '../parse/syntax.ts';
import type { CommandList, Piece, Word } from '../parse/syntax.ts';
import { changedBy, sumOf } from './values.ts';

/** A part of a word once variables are replaced. */
export type Chunk =
  | { readonly kind: 'text'; readonly text: string; readonly quoted: boolean }
  /** Where the blanks of a value end one word and begin the next. */
  | { readonly kind: 'break' }
  /** The status of a command: `$?`, or a variable that holds one. */
  | { readonly kind: 'status'; readonly name: string }
  /** What a command prints: `$(…)` with its canonical text, or a variable that holds it. */
  | {
      readonly kind: 'output';
      readonly text: string;
      readonly render: string;
      readonly quoted: boolean;
    }
  /** `<(…)` */
  | { readonly kind: 'process'; readonly render: string };

/**
 * A literal value, the status of a command, or what a command printed: the shell will find either in
 * the variable of that name.
 */
export type Value = string | { readonly status: string } | { readonly output: string };

/** What words are expanded with. */
export interface Lookup {
  /** The value of a variable at this place of the command, or null when it is not known. */
  (name: string): Value | null;
  /** Plans the commands of a substitution, and gives their canonical text. */
  readonly run: (list: CommandList) => string;
  /** What a substitution prints, where that is certain before it runs; else null. */
  readonly printed: (list: CommandList) => string | null;
}

/** Stands in a plan for what a command prints. */
export const unknownOutput = '$(…)';

/** Neither separators nor patterns: may stand unquoted and stays one word. */
const inert = /^[A-Za-z0-9_./:@%+=,-]+$/;
/** The same with the blanks at which every shell splits it, or nothing at all. */
const splitting = /^[A-Za-z0-9_./:@%+=, \t\n-]*$/;

/** Replaces the variables of a word; `split` tells whether unquoted values are split and matched. */
export function substitute(word: Word, lookup: Lookup, split: boolean): readonly Chunk[] {
  const [first, ...more] = word.pieces;
  // Shells look for it before they put values in, of which nothing may be left, or the next word.
  if (first?.kind === 'text' && !first.quoted && first.text === '~' && more.length > 0)
    throw unknownHome();
  return word.pieces.flatMap((piece): readonly Chunk[] => {
    if (piece.kind === 'text') return [piece];
    if (piece.kind === 'status') return [{ kind: 'status', name: '?' }];
    if (piece.kind === 'process')
      return [{ kind: 'process', render: `<( ${lookup.run(piece.list)} )` }];
    const printed = piece.kind === 'output' ? lookup.printed(piece.list) : null;
    if (piece.kind === 'output' && printed === null) {
      const render = `$( ${lookup.run(piece.list)} )`;
      return [{ kind: 'output', text: unknownOutput, render, quoted: piece.quoted || !split }];
    }
    const value = printed ?? valueIn(piece, lookup);
    if (value === null)
      throw opaque(
        piece.kind === 'arithmetic' ? 'arithmetic' : 'parameter-expansion',
        `The value of ${piece.kind === 'variable' ? `$${piece.name}` : 'a sum'} is not known.`,
        word.start,
        word.end,
      );
    if (typeof value !== 'string') {
      if ('status' in value) return [{ kind: 'status', name: value.status }];
      const name = `$${value.output}`;
      const quoted = piece.quoted || !split;
      return [{ kind: 'output', text: name, render: name, quoted }];
    }
    if (!split || piece.quoted || inert.test(value))
      return [{ kind: 'text', text: value, quoted: true }];
    if (splitting.test(value)) return splitAtBlanks(value);
    throw opaque(
      'parameter-expansion',
      'A value would be split or matched against file names.',
      word.start,
      word.end,
    );
  });
}

/** What a variable or a sum stands for; null where it is not known, and for other pieces. */
export function valueIn(piece: Piece, lookup: Lookup): Value | null {
  if (piece.kind === 'arithmetic')
    return sumOf(piece.tokens, lookup) ?? unknownSum(piece.tokens, lookup);
  return piece.kind === 'variable' ? read(piece, lookup) : null;
}

/** A sum of numbers of which only the shell knows some: it can run nothing, as a text in it could. */
function unknownSum(tokens: readonly string[], lookup: Lookup): Value | null {
  const isNumber = (token: string): boolean => {
    if (!/^[A-Za-z_]/.test(token)) return true;
    const value = lookup(token);
    return typeof value === 'string' ? /^(?:0|[1-9]\d{0,14})$/.test(value) : isStatus(value);
  };
  const divides = tokens.some(
    (token, at) => /^[/%]$/.test(token) && !/^[1-9]/.test(tokens[at + 1] ?? ''),
  );
  const isOpen = tokens.some((token) => /^[A-Za-z_]/.test(token) && isStatus(lookup(token)));
  return isOpen && !divides && tokens.every(isNumber)
    ? { status: `((${tokens.join(' ')}))` }
    : null;
}

function isStatus(value: Value | null): boolean {
  return typeof value === 'object' && value !== null && 'status' in value;
}

function read(piece: Extract<Piece, { kind: 'variable' }>, lookup: Lookup): Value | null {
  const value = lookup(piece.name);
  const { change } = piece;
  if (change === undefined || value === null) return value;
  if (typeof value === 'string') return changedBy(change, value);
  if (!('output' in value) || /\W/.test(value.output)) return null;
  // A part of what nobody knows is no better known, and the shell takes it.
  if (change.kind === 'length') return { status: `{#${value.output}}` };
  return change.kind === 'cut' && /^[\w.,:@+=*?/-]*$/.test(change.pattern)
    ? { output: `{${value.output}${change.operator}${change.pattern}}` }
    : null;
}

function splitAtBlanks(value: string): readonly Chunk[] {
  return value
    .split(/([ \t\n]+)/)
    .filter((part) => part !== '')
    .map((part) =>
      inert.test(part) ? { kind: 'text', text: part, quoted: true } : { kind: 'break' },
    );
}

/** The words between the breaks; one of which nothing is left, not even quotes, is none. */
export function wordsAt(chunks: readonly Chunk[]): readonly (readonly Chunk[])[] {
  const words: Chunk[][] = [[]];
  for (const chunk of chunks)
    if (chunk.kind === 'break') words.push([]);
    else words.at(-1)?.push(chunk);
  return words.filter((word) => word.length > 0);
}

function unknownHome(): Error {
  return opaque('tilde', 'A `~` stands for a directory that is not known.');
}

/** Replaces a leading `~`. Other people's homes, `~+` and `~-` are not known. */
export function expandTilde(chunks: readonly Chunk[], lookup: Lookup): readonly Chunk[] {
  const [first, second] = chunks;
  if (first?.kind !== 'text' || first.quoted || !first.text.startsWith('~')) return chunks;
  const rest = first.text.slice(1);
  const home = lookup('HOME');
  const whole = rest === '' ? second === undefined : rest.startsWith('/');
  if (!whole || typeof home !== 'string' || home === '') throw unknownHome();
  const expanded: Chunk[] = [{ kind: 'text', text: home, quoted: true }];
  if (rest !== '') expanded.push({ kind: 'text', text: rest, quoted: false });
  return [...expanded, ...chunks.slice(1)];
}

/**
 * Bash also expands a `~` behind `=` or `:` in an argument that looks like an assignment; dash does
 * not. Such words are opaque.
 */
export function refuseInnerTilde(chunks: readonly Chunk[]): void {
  const [first] = chunks;
  if (first?.kind === 'text' && !first.quoted && first.text.startsWith('-')) return;
  let equals = false;
  for (const chunk of chunks) {
    if (chunk.kind !== 'text') continue;
    const begins = equals && chunk.text.startsWith('~');
    equals ||= chunk.text.includes('=');
    if (!chunk.quoted && equals && (begins || /[=:]~/.test(chunk.text))) throw innerTilde();
  }
}

function innerTilde(): Error {
  return opaque('tilde', 'A `~` inside a word means different things to different shells.');
}

/** At most this many words come out of one word. */
const mostWords = 256;

/** Longest word with a brace list that is expanded. */
const longestList = 1024;

/** One character of unquoted text, or a chunk that braces pass over whole. */
type Atom = string | Chunk;

/** Whether unquoted text could hold a brace list. */
export function hasBraces(chunks: readonly Chunk[]): boolean {
  let depth = 0;
  let special = false;
  for (const chunk of chunks) {
    if (chunk.kind !== 'text' || chunk.quoted) continue;
    for (let at = 0; at < chunk.text.length; at++) {
      const c = chunk.text[at];
      if (c === '{') depth++;
      else if (depth > 0 && (c === ',' || (c === '.' && chunk.text[at + 1] === '.')))
        special = true;
    }
  }
  return depth > 0 && special;
}

/**
 * Bash's brace lists, `a{b,c}d` and `{1..3}`, in bash's order. Lists must be balanced; whatever is
 * less regular is opaque, since shells read it in different ways.
 */
export function expandBraces(chunks: readonly Chunk[]): readonly (readonly Chunk[])[] {
  const atoms: Atom[] = chunks.flatMap((chunk): Atom[] =>
    chunk.kind === 'text' && !chunk.quoted ? chunk.text.split('') : [chunk],
  );
  if (atoms.length > longestList)
    throw opaque('brace-expansion', 'A word with a brace list is too long.');
  const reader = { atoms, at: 0, depth: 0 };
  const words = readSequence(reader);
  if (reader.at < atoms.length) throw uneven();
  return words.map(join);
}

interface Reader {
  readonly atoms: readonly Atom[];
  at: number;
  depth: number;
}

function uneven(): Error {
  return opaque('brace-expansion', 'A brace list is not balanced.');
}

/** Reads up to a `,` or `}` of the enclosing list; gives every word that it stands for. */
function readSequence(reader: Reader): Atom[][] {
  let words: Atom[][] = [[]];
  for (;;) {
    const atom = reader.atoms[reader.at];
    if (atom === undefined || atom === '}' || (atom === ',' && reader.depth > 0)) return words;
    reader.at++;
    const tails = atom === '{' ? readList(reader) : [[atom]];
    if (words.length * tails.length > mostWords)
      throw opaque('brace-expansion', `A brace list stands for more than ${mostWords} words.`);
    const [only] = tails;
    if (tails.length === 1 && only !== undefined) for (const word of words) word.push(...only);
    else words = words.flatMap((head) => tails.map((tail) => [...head, ...tail]));
  }
}

function readList(reader: Reader): Atom[][] {
  if (++reader.depth > 8) throw opaque('brace-expansion', 'Brace lists are nested too deeply.');
  const start = reader.at;
  const items: Atom[][][] = [];
  for (;;) {
    items.push(readSequence(reader));
    const atom = reader.atoms[reader.at++];
    if (atom === undefined) throw uneven();
    if (atom === '}') break;
  }
  reader.depth--;
  if (items.length > 1) return items.flat();
  const inner = reader.atoms.slice(start, reader.at - 1);
  if (inner.length === 0) return [['{', '}']];
  return readRange(inner) ?? [['{', ...inner, '}']];
}

const range =
  /^(?:(-?[1-9][0-9]{0,5}|0)\.\.(-?[1-9][0-9]{0,5}|0)|([a-z])\.\.([a-z])|([A-Z])\.\.([A-Z]))$/;

/** `1..5` or `a..e`, up or down; null when the braces hold no range. */
function readRange(inner: readonly Atom[]): Atom[][] | null {
  const text = inner.map((atom) => (typeof atom === 'string' ? atom : '\0')).join('');
  const match = range.exec(text);
  if (match === null) {
    if (/[{}]|\.\./.test(text)) throw opaque('brace-expansion', 'A brace range is unusual.');
    return null;
  }
  const [, from, to, ...letters] = match;
  const [first, last] = letters.filter((letter) => letter !== undefined);
  const numeric = from !== undefined && to !== undefined;
  const start = numeric ? Number(from) : (first ?? '').charCodeAt(0);
  const end = numeric ? Number(to) : (last ?? '').charCodeAt(0);
  const count = Math.abs(end - start) + 1;
  if (count > mostWords)
    throw opaque('brace-expansion', `A brace list stands for more than ${mostWords} words.`);
  const step = end < start ? -1 : 1;
  return Array.from({ length: count }, (_, index) => {
    const value = start + index * step;
    return (numeric ? String(value) : String.fromCharCode(value)).split('');
  });
}

function join(atoms: readonly Atom[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let run = '';
  for (const atom of atoms) {
    if (typeof atom === 'string') run += atom;
    else {
      if (run !== '') chunks.push({ kind: 'text', text: run, quoted: false });
      run = '';
      chunks.push(atom);
    }
  }
  if (run !== '') chunks.push({ kind: 'text', text: run, quoted: false });
  return chunks;
}

const wildcard = /[*?[]/;
const bracket = /\[!?[A-Za-z0-9_.-]+\]/y;

/** Whether unquoted text holds a character that could begin a pattern. */
export function mayBePattern(chunks: readonly Chunk[]): boolean {
  return chunks.some(
    (chunk) => chunk.kind === 'text' && !chunk.quoted && wildcard.test(chunk.text),
  );
}

const longestPattern = 2048;

interface Pattern {
  /** The word with its wildcards, as it would be written without quotes. */
  readonly text: string;
  /** Literal parts quoted, wildcards bare. */
  readonly render: string;
}

/**
 * A file name pattern that stays for the shell to expand when the command runs, or null when no
 * wildcard is left (a lone `[` is not a pattern). It is not expanded here: files come and go between
 * the look and the run, also through earlier parts of the same command. So a pattern is not a literal;
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
    if (chunk.kind !== 'text') throw mixed();
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
