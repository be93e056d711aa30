import { base64Within } from '../../shared/engine/index.ts';

/**
 * A part of a long spelling of a value. Where the part stands, what stands around it is compared with
 * the rest of the spelling, whatever else lies in between: ends of lines, indentation, commas.
 */
export interface Piece {
  /** As it stands. */
  readonly text: string;
  /** The letters of the whole spelling. */
  readonly whole: string;
  /** Which of them the part has: from the first to the one behind the last. */
  readonly from: number;
  readonly to: number;
  readonly letters: Letters;
}

/** Of what a spelling consists; everything else may stand in between. */
type Letters = 'base64' | 'digits' | 'word';

const alphabets: Readonly<Record<Letters, RegExp>> = {
  base64: /[\w+/-]/u,
  digits: /[0-9A-Fa-f]/u,
  word: /[\w+/=.~-]/u,
};

const tables = Object.fromEntries(
  Object.entries(alphabets).map(([name, pattern]) => [
    name,
    Uint8Array.from({ length: 256 }, (_none, byte) =>
      Number(byte < 128 && pattern.test(String.fromCharCode(byte))),
    ),
  ]),
) as Readonly<Record<Letters, Uint8Array>>;

/** Bytes of a value beyond which no dumps of it are looked for: those are of tokens. */
const mostDumped = 256;
/** A value of one word and so many characters is a token: no parts of it stand in other texts. */
const token = /^[\w+/=.~-]{24,}$/u;

/** The same, and those by which it is found in dumps of its bytes: something stands between any two. */
export function allPiecesOf(value: string): readonly Piece[] {
  const bytes = [...Buffer.from(value)];
  if (bytes.length > mostDumped) return piecesOf(value);
  return [...piecesOf(value), ...eachOnce(dumped(bytes))];
}

/**
 * The parts of a value by which it is found where lines end in it: in base64, in hexadecimal digits,
 * and as it is where it is a token.
 */
export function piecesOf(value: string): readonly Piece[] {
  const bytes = [...Buffer.from(value)];
  const base64 = [0, 1, 2].map((before) => base64Within(bytes, before));
  const hex = bytes.map(twoDigits);
  const all = [
    ...base64.flatMap((whole) => inLines(whole, 'base64')),
    ...base64.flatMap((whole) =>
      inLines(whole.replaceAll('+', '-').replaceAll('/', '_'), 'base64'),
    ),
    ...inLines(hex.join(''), 'digits'),
    ...inLines(hex.join(''), 'digits').map((piece) => ({
      ...piece,
      text: piece.text.toUpperCase(),
    })),
    ...(token.test(value) ? inLines(value, 'word', 16) : []),
  ];
  return eachOnce(all);
}

function eachOnce(all: readonly Piece[]): readonly Piece[] {
  return [...new Map(all.map((piece) => [`${piece.whole} ${piece.text}`, piece])).values()];
}

const twoDigits = (byte: number): string => byte.toString(16).padStart(2, '0');

/** Letters of a part that are never by chance those of a value. */
const decisive = 12;

/** Parts without anything in between. */
function inLines(whole: string, letters: Letters, most = decisive): readonly Piece[] {
  const length = Math.min(most, Math.floor(whole.length / 2));
  if (length < 5) return [];
  const starts = Array.from({ length: Math.ceil(whole.length / length) }, (_none, at) =>
    Math.min(at * length, whole.length - length),
  );
  return starts.map((from) => {
    const to = from + length;
    return { text: whole.slice(from, to), whole, from, to, letters };
  });
}

/** Between two bytes of a dump, as `od`, `xxd -i`, fingerprints, `hexdump` and languages have it. */
const between = [' ', ':', '-', ',', ', ', ', 0x', ',0x', ' 0x', String.raw`\x`];
const perPiece = 4;

function dumped(bytes: readonly number[]): readonly Piece[] {
  const hex = bytes.map(twoDigits);
  const octal = bytes.map((byte) => byte.toString(8).padStart(3, '0'));
  const decimal = bytes.map(String);
  const pairs = [0, 1].map((phase) => (at: number) => (at % 2 === phase ? ' ' : ''));
  const upper = hex.map((two) => two.toUpperCase());
  return [
    ...[hex, upper].flatMap((one) => between.flatMap((what) => apart(one, () => what))),
    ...[hex, upper].flatMap((one) => pairs.flatMap((what) => apart(one, what))),
    ...apart(octal, () => ' '),
    ...[',', ', ', ' '].flatMap((what) => apart(decimal, () => what)),
    ...apart(
      decimal.map((one) => one.padStart(3)),
      () => ' ',
    ),
  ];
}

/** Parts of some bytes with something in between: `what` stands before the byte of that number. */
function apart(units: readonly string[], what: (at: number) => string): readonly Piece[] {
  const bare = units.map((one) => one.trim());
  const whole = bare.join('').toLowerCase();
  const found: Piece[] = [];
  for (let first = 0; first + perPiece <= units.length; first += perPiece) {
    const some = units.slice(first, first + perPiece);
    const text = some
      .map((one, at) => `${at === 0 ? '' : what(first + at)}${one}`)
      .join('')
      .trim();
    const from = bare.slice(0, first).join('').length;
    const to = from + bare.slice(first, first + perPiece).join('').length;
    found.push({ text, whole, from, to, letters: 'digits' });
  }
  return found;
}

/** So much may stand between two letters of a spelling. */
const mostBetween = 24;
/** Of so few letters before something else nobody learns anything, and nothing is held back for them. */
const fewestHeld = 4;

const code = (letter: string): number => letter.charCodeAt(0);
const [backslash, zero, percent, x] = [code('\\'), code('0'), code('%'), code('x')];
const escapes = new Set(['n', 'r', 't', 'x'].map(code));
const lineEnds = new Set(['A', 'a', 'D', 'd'].map(code));

/** Whether a mark may begin with it. */
function mayBeMark(byte: number): boolean {
  return byte === backslash || byte === percent || byte === zero;
}

/** The length of a mark that stands there for no letter, though it is made of some (`\n`, `%0A`, `0x`). */
function markAt(bytes: Uint8Array, at: number, letters: Letters): number {
  const first = bytes[at] ?? 0;
  if (!mayBeMark(first)) return 0;
  const second = bytes[at + 1] ?? 0;
  if (first === backslash) return escapes.has(second) ? 2 : 0;
  if (first === percent) return second === zero && lineEnds.has(bytes[at + 2] ?? 0) ? 3 : 0;
  return letters === 'digits' && second === x ? 2 : 0;
}

/** The same for one that ends there. */
function markBefore(bytes: Uint8Array, end: number, letters: Letters): number {
  for (const length of [2, 3])
    if (end >= length && markAt(bytes, end - length, letters) === length) return length;
  return 0;
}

/** Digits are the same in either case. */
function isLetter(byte: number | undefined, whole: string, at: number, letters: Letters): boolean {
  const wanted = whole.charCodeAt(at);
  return byte === wanted || (letters === 'digits' && wanted > 96 && byte === wanted - 32);
}

/** Where the letters of a spelling go on to, from one of them. At the very end a 0 may begin a mark. */
function onwards(
  bytes: Uint8Array,
  start: number,
  { whole, letters, from }: Pick<Piece, 'whole' | 'letters' | 'from'>,
): { readonly end: number; readonly letter: number; readonly at: number } {
  const table = tables[letters];
  let [at, end, letter, skipped] = [start, start, from, 0];
  while (letter < whole.length && at < bytes.length && skipped <= mostBetween) {
    const mark = markAt(bytes, at, letters);
    if (mark === 0 && isLetter(bytes[at], whole, letter, letters)) {
      at += 1;
      letter += 1;
      skipped = 0;
      end = at;
    } else if (mark > 0 || table[bytes[at] ?? 0] === 0) {
      at += Math.max(1, mark);
      skipped += Math.max(1, mark);
    } else if (bytes[at] === zero && at === bytes.length - 1) at += 1;
    else break;
  }
  return { end, letter, at };
}

function backwards(
  bytes: Uint8Array,
  start: number,
  { whole, letters, from }: Piece,
): { readonly start: number; readonly letter: number } {
  const table = tables[letters];
  let [at, first, letter, skipped] = [start, start, from, 0];
  while (letter > 0 && at > 0 && skipped <= mostBetween) {
    const mark = markBefore(bytes, at, letters);
    if (mark === 0 && isLetter(bytes[at - 1], whole, letter - 1, letters)) {
      at -= 1;
      letter -= 1;
      skipped = 0;
      first = at;
    } else if (mark > 0 || table[bytes[at - 1] ?? 0] === 0) {
      at -= Math.max(1, mark);
      skipped += Math.max(1, mark);
    } else break;
  }
  return { start: first, letter };
}

/** How far a spelling reaches around a part of it; null where that is too little to be one. */
export function aroundPiece(
  bytes: Uint8Array,
  at: number,
  piece: Piece,
): { readonly at: number; readonly length: number; readonly isOpen: boolean } | null {
  const before = backwards(bytes, at, piece);
  const behind = onwards(bytes, at + piece.text.length, { ...piece, from: piece.to });
  const letters = behind.letter - before.letter;
  if (letters < Math.min(decisive, piece.whole.length)) return null;
  const isOpen = behind.letter < piece.whole.length && behind.at >= bytes.length;
  return { at: before.start, length: behind.end - before.start, isOpen };
}

/** A part and what may stand around it has no more bytes. */
const longestPart = 96;

/** By place of what is at the end: where the next letter stands, and the four letters from it on. */
const nextLetter = new Uint8Array(longestPart + 2);
const nextFour = new Int32Array(longestPart + 2);

/**
 * Makes ready how to tell how many bytes at the end may begin a part of a spelling in which something
 * stands in between: parts of which so many letters stand there that something would be told by them.
 */
export function piecesAtEnd(pieces: readonly Piece[]): (bytes: Uint8Array) => number {
  const kinds = [...new Set(pieces.map(({ letters }) => letters))].map((kind) =>
    beginningsOf(pieces, kind),
  );
  return (bytes) => Math.max(0, ...kinds.map((beginning) => beginning(bytes)));
}

/**
 * The same for parts of one kind. From the end on backwards each place is looked at once: the letters
 * that follow it are those that follow the next one.
 */
function beginningsOf(pieces: readonly Piece[], kind: Letters): (bytes: Uint8Array) => number {
  const table = tables[kind];
  const begins = byFourLetters(pieces.filter(({ letters }) => letters === kind));
  const slots = new Uint8Array(1 << fourBits);
  for (const four of begins.keys()) slots[slotOfFour(four)] = 1;
  return (bytes) => {
    const count = Math.min(longestPart, bytes.length);
    const from = bytes.length - count;
    nextLetter[count] = count;
    nextFour[count] = 0;
    let most = 0;
    for (let place = count - 1; place >= 0; place -= 1) {
      const byte = bytes[from + place] ?? 0;
      const mark = markAt(bytes, from + place, kind);
      const behind = nextLetter[Math.min(count, place + Math.max(1, mark))] ?? count;
      if (mark > 0 || table[byte] === 0) {
        nextLetter[place] = behind;
        continue;
      }
      // Digits are the same in either case.
      const letter = kind === 'digits' && byte > 64 ? byte | 32 : byte;
      const four = (letter << 24) | ((nextFour[behind] ?? 0) >>> 8);
      nextLetter[place] = place;
      nextFour[place] = four;
      if (slots[slotOfFour(four)] === 0) continue;
      const start = from + place;
      if (begins.get(four)?.some((piece) => reachesEnd(bytes, start, piece)) === true)
        most = bytes.length - start;
    }
    return most;
  };
}

const fourBits = 14;

function slotOfFour(letters: number): number {
  return Math.imul(letters, 0x9e37_79b1) >>> (32 - fourBits);
}

function reachesEnd(bytes: Uint8Array, start: number, piece: Piece): boolean {
  const { at, letter } = onwards(bytes, start, piece);
  return at >= bytes.length && letter - piece.from >= fewestHeld && letter < piece.whole.length;
}

/** By their first letters, each once: what is looked for beside is the same. */
function byFourLetters(pieces: readonly Piece[]): ReadonlyMap<number, readonly Piece[]> {
  const by = new Map<number, Piece[]>();
  for (const piece of new Map(pieces.map((one) => [`${one.whole} ${one.from}`, one])).values()) {
    if (piece.whole.length - piece.from < fewestHeld) continue;
    let four = 0;
    for (let at = piece.from; at < piece.from + fewestHeld; at += 1)
      four = (four << 8) | piece.whole.charCodeAt(at);
    by.set(four, [...(by.get(four) ?? []), piece]);
  }
  return by;
}
