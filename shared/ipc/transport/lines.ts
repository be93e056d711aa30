/** Cuts a stream of bytes into lines, each with its newline; null is a line over the limit. */
interface LineCutter {
  /** The lines that are whole with these bytes. */
  push(bytes: Uint8Array): readonly (Buffer | null)[];
  /** What came after the last newline; null when that is already over the limit. */
  rest(): Buffer | null;
  /** Whether the line under way is over the limit already. Its bytes are dropped, not kept. */
  isOver(): boolean;
}

const newline = 0x0a;

/** `limit` is the length of the longest line in bytes, newline excluded. Memory is bounded by it. */
export function lineCutter(limit: number): LineCutter {
  let parts: Uint8Array[] = [];
  let held = 0;
  const keep = (piece: Uint8Array): void => {
    held += piece.length;
    if (held > limit) parts = [];
    else parts.push(piece);
  };
  const rest = (): Buffer | null => (held > limit ? null : Buffer.concat(parts));
  return {
    push: (bytes) => {
      const lines: (Buffer | null)[] = [];
      let from = 0;
      for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
        keep(bytes.subarray(from, at));
        parts.push(bytes.subarray(at, at + 1));
        lines.push(rest());
        parts = [];
        held = 0;
        from = at + 1;
      }
      if (from < bytes.length) keep(Buffer.from(bytes.subarray(from)));
      return lines;
    },
    rest,
    isOver: () => held > limit,
  };
}

/**
 * As `lineCutter`, for a peer with whom an overlong line ends everything: `push` throws as soon as
 * one is known to be longer.
 */
export function strictLineCutter(limit: number): {
  push(bytes: Uint8Array): readonly Buffer[];
  rest(): Buffer;
} {
  const cutter = lineCutter(limit);
  const whole = (line: Buffer | null): Buffer => {
    if (line === null) throw new Error(`A line is longer than ${String(limit)} bytes.`);
    return line;
  };
  return {
    push: (bytes) => {
      const lines = cutter.push(bytes).map(whole);
      if (cutter.isOver()) whole(null);
      return lines;
    },
    rest: () => whole(cutter.rest()),
  };
}
