import { aroundPiece, piecesAtEnd } from './pieces.ts';
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

/** A value, or a part of one, as it is looked for. */
interface Wanted {
  readonly bytes: Buffer;
  /** Absent: it is a value by itself. */
  readonly piece?: Piece;
}

/** So many bytes are compared at once, where values have that many. */
const mostBlock = 4;
/** So many places apart at most: a byte says which of them. */
const mostStep = 8;

/**
 * All values are looked for in one go: some bytes are compared with those of the values at every so many
 * places, as many as have one of the places within whatever value stands there. Four bytes at once, as
 * of thousands of values few have the same ones: with two, digits and base64 would have to be looked at
 * place by place.
 */
export function needlesOf(values: readonly string[], pieces: readonly Piece[] = []): Needles {
  const whole = [...new Set(values)]
    .filter((value) => value !== '')
    .map((value) => Buffer.from(value))
    .toSorted((one, other) => other.length - one.length);
  const parts = pieces.map((piece) => [Buffer.from(piece.text), piece] as const);
  const lengths = [...whole, ...parts.map(([bytes]) => bytes)].map(({ length }) => length);
  const shortest = lengths.length === 0 ? 0 : Math.min(...lengths);
  const block = Math.min(mostBlock, shortest);
  const step = Math.min(mostStep, shortest - block + 1);
  const all: readonly Wanted[] = [
    ...whole.map((bytes) => ({ bytes })),
    ...parts.map(([bytes, piece]) => ({ bytes, piece })),
  ];
  const byBegin = beginsOf(all, block);
  const { slots, bits } = offsetsOf(all, step, block);
  const begins = slotsOf(byBegin.keys(), bits);
  const foundAt = (bytes: Uint8Array, begin: number, { at, from }: At): Found | null => {
    for (const { bytes: one, piece } of byBegin.get(begin) ?? []) {
      if (!standsAt(one, bytes, at)) continue;
      if (piece === undefined) return { at, length: one.length };
      const around = aroundPiece(bytes, at, piece);
      if (around === null) continue;
      const first = Math.max(from, around.at);
      return { at: first, length: around.at + around.length - first, isOpen: around.isOpen };
    }
    return null;
  };
  return {
    count: all.length,
    longest: whole[0]?.length ?? 0,
    find: (bytes, from) => {
      if (shortest === 0) return null;
      const view = viewOf(bytes);
      for (let place = from + step - 1; place + block <= bytes.length; place += step) {
        const offsets = slots[slotOf(blockAt(view, place, block), bits)] ?? 0;
        if (offsets === 0) continue;
        for (let offset = step - 1; offset >= 0; offset -= 1) {
          if ((offsets & (1 << offset)) === 0) continue;
          const begin = blockAt(view, place - offset, block);
          if (begins[slotOf(begin, bits)] === 0) continue;
          const found = foundAt(bytes, begin, { at: place - offset, from });
          if (found !== null) return found;
        }
      }
      return null;
    },
    beginning: beginningsOf(whole),
    beginningApart: piecesAtEnd(pieces),
  };
}

interface At {
  readonly at: number;
  /** What stands before that was looked at already. */
  readonly from: number;
}

/** By their first bytes, in the order given. */
function beginsOf(all: readonly Wanted[], block: number): ReadonlyMap<number, readonly Wanted[]> {
  const by = new Map<number, Wanted[]>();
  for (const one of all) {
    const begin = blockAt(viewOf(one.bytes), 0, block);
    const some = by.get(begin);
    if (some === undefined) by.set(begin, [one]);
    else some.push(one);
  }
  return by;
}

/**
 * A table that has for a block, as bits, how many bytes behind the begin of a value it stands, and for
 * nearly every other block a 0.
 */
function offsetsOf(
  all: readonly Wanted[],
  step: number,
  block: number,
): { readonly slots: Uint8Array; readonly bits: number } {
  const bits = Math.min(18, Math.max(12, Math.ceil(Math.log2(all.length * step * 16 + 1))));
  const slots = new Uint8Array(1 << bits);
  for (const { bytes } of all)
    for (let offset = 0; offset < step; offset += 1) {
      const slot = slotOf(blockAt(viewOf(bytes), offset, block), bits);
      slots[slot] = (slots[slot] ?? 0) | (1 << offset);
    }
  return { slots, bits };
}

function slotsOf(blocks: Iterable<number>, bits: number): Uint8Array {
  const slots = new Uint8Array(1 << bits);
  for (const block of blocks) slots[slotOf(block, bits)] = 1;
  return slots;
}

/** A place in a table for a block; several blocks may have the same. */
function slotOf(block: number, bits: number): number {
  return Math.imul(block, 0x9e37_79b1) >>> (32 - bits);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** So many bytes from there on, as a number. */
function blockAt(view: DataView, at: number, block: number): number {
  if (block === mostBlock) return view.getInt32(at);
  let number = 0;
  for (let index = 0; index < block; index += 1) number = (number << 8) | view.getUint8(at + index);
  return number;
}

function standsAt(one: Uint8Array, bytes: Uint8Array, at: number): boolean {
  return at + one.length <= bytes.length && isSame(one, bytes, { at, length: one.length });
}

function isSame(
  one: Uint8Array,
  bytes: Uint8Array,
  { at, length }: { readonly at: number; readonly length: number },
): boolean {
  for (let index = 0; index < length; index += 1)
    if (one[index] !== bytes[at + index]) return false;
  return true;
}

const beginBits = 14;

/** How many bytes at the end begin one of these and are not all of it; the longest are first. */
function beginningsOf(whole: readonly Buffer[]): (bytes: Uint8Array) => number {
  const longest = whole[0]?.length ?? 0;
  const byBegin = new Map<number, Buffer[]>();
  for (const one of whole.filter(({ length }) => length > mostBlock)) {
    const begin = blockAt(viewOf(one), 0, mostBlock);
    byBegin.set(begin, [...(byBegin.get(begin) ?? []), one]);
  }
  const slots = slotsOf(byBegin.keys(), beginBits);
  /** Fewer first bytes, by how many. */
  const few = Array.from({ length: mostBlock - 1 }, (_none, index) => {
    const longer = whole.filter(({ length }) => length > index + 1);
    return new Set(longer.map((one) => blockAt(viewOf(one), 0, index + 1)));
  });
  return (bytes) => {
    const view = viewOf(bytes);
    let length = Math.min(longest - 1, bytes.length);
    for (; length >= mostBlock; length -= 1) {
      const at = bytes.length - length;
      const block = view.getInt32(at);
      if (slots[slotOf(block, beginBits)] === 0) continue;
      for (const one of byBegin.get(block) ?? [])
        if (one.length > length && isSame(one, bytes, { at, length })) return length;
    }
    for (; length > 0; length -= 1)
      if (few[length - 1]?.has(blockAt(view, bytes.length - length, length)) === true)
        return length;
    return 0;
  };
}
