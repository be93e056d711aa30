import { hideKnown, knownIn, knownMark, spellingsOf } from '../../shared/engine/index.ts';
import type { Hidden } from '../../shared/engine/index.ts';
import { needlesOf } from './needles.ts';
import { allPiecesOf } from './pieces.ts';
import type { Piece } from './pieces.ts';
import type { Needles } from './needles.ts';

const known = new Map<string, readonly string[]>();
const knownPieces = new Map<string, readonly Piece[]>();
let spellings: readonly string[] = [];
let needles = needlesOf([]);

/**
 * Has this process know these values: from here on they are taken out of whatever it keeps, logs or
 * passes on, in every spelling of them. What it knew before from the same source counts no more.
 */
export function knowSecrets(values: Iterable<Uint8Array>, source = 'kept'): void {
  const texts = [...values].map((value) => Buffer.from(value).toString('utf8'));
  known.set(source, texts.flatMap(spellingsOf));
  knownPieces.set(source, texts.flatMap(allPiecesOf));
  spellings = [...new Set([...known.values()].flat())].toSorted(
    (one, other) => other.length - one.length,
  );
  needles = needlesOf(spellings, [...knownPieces.values()].flat());
}

/** Where known values stand in a text. */
export function* knownSecrets(text: string): Generator<Hidden> {
  if (!holdsKnown(text)) return;
  yield* knownIn(text, spellings);
  // Latin letters alone: elsewhere a place in the bytes is another one in the text.
  const bytes = Buffer.from(text, 'latin1');
  for (let found = needles.find(bytes, 0); found !== null;) {
    yield { from: found.at, to: found.at + found.length };
    found = needles.find(bytes, found.at + found.length);
  }
}

/** Nearly no text does, and that is soon seen. */
function holdsKnown(text: string): boolean {
  return needles.count > 0 && needles.find(Buffer.from(text), 0) !== null;
}

/** The text without known values; everything else stays as it is. */
export function withoutKnown(text: string): string {
  if (!holdsKnown(text)) return text;
  let out = text;
  for (const one of spellings) out = out.replaceAll(one, knownMark);
  const bytes = Buffer.from(out);
  const { parts, done } = masked(bytes, { wanted: needles, markOf: () => mark });
  return Buffer.concat([...parts, bytes.subarray(done)]).toString('utf8');
}

/** Plain data without known values in any text of it. */
export function dataWithoutKnown<T>(value: T): T {
  return spellings.length === 0 ? value : hideKnown(value, withoutKnown);
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
/** Bytes that were passed on and are looked at again with those that follow: values come in small pieces. */
const mostContext = 32;
/** From so many bytes on a copy of them costs more than it gives. */
const mostCopied = 4_096;

/**
 * A masker for one stream. What could still become a known value is held back until that is settled.
 *
 * @param own values of the stream's own: each is replaced by as many stars, so that the length stays;
 *   absent: those that this process knows
 */
export function createMasker(own?: Needles): Masker {
  let held: Buffer = nothing;
  /** How many bytes of what is held were passed on, and how many begin no value. */
  let passed = 0;
  let context = 0;
  const markOf = own === undefined ? () => mark : starsFor;
  return {
    push: (bytes) => {
      const now = own ?? needles;
      if (now.count === 0 && held.length === passed) {
        [held, passed, context] = [nothing, 0, 0];
        return bytes;
      }
      // Context is for small pieces: what a large one holds is known by itself.
      if (held.length === passed && context === passed && bytes.length >= mostCopied)
        [held, passed, context] = [nothing, 0, 0];
      const joined = held.length === 0 ? asBuffer(bytes) : Buffer.concat([held, bytes]);
      const before = joined.length - now.beginningApart(joined);
      const { parts, done, open } = masked(joined, { wanted: now, markOf, passed, before });
      const goesOn = joined.length - open;
      // Behind the last mark what was passed on counts, too: a value may have begun in it.
      const behind = done > passed ? done : 0;
      const kept = Math.max(goesOn, now.beginning(joined.subarray(behind)));
      const from = Math.max(done, joined.length - kept);
      const first = Math.max(behind, Math.min(from, joined.length - kept) - mostContext);
      parts.push(joined.subarray(done, from));
      // A copy: so few bytes are not to keep all that they came with.
      held = Buffer.from(joined.subarray(first));
      passed = from - first;
      context = joined.length - kept - first;
      return parts.length === 1 ? (parts[0] ?? nothing) : Buffer.concat(parts);
    },
    isHolding: () =>
      own !== undefined && held.length > passed && held.length - context <= mostInPause,
    quiet: () => {
      if (own === undefined || held.length - context > mostInPause) return nothing;
      const rest = held.subarray(passed);
      passed = held.length;
      return rest;
    },
    end: () => {
      const { parts, done } = masked(held, { wanted: own ?? needles, markOf, passed });
      const rest = Buffer.concat([...parts, held.subarray(done)]);
      [held, passed, context] = [nothing, 0, 0];
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

/**
 * What may be passed on of some bytes, how far that reaches, and where something begins that may go on.
 *
 * @param how `passed`: so many were passed on before; `before`: what begins behind that many bytes may
 *   go on; absent: nothing does
 */
function masked(
  bytes: Buffer,
  how: {
    readonly wanted: Needles;
    readonly markOf: (length: number) => Buffer;
    readonly passed?: number;
    readonly before?: number;
  },
): { readonly parts: Buffer[]; readonly done: number; readonly open: number } {
  const { wanted, markOf, passed = 0, before = bytes.length } = how;
  const parts: Buffer[] = [];
  let done = passed;
  let from = 0;
  for (let found = wanted.find(bytes, from); found !== null; found = wanted.find(bytes, from)) {
    const goesOn = how.before !== undefined && found.isOpen === true;
    if (goesOn || found.at >= before) return { parts, done, open: Math.min(found.at, before) };
    from = found.at + found.length;
    if (from <= done) continue;
    const at = Math.max(done, found.at);
    parts.push(bytes.subarray(done, at), markOf(from - at));
    done = from;
  }
  return { parts, done, open: before };
}
