const newline = 0x0a;

/** One line of the input, without its end; null when it was longer than the limit. */
export type Line = Buffer | null;

/**
 * Splits a stream of bytes into lines, in order. A line beyond `limit` bytes is read past and comes
 * out as null, so that memory stays bounded and the next line is not lost. What follows the last
 * newline counts as a line unless it is empty.
 */
export async function* linesOf(
  input: AsyncIterable<Uint8Array | string>,
  limit: number,
): AsyncGenerator<Line> {
  let parts: Buffer[] = [];
  let size = 0;
  const take = (): Line => {
    const line = size > limit ? null : Buffer.concat(parts);
    parts = [];
    size = 0;
    return line;
  };
  const keep = (piece: Buffer): void => {
    size += piece.length;
    if (size > limit) parts = [];
    else parts.push(piece);
  };
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk as Uint8Array);
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      keep(bytes.subarray(start, end));
      yield take();
      start = end + 1;
    }
    if (start < bytes.length) keep(bytes.subarray(start));
  }
  if (size > 0) yield take();
}
