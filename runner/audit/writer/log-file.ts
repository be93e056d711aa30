import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

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
