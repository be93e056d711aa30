/** Values to look for in bytes, made ready once for as many bytes as come. */
export interface Needles {
  readonly count: number;
  /** Bytes of the longest. */
  readonly longest: number;
  /** The first place from there on where one stands, and how long it is: of two at one place the longer. Null: none. */
  find(bytes: Uint8Array, from: number): Found | null;
  /** How many bytes at the end begin one. */
  beginning(bytes: Uint8Array): number;
}

interface Found {
  readonly at: number;
  readonly length: number;
}

/**
 * All values are looked for in one go (Wu and Manber, 1994): the last two bytes of a window as long as
 * the shortest value say how far the next one may begin, which is nearly always behind the window.
 */
export function needlesOf(values: readonly string[]): Needles {
  const all = [...new Set(values)]
    .filter((value) => value !== '')
    .map((value) => Buffer.from(value))
    .toSorted((one, other) => other.length - one.length);
  const longest = all[0]?.length ?? 0;
  const window = all.at(-1)?.length ?? 0;
  const shifts = shiftsOf(all, window);
  const starts = new Uint8Array(256);
  for (const [first = 0] of all) starts[first] = 1;
  const standsAt = (bytes: Uint8Array, at: number): Buffer | undefined =>
    starts[bytes[at] ?? 0] === 0
      ? undefined
      : all.find(
          (one) =>
            one[0] === bytes[at] &&
            at + one.length <= bytes.length &&
            one.compare(bytes, at, at + one.length) === 0,
        );
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
        const found = standsAt(bytes, at);
        if (found !== undefined) return { at, length: found.length };
        end += 1;
      }
      return null;
    },
    beginning: (bytes) => {
      const most = Math.min(longest - 1, bytes.length);
      for (let length = most; length > 0; length -= 1) {
        const at = bytes.length - length;
        if (starts[bytes[at] ?? 0] === 0) continue;
        const isOne = all.some(
          (one) =>
            one.length > length &&
            one[0] === bytes[at] &&
            one.compare(bytes, at, bytes.length, 0, length) === 0,
        );
        if (isOne) return length;
      }
      return 0;
    },
  };
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
