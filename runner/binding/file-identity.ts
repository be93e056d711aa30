import { createHash } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';

/** What makes a file this file. Two identities are the same when every field is. */
export interface FileIdentity {
  readonly path: string;
  /** Null for a path that leads nowhere. */
  readonly realPath: string | null;
  readonly device: string;
  readonly inode: string;
  readonly size: string;
  /** Nanoseconds. The change time cannot be set back by whoever edits a file. */
  readonly modified: string;
  readonly changed: string;
  /** Hex; null where the content was not looked at. */
  readonly sha256: string | null;
}

const absent = { device: '', inode: '', size: '', modified: '', changed: '', sha256: null };

/** The identity of what `path` leads to now; with its content's digest where `hashed`. */
export function fileIdentity(path: string, hashed: boolean): FileIdentity {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return { path, realPath: null, ...absent };
  return {
    path,
    realPath: realpathSync.native(path),
    device: String(stat.dev),
    inode: String(stat.ino),
    size: String(stat.size),
    modified: String(stat.mtimeNs),
    changed: String(stat.ctimeNs),
    sha256: hashed ? hashFile(path) : null,
  };
}

const chunkBytes = 256 * 1024;

/** sha256 (hex) of a regular file's content, or null when it cannot be read. */
export function hashFile(path: string): string | null {
  let file: number;
  try {
    // A pipe in the place of a file must not make the gate wait for a writer.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    if (!fstatSync(file).isFile()) return null;
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(chunkBytes);
    for (;;) {
      const read = readSync(file, buffer, 0, chunkBytes, null);
      if (read === 0) return hash.digest('hex');
      hash.update(buffer.subarray(0, read));
    }
  } catch {
    return null;
  } finally {
    closeSync(file);
  }
}
