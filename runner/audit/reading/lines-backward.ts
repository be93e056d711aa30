import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Line } from './lines.ts';

const chunkBytes = 64 * 1024;

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
  const length = Math.min(chunkBytes, end);
  const chunk = Buffer.allocUnsafe(length);
  const count = readSync(fd, chunk, 0, length, end - length);
  if (count < length) throw new Error('The log became shorter while it was read.');
  return chunk;
}
