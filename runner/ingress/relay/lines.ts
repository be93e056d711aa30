/** Cuts a stream of bytes into lines, each with its newline. */
export interface LineCutter {
  /** The lines that are whole with these bytes. Throws when one is longer than the limit. */
  push(bytes: Buffer): readonly Buffer[];
  /** What came after the last newline. */
  rest(): Buffer;
}

const newline = 0x0a;

/** `limit` is the length of the longest line, in bytes. */
export function lineCutter(limit: number): LineCutter {
  let parts: Buffer[] = [];
  let held = 0;
  return {
    push: (bytes) => {
      const lines: Buffer[] = [];
      let from = 0;
      for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
        lines.push(Buffer.concat([...parts, bytes.subarray(from, at + 1)]));
        parts = [];
        held = 0;
        from = at + 1;
      }
      if (from < bytes.length) {
        parts.push(Buffer.from(bytes.subarray(from)));
        held += bytes.length - from;
      }
      if (held > limit || lines.some((line) => line.length > limit))
        throw new Error(`A line is longer than ${String(limit)} bytes.`);
      return lines;
    },
    rest: () => Buffer.concat(parts),
  };
}
