import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';

const chunkBytes = 256 * 1024;

/** A whole line of a file, without its newline. */
export interface Line {
  /** Where it begins, in bytes. */
  readonly offset: number;
  readonly bytes: Buffer;
}

/** The end of a file that has no newline: a row under way, or what a crash left of one. */
interface OpenEnd {
  readonly offset: number;
  readonly bytes: Buffer;
}

interface LinesOptions {
  /** Byte to begin at; it must be the begin of a line. 0 when absent. */
  readonly from?: number;
  /** Told the rest after the last newline, if there is one. */
  readonly onOpenEnd?: (end: OpenEnd) => void;
}

/** The lines of a file in order, some hundred at a time, so that no file is ever in memory whole. */
export async function* linesOf(
  path: string,
  options: LinesOptions = {},
): AsyncGenerator<readonly Line[], void, undefined> {
  const file = await open(path, 'r');
  try {
    let offset = options.from ?? 0;
    let rest = Buffer.alloc(0);
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const { bytesRead } = await file.read(chunk, 0, chunkBytes, offset + rest.length);
      if (bytesRead === 0) break;
      const block = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      const lines = splitLines(block, offset);
      const last = lines.at(-1);
      const taken = last === undefined ? 0 : last.offset - offset + last.bytes.length + 1;
      rest = block.subarray(taken);
      offset += taken;
      if (lines.length > 0) yield lines;
    }
    if (rest.length > 0) options.onOpenEnd?.({ offset, bytes: rest });
  } finally {
    await file.close();
  }
}

/** The whole lines in `block`, which begins at byte `offset` of its file. */
function splitLines(block: Buffer, offset: number): Line[] {
  const lines: Line[] = [];
  let at = 0;
  for (let end = block.indexOf(10); end !== -1; end = block.indexOf(10, at)) {
    lines.push({ offset: offset + at, bytes: block.subarray(at, end) });
    at = end + 1;
  }
  return lines;
}

const backwardChunkBytes = 64 * 1024;

/**
 * The lines of a file from its end to its begin. The first is what stands after the last newline,
 * which is nothing when all rows are whole. Only as much is read as is asked for.
 */
export function* linesBackward(path: string): Generator<Line, void, undefined> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    let position = fstatSync(fd).size;
    let parts: Buffer[] = [];
    while (position > 0) {
      const chunk = readChunk(fd, position);
      position -= chunk.length;
      let end = chunk.length;
      for (;;) {
        const newline = end === 0 ? -1 : chunk.lastIndexOf(10, end - 1);
        if (newline === -1) break;
        const bytes = Buffer.concat([chunk.subarray(newline + 1, end), ...parts]);
        yield { offset: position + newline + 1, bytes };
        parts = [];
        end = newline;
      }
      parts.unshift(chunk.subarray(0, end));
    }
    yield { offset: 0, bytes: Buffer.concat(parts) };
  } finally {
    closeSync(fd);
  }
}

function readChunk(fd: number, end: number): Buffer {
  const length = Math.min(backwardChunkBytes, end);
  const chunk = Buffer.allocUnsafe(length);
  const count = readSync(fd, chunk, 0, length, end - length);
  if (count < length) throw new Error('The log became shorter while it was read.');
  return chunk;
}
