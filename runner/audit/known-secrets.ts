import { hideKnown, knownIn, knownMark, spellingsOf } from '../../shared/engine/index.ts';
import type { Hidden } from '../../shared/engine/index.ts';

const known = new Map<string, readonly string[]>();
let spellings: readonly string[] = [];
let needles: readonly Buffer[] = [];
let longest = 0;

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
  needles = spellings.map((one) => Buffer.from(one));
  longest = Math.max(0, ...needles.map(({ length }) => length));
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
export interface Masker {
  /** What may be passed on by now. */
  push(bytes: Uint8Array): Uint8Array;
  /**
   * For a pause in the stream: what is held back of values of the stream's own, where that says little
   * of one. If the value goes on all the same, the rest of it is replaced.
   */
  quiet(): Uint8Array;
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
 * @param own values of the stream's own, longest first: each is replaced by as many stars, so that
 *   the length stays; absent: those that this process knows
 */
export function createMasker(own?: readonly Buffer[]): Masker {
  let held: Buffer = nothing;
  /** How many bytes of what is held were passed on in a pause. */
  let passed = 0;
  const wanted = (): Wanted =>
    own === undefined
      ? { needles, longest, mark: () => mark }
      : { needles: own, longest: own[0]?.length ?? 0, mark: starsFor };
  return {
    push: (bytes) => {
      const now = wanted();
      if (now.needles.length === 0 && held.length === 0) return bytes;
      const all = masked(Buffer.concat([held, bytes]), now);
      const keep = beginning(all, now);
      const from = all.length - keep;
      const ready = all.subarray(Math.min(passed, from), from);
      passed = Math.max(0, passed - from);
      held = all.subarray(from);
      return ready;
    },
    quiet: () => {
      if (own === undefined || held.length > mostInPause) return nothing;
      const rest = held.subarray(passed);
      passed = held.length;
      return rest;
    },
    end: () => {
      const rest = masked(held, wanted()).subarray(passed);
      held = nothing;
      passed = 0;
      return rest;
    },
  };
}

interface Wanted {
  readonly needles: readonly Buffer[];
  readonly longest: number;
  readonly mark: (needle: Buffer) => Buffer;
}

function starsFor({ length }: Buffer): Buffer {
  return Buffer.alloc(length, '*');
}

function masked(bytes: Buffer, { needles: wanted, mark: markOf }: Wanted): Buffer {
  const parts: Buffer[] = [];
  let done = 0;
  const next = wanted.map((needle) => bytes.indexOf(needle));
  for (;;) {
    let at = -1;
    for (const [index, needle] of wanted.entries()) {
      let found = next[index] ?? -1;
      if (found !== -1 && found < done) found = next[index] = bytes.indexOf(needle, done);
      // The longest come first, so that of two at one place the longer one counts.
      if (found !== -1 && (at === -1 || found < (next[at] ?? 0))) at = index;
    }
    const from = next[at];
    const needle = wanted[at];
    if (from === undefined || needle === undefined) break;
    parts.push(bytes.subarray(done, from), markOf(needle));
    done = from + needle.length;
  }
  if (done === 0) return bytes;
  return Buffer.concat([...parts, bytes.subarray(done)]);
}

/** How many bytes at the end begin a known value. */
function beginning(bytes: Buffer, { needles: wanted, longest: limit }: Wanted): number {
  const most = Math.min(limit - 1, bytes.length);
  for (let length = most; length > 0; length -= 1) {
    const from = bytes.length - length;
    const first = bytes[from];
    const isOne = wanted.some(
      (needle) =>
        needle[0] === first &&
        needle.length > length &&
        needle.compare(bytes, from, bytes.length, 0, length) === 0,
    );
    if (isOne) return length;
  }
  return 0;
}
