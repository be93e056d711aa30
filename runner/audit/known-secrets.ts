import { hideKnown, knownIn, knownMark, spellingsOf } from '../../shared/engine/index.ts';
import type { Hidden } from '../../shared/engine/index.ts';
import { needlesOf } from './needles.ts';
import type { Needles } from './needles.ts';

const known = new Map<string, readonly string[]>();
let spellings: readonly string[] = [];
let needles = needlesOf([]);

/**
 * Has this process know these values: from here on they are taken out of whatever it keeps, logs or
 * passes on, in every spelling of them. What it knew before from the same source counts no more.
 */
export function knowSecrets(values: Iterable<Uint8Array>, source = 'kept'): void {
  known.set(
    source,
    [...values].flatMap((value) => spellingsOf(Buffer.from(value).toString('utf8'))),
  );
  spellings = [...new Set([...known.values()].flat())].toSorted(
    (one, other) => other.length - one.length,
  );
  needles = needlesOf(spellings);
}

/** Where known values stand in a text. */
export function knownSecrets(text: string): Iterable<Hidden> {
  return spellings.length === 0 ? [] : knownIn(text, spellings);
}

/** The text without known values; everything else stays as it is. */
export function withoutKnown(text: string): string {
  let out = text;
  for (const one of spellings) out = out.replaceAll(one, knownMark);
  return out;
}

/** Plain data without known values in any text of it. */
export function dataWithoutKnown<T>(value: T): T {
  return spellings.length === 0 ? value : hideKnown(value, spellings);
}

/** Takes known values out of a stream of bytes, wherever its chunks are cut. */
interface Masker {
  /** What may be passed on by now. */
  push(bytes: Uint8Array): Uint8Array;
  /**
   * For a pause in the stream: what is held back of values of the stream's own, where that says little
   * of one. If the value goes on all the same, the rest of it is replaced.
   */
  quiet(): Uint8Array;
  /** Whether `quiet` would give anything. */
  readonly isHolding: () => boolean;
  /** The rest at the end of the stream. */
  end(): Uint8Array;
}

const mark = Buffer.from(knownMark);
const nothing = Buffer.alloc(0);
/** So few bytes of the begin of a value tell nothing of it: many tokens of one service share them. */
const mostInPause = 4;

/**
 * A masker for one stream. What could still become a known value is held back until that is settled.
 *
 * @param own values of the stream's own: each is replaced by as many stars, so that the length stays;
 *   absent: those that this process knows
 */
export function createMasker(own?: Needles): Masker {
  let held: Buffer = nothing;
  /** How many bytes of what is held were passed on in a pause. */
  let passed = 0;
  const markOf = own === undefined ? () => mark : starsFor;
  return {
    push: (bytes) => {
      const now = own ?? needles;
      if (now.count === 0 && held.length === 0) return bytes;
      const joined = held.length === 0 ? asBuffer(bytes) : Buffer.concat([held, bytes]);
      const all = masked(joined, now, markOf);
      const from = all.length - now.beginning(all);
      const ready = all.subarray(Math.min(passed, from), from);
      passed = Math.max(0, passed - from);
      // A copy: so few bytes are not to keep all that they came with.
      held = from === all.length ? nothing : Buffer.from(all.subarray(from));
      return ready;
    },
    isHolding: () => own !== undefined && held.length > passed && held.length <= mostInPause,
    quiet: () => {
      if (own === undefined || held.length > mostInPause) return nothing;
      const rest = held.subarray(passed);
      passed = held.length;
      return rest;
    },
    end: () => {
      const rest = masked(held, own ?? needles, markOf).subarray(passed);
      held = nothing;
      passed = 0;
      return rest;
    },
  };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function starsFor(length: number): Buffer {
  return Buffer.alloc(length, '*');
}

function masked(bytes: Buffer, wanted: Needles, markOf: (length: number) => Buffer): Buffer {
  let found = wanted.find(bytes, 0);
  if (found === null) return bytes;
  const parts: Buffer[] = [];
  let done = 0;
  for (; found !== null; found = wanted.find(bytes, done)) {
    parts.push(bytes.subarray(done, found.at), markOf(found.length));
    done = found.at + found.length;
  }
  return Buffer.concat([...parts, bytes.subarray(done)]);
}
