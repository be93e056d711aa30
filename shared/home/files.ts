import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import type { Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { RefusalError, refuse } from '../base/index.ts';
import type { Refusal } from '../base/index.ts';

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

/** What is left of an open file, and at most so many bytes of it. Throws what reading throws. */
export function readAtMost(fd: number, limit: number): Buffer {
  const chunks: Buffer[] = [];
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

/**
 * Makes a 0700 directory (and the parents it lacks), or checks the one that is there. Throws a
 * `config-invalid` refusal for a symlink, a foreign owner, a loose mode or another kind of file; it
 * never changes the mode of something that it did not make.
 */
export function ensurePrivateDirectory(path: string, options: { readonly uid: number }): void {
  mkdirQuietly(path);
  const problem = privateDirectoryProblem(path, options);
  if (problem !== null) throw new RefusalError(problem);
}

/**
 * Why a folder that must be ours alone is not, as a refusal; null where it is. The same that its
 * start refuses, for a look while something runs on it. Never throws.
 */
export function privateDirectoryProblem(
  path: string,
  options: { readonly uid: number },
): Refusal | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const why = stats === undefined ? 'is gone' : directoryKind(stats, options.uid);
  if (why === null) return null;
  return {
    code: 'config-invalid',
    message: `${path} ${why}.`,
    hint: `Run: chmod 700 ${path} — or move it away and start again.`,
  };
}

function directoryKind(stats: Stats, uid: number): string | null {
  if (stats.isSymbolicLink()) return 'is a symbolic link';
  return stats.isDirectory() ? directoryObjection(stats, uid) : 'is not a directory';
}

function directoryObjection(
  stats: { readonly uid: number; readonly mode: number },
  uid: number,
): string | null {
  if (process.platform === 'win32') return null;
  if (stats.uid !== uid) return `belongs to another user (uid ${stats.uid})`;
  if ((stats.mode & 0o077) === 0) return null;
  return `can be used by others (mode ${(stats.mode & 0o777).toString(8)})`;
}

function mkdirQuietly(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'EEXIST') throw error;
  }
}

/** As `writeFileAtomic` names a file until it is whole. */
const halfWritten = /^\..+\.[0-9a-f]{16}\.tmp$/u;
/** Nobody takes longer to write one. */
const writingMs = 60_000;

/**
 * Removes what killed processes have left half written in a folder, which need not be there.
 *
 * @param now milliseconds since the epoch
 */
export function removeHalfWritten(directory: string, now: number): void {
  if (!existsSync(directory)) return;
  for (const file of readdirSync(directory).filter((each) => halfWritten.test(each))) {
    const left = join(directory, file);
    const { mtimeMs = now } = lstatSync(left, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < now - writingMs) rmSync(left, { force: true });
  }
}

export interface AtomicWriteOptions {
  /** Permission bits of the new file; 0o600 when absent. */
  readonly mode?: number;
  /** `process`: it has to outlive this process, not a loss of power, and waits for no disk. */
  readonly outlives?: 'machine' | 'process';
}

/**
 * Temp file in the same directory, fsync, rename, fsync of the directory: after a crash the old or
 * the new content is there, whole. A symlink at `path` is replaced, never followed.
 */
export function writeFileAtomic(
  path: string,
  content: string | Uint8Array,
  options: AtomicWriteOptions = {},
): void {
  const directory = dirname(path);
  const isSynced = options.outlives !== 'process';
  const temporary = join(directory, `.${basename(path)}.${randomBytes(8).toString('hex')}.tmp`);
  try {
    writeNew(temporary, Buffer.from(content), { mode: options.mode ?? 0o600, isSynced });
    renameSync(temporary, path);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
  if (isSynced) syncDirectory(directory);
}

/** A page of the kernel's, and of most file systems: written or read in one go. */
const pageBytes = 4096;

/**
 * For a small text that is written again and again and has to outlive this process, not a loss of
 * power: over what stands there, filled up with blanks to a page. A process that is killed leaves the
 * old text or the new one. In the place of any other file, and for longer texts, as `writeFileAtomic`,
 * which makes a file for each: taking the one before away can wait for the disk on ext4.
 *
 * @param text to whose reader blanks at its end mean nothing
 */
export function writePage(path: string, text: string): void {
  const bytes = Buffer.from(text);
  const page = Buffer.alloc(Math.max(pageBytes, bytes.length), ' ');
  bytes.copy(page);
  const isOver = page.length === pageBytes && writtenOver(path, page);
  if (!isOver) writeFileAtomic(path, page, { outlives: 'process' });
}

function writtenOver(path: string, page: Uint8Array): boolean {
  let fd: number;
  try {
    fd = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return false;
  }
  try {
    const stats = fstatSync(fd);
    const isPage = stats.isFile() && stats.nlink === 1 && stats.size === pageBytes;
    // A write that ends early would leave half of each: then there is a new file for it.
    return isPage && writeSync(fd, page, 0, pageBytes, 0) === pageBytes;
  } finally {
    closeSync(fd);
  }
}

function writeNew(
  path: string,
  bytes: Uint8Array,
  { mode, isSynced }: { readonly mode: number; readonly isSynced: boolean },
): void {
  const fd = openSync(path, 'wx', mode);
  try {
    for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
    if (isSynced) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function syncDirectory(directory: string): void {
  // Windows cannot open a directory; there a rename is as durable as it gets.
  if (process.platform === 'win32') return;
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never made, or is already gone.
  }
}

/** A file of ours whose text was read and understood, or why not. */
export type CheckedFile<T> =
  | {
      readonly ok: true;
      readonly value: T;
      readonly text: string;
      /** sha256 (hex) of the raw text. */
      readonly hash: string;
    }
  | {
      readonly ok: false;
      readonly problem: Refusal;
      readonly hash: string | null;
      readonly missing: boolean;
    };

export interface CheckedFileOptions<T> {
  readonly uid: number;
  readonly maxBytes: number;
  readonly parse: (
    text: string,
  ) => { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Refusal };
}

/** Reads a private file and hands its text to `parse`. Never throws. */
export function readCheckedFile<T>(path: string, options: CheckedFileOptions<T>): CheckedFile<T> {
  const file = readPrivateFile(path, options);
  if (file.kind === 'missing') {
    return failed(`There is no file ${path}.`, missingHint(path), { missing: true });
  }
  if (file.kind === 'unsafe') {
    return failed(`${path} ${file.why}.`, mendingHint(path, file.why), { missing: false });
  }
  const hash = hashOfText(file.text);
  const parsed = options.parse(file.text);
  if (parsed.ok) return { ok: true, value: parsed.value, text: file.text, hash };
  return { ok: false, problem: parsed.problem, hash, missing: false };
}

/** sha256 (hex) of the raw text: what `baseHash` means everywhere. */
export function hashOfText(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function failed(
  message: string,
  hint: string,
  { missing }: { readonly missing: boolean },
): CheckedFile<never> {
  const { refusal: problem } = refuse('config-invalid', message, hint);
  return { ok: false, problem, hash: null, missing };
}

/** A file made anew would be without the rules that the last good copy still has. */
function missingHint(path: string): string {
  const lastGood = `${path}.last-good`;
  return existsSync(lastGood)
    ? `Put it back; the last valid copy is ${lastGood}. Or make a new one with: interlock init`
    : 'Run: interlock init';
}

function mendingHint(path: string, why: string): string {
  if (why.startsWith('can be used by others')) return `Run: chmod 600 ${path}`;
  if (why.startsWith('is larger')) return 'Make it smaller; nothing runs until then.';
  return 'Put a regular file of your own there, with mode 600; nothing runs until then.';
}

/**
 * Opens what must be a plain file, and closes it after its use; null where it is anything else, a link
 * among them, or cannot be opened. A pipe in the place of a file makes nobody wait for a writer.
 */
export function withPlainFile<T>(path: string, use: (fd: number, stats: Stats) => T): T | null {
  let fd: number;
  try {
    fd = openSync(path, readFlags);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(fd);
    return stats.isFile() ? use(fd, stats) : null;
  } finally {
    closeSync(fd);
  }
}
