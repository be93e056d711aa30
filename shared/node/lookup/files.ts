import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import type { FileFacts, FileView } from '../../analysis/types.ts';

function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

function facts(path: string): FileFacts | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  return {
    kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other',
    executable: (stat.mode & 0o111) !== 0,
    mode: stat.mode & 0o7777,
    uid: stat.uid,
    inode: stat.ino,
  };
}

function head(path: string, bytes: number): Uint8Array | null {
  // A pipe in the place of a file must not make the gate wait for a writer.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const buffer = new Uint8Array(bytes);
    return buffer.subarray(0, readSync(file, buffer, 0, bytes, 0));
  } finally {
    closeSync(file);
  }
}

/**
 * The file system as the analysis sees it. Every question is asked anew: a fact that decides what
 * may run is never served from memory. Errors of any kind read as "not there".
 */
export function nodeFiles(): FileView {
  return {
    realPath: (path) => orNull(() => realpathSync.native(path)),
    facts: (path) => orNull(() => facts(path)),
    head: (path, bytes) => orNull(() => head(path, bytes)),
    isLink: (path) => orNull(() => lstatSync(path).isSymbolicLink()) ?? false,
    readLink: (path) => orNull(() => readlinkSync(path)),
  };
}
