import { openSync } from 'node:fs';
import { libc } from './libc.ts';

const POLLPRI = 0x2;
const POLLERR = 0x8;

/** What is asked of the kernel; null before the first time. */
let asked: { readonly poll: Buffer; changes: number } | null = null;

/**
 * Another word whenever something was mounted or let go of since the last call, in the namespace of
 * this process: the kernel says so of an open list of mounts without writing it out. What it watches
 * for changes is a folder, not its place, where something else can be mounted. Null where that cannot
 * be told.
 */
export function mountsNow(): string | null {
  if (process.platform !== 'linux') return null;
  try {
    asked ??= { poll: pollOf(openSync('/proc/self/mountinfo', 'r')), changes: 0 };
    if (libc().poll(asked.poll, 1, 0) < 0) return null;
    if ((asked.poll.readInt16LE(6) & (POLLPRI | POLLERR)) !== 0) asked.changes += 1;
    return String(asked.changes);
  } catch {
    return null;
  }
}

/** A `struct pollfd`. */
function pollOf(fd: number): Buffer {
  const descriptor = Buffer.alloc(8);
  descriptor.writeInt32LE(fd, 0);
  descriptor.writeInt16LE(POLLPRI, 4);
  return descriptor;
}
