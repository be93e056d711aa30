import { aroundPiece, beginsPieces } from './pieces.ts';
import type { Piece } from './pieces.ts';

/** Values to look for in bytes, made ready once for as many bytes as come. */
export interface Needles {
  readonly count: number;
  /** Bytes of the longest. */
  readonly longest: number;
  /**
   * The first place from there on where one stands, and how long it is: of two at one place the longer.
   * Where a part of one stands, it reaches as far as the whole does around it. Null: none.
   */
  find(bytes: Uint8Array, from: number): Found | null;
  /** How many bytes at the end begin one. */
  beginning(bytes: Uint8Array): number;
  /** The same for one that stands there in parts. */
  beginningApart(bytes: Uint8Array): number;
}

interface Found {
  readonly at: number;
  readonly length: number;
  /** It goes to the last byte there is, and may go on. */
  readonly isOpen?: boolean;
}

/**
 * All values are looked for in one go (Wu and Manber, 1994): the last two bytes of a window as long as
 * the shortest value say how far the next one may begin, which is nearly always behind the window.
 */
export function needlesOf(values: readonly string[], pieces: readonly Piece[] = []): Needles {
  const whole = [...new Set(values)]
    .filter((value) => value !== '')
    .map((value) => Buffer.from(value))
    .toSorted((one, other) => other.length - one.length);
  const parts = new Map(pieces.map((piece) => [piece, Buffer.from(piece.text)]));
  const all = [...whole, ...parts.values()].toSorted((one, other) => other.length - one.length);
  const longest = whole[0]?.length ?? 0;
  const window = all.at(-1)?.length ?? 0;
  const shifts = shiftsOf(all, window);
  const wholeBy = byBegin(whole.map((bytes) => [bytes, bytes]));
  const partsBy = byBegin([...parts].map(([piece, bytes]) => [bytes, piece]));
  const begins = byFirstLetter(pieces);
  const starts = new Uint8Array(256);
  for (const [first = 0] of whole) starts[first] = 1;
  const foundAt = (bytes: Uint8Array, at: number, from: number): Found | null => {
    const begin = beginOf(bytes, at);
    const one = wholeBy.get(begin)?.find(([each]) => standsAt(each, bytes, at));
    if (one !== undefined) return { at, length: one[0].length };
    for (const [each, piece] of partsBy.get(begin) ?? []) {
      if (!standsAt(each, bytes, at)) continue;
      const around = aroundPiece(bytes, at, piece);
      if (around === null) continue;
      const first = Math.max(from, around.at);
      return { at: first, length: around.at + around.length - first, isOpen: around.isOpen };
    }
    return null;
  };
  return {
    count: all.length,
    longest,
    find: (bytes, from) => {
      if (window === 0) return null;
      let end = from + window - 1;
      while (end < bytes.length) {
        const shift =
          window === 1 ? 0 : (shifts[((bytes[end - 1] ?? 0) << 8) | (bytes[end] ?? 0)] ?? 0);
        if (shift > 0) {
          end += shift;
          continue;
        }
        const at = end - window + 1;
        const found = foundAt(bytes, at, from);
        if (found !== null) return found;
        end += 1;
      }
      return null;
    },
    beginning: (bytes) => {
      const most = Math.min(longest - 1, bytes.length);
      for (let length = most; length > 0; length -= 1) {
        const at = bytes.length - length;
        if (starts[bytes[at] ?? 0] === 0) continue;
        const isOne = whole.some(
          (one) =>
            one.length > length &&
            one[0] === bytes[at] &&
            one.compare(bytes, at, bytes.length, 0, length) === 0,
        );
        if (isOne) return length;
      }
      return 0;
    },
    beginningApart: (bytes) => beginsPieces(bytes, begins),
  };
}

function byFirstLetter(pieces: readonly Piece[]): ReadonlyMap<number, readonly Piece[]> {
  const by = new Map<number, Piece[]>();
  const each = new Map(pieces.map((piece) => [`${piece.whole} ${piece.from}`, piece]));
  for (const piece of each.values()) {
    const first = piece.whole.charAt(piece.from);
    for (const letter of new Set([
      first,
      piece.letters === 'digits' ? first.toUpperCase() : first,
    ])) {
      const key = letter.charCodeAt(0);
      by.set(key, [...(by.get(key) ?? []), piece]);
    }
  }
  return by;
}

/** The first two bytes, as a number. */
function beginOf(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}

/** In the order given, by the first two bytes of each; a single byte stands under all that begin so. */
function byBegin<T>(
  all: readonly (readonly [Buffer, T])[],
): ReadonlyMap<number, readonly (readonly [Buffer, T])[]> {
  const by = new Map<number, (readonly [Buffer, T])[]>();
  for (const one of all) {
    const first = beginOf(one[0], 0);
    const keys =
      one[0].length > 1 ? [first] : Array.from({ length: 256 }, (_none, second) => first | second);
    for (const key of keys) by.set(key, [...(by.get(key) ?? []), one]);
  }
  return by;
}

function standsAt(one: Buffer, bytes: Uint8Array, at: number): boolean {
  return at + one.length <= bytes.length && one.compare(bytes, at, at + one.length) === 0;
}

/** By the last two bytes of a window: how many bytes on the next value may begin. */
function shiftsOf(all: readonly Buffer[], window: number): Uint16Array {
  const most = Math.min(0xffff, Math.max(1, window - 1));
  const shifts = new Uint16Array(window < 2 ? 0 : 0x1_0000).fill(most);
  for (const one of all)
    for (let end = 1; end < window; end += 1) {
      const pair = ((one[end - 1] ?? 0) << 8) | (one[end] ?? 0);
      shifts[pair] = Math.min(shifts[pair] ?? most, window - 1 - end);
    }
  return shifts;
}
