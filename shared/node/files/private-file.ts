import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { Stats } from 'node:fs';

/** What is wrong with a file that should be ours alone, or its text. */
export type PrivateFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unsafe'; readonly why: string };

export interface PrivateFileOptions {
  /** Who must own it. */
  readonly uid: number;
  readonly maxBytes: number;
}

const posix = process.platform !== 'win32';
// O_NONBLOCK keeps the open of a FIFO from waiting for a writer.
const readFlags = constants.O_RDONLY | (posix ? constants.O_NOFOLLOW | constants.O_NONBLOCK : 0);

/**
 * Reads a regular 0600 file of ours, as UTF-8. Symlinks, hard links, foreign owners, loose modes,
 * directories, files that are too large or not UTF-8 are `unsafe`. All checks are made on the opened
 * file, so it cannot be swapped in between. Never throws.
 */
export function readPrivateFile(path: string, options: PrivateFileOptions): PrivateFile {
  let fd: number;
  try {
    fd = openSync(path, readFlags);
  } catch (error) {
    return unopened(error);
  }
  try {
    const why = objection(fstatSync(fd), options);
    if (why !== null) return { kind: 'unsafe', why };
    const bytes = readAtMost(fd, options.maxBytes + 1);
    if (bytes.length > options.maxBytes) return { kind: 'unsafe', why: tooLarge(options) };
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    const notText = error instanceof TypeError;
    return {
      kind: 'unsafe',
      why: notText ? 'is not UTF-8 text' : `cannot be read (${codeOf(error)})`,
    };
  } finally {
    closeSync(fd);
  }
}

function objection(stats: Stats, options: PrivateFileOptions): string | null {
  if (stats.isDirectory()) return 'is a directory';
  if (!stats.isFile()) return 'is not a regular file';
  if (stats.size > options.maxBytes) return tooLarge(options);
  if (stats.nlink !== 1) return 'has a second name (hard link)';
  if (!posix) return null;
  if (stats.uid !== options.uid) return `belongs to another user (uid ${stats.uid})`;
  const loose = stats.mode & 0o077;
  return loose === 0 ? null : `can be used by others (mode ${(stats.mode & 0o777).toString(8)})`;
}

function unopened(error: unknown): PrivateFile {
  const code = codeOf(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' };
  if (code === 'ELOOP' || code === 'EMLINK') return { kind: 'unsafe', why: 'is a symbolic link' };
  if (code === 'ENXIO') return { kind: 'unsafe', why: 'is not a regular file' };
  return { kind: 'unsafe', why: `cannot be opened (${code})` };
}

function readAtMost(fd: number, limit: number): Uint8Array {
  const chunks: Uint8Array[] = [];
  let total = 0;
  while (total < limit) {
    const chunk = Buffer.alloc(Math.min(65_536, limit - total));
    const count = readSync(fd, chunk, 0, chunk.length, null);
    if (count === 0) break;
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  return Buffer.concat(chunks, total);
}

function tooLarge({ maxBytes }: PrivateFileOptions): string {
  return `is larger than ${maxBytes} bytes`;
}

function codeOf(error: unknown): string {
  return (error as { readonly code?: string }).code ?? 'unknown error';
}
