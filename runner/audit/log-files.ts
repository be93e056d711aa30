import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { refuse } from '../../shared/base/index.ts';
import { waitForFileLock } from '../../shared/home/index.ts';
import { takeLease } from '../../shared/ipc/index.ts';

/** The file of the month in which `at` lies: `2026-07.jsonl`, in UTC. */
export function monthFile(at: number): string {
  return `${new Date(at).toISOString().slice(0, 7)}.jsonl`;
}

/**
 * Where the next row goes: never to an older file than the newest one there is, or a clock that is
 * set back would put rows in front of those that were written before them.
 */
export function fileOfNextRow(newest: string | null, at: number): string {
  const month = monthFile(at);
  return newest !== null && newest > month ? newest : month;
}

const monthly = /^\d{4}-\d{2}\.jsonl$/;

/** The monthly files below `directory`, oldest first; none when there is no directory yet. */
export function monthFiles(directory: string): readonly string[] {
  let names: readonly string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return names
    .filter((name) => monthly.test(name))
    .toSorted()
    .map((name) => join(directory, name));
}

/** One open file of the log. Tests put one in its place that fails when it is told to. */
export interface LogFile {
  /** Appends at the end; answers how many bytes the file took. */
  write(bytes: Uint8Array): number;
  /** Makes the file as short as `size` again. */
  cut(size: number): void;
  /** Settles when all that was written before the call is on the disk. */
  sync(): Promise<void>;
  syncNow(): void;
  close(): void;
}

export type OpenLogFile = (path: string) => LogFile;

const datasync = promisify(fdatasync);
const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;

/** Opens or makes a file of the log (0600), so that its name outlives a crash of the machine. */
export const openLogFile: OpenLogFile = (path) => {
  const fd = openSync(path, flags, 0o600);
  syncDirectory(dirname(path));
  return {
    write: (bytes) => writeSync(fd, bytes),
    cut: (size) => ftruncateSync(fd, size),
    sync: async () => datasync(fd),
    syncNow: () => fdatasyncSync(fd),
    close: () => closeSync(fd),
  };
};

function syncDirectory(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** A command line that adds one row is done long before. */
const waitMs = 2_000;

/**
 * Becomes the only writer of the log below `directory`, until the answer is called or this process
 * ends. Rejects with `concurrency-busy` when another one stays.
 */
export async function lockWriter(
  directory: string,
  options: { readonly waitMs?: number } = {},
): Promise<() => void> {
  const path = join(directory, 'writer');
  const release = await waitForFileLock(() => takeLease(path), options.waitMs ?? waitMs);
  if (release === null) throw busy(directory);
  return release;
}

/** True while some process writes to the log below `directory`. */
export function isWriterAtWork(directory: string): boolean {
  const release = takeLease(join(directory, 'writer'));
  release?.();
  return release === null;
}

function busy(directory: string): Error {
  return refuse(
    'concurrency-busy',
    `Another program writes to the audit log in ${directory}.`,
    'Only one runner may use a home. Stop the other one first.',
  );
}
