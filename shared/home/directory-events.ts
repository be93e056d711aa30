import { readSync } from 'node:fs';
import { libc } from './libc.ts';

/** Something happened in a folder that is watched. */
export interface DirectoryEvent {
  /** The number that `add` answered. */
  readonly watch: number;
  /**
   * What became of a name: `made`, `gone`, `from` and `to` (moved, both with one `cookie` where both
   * folders are watched), `written` (its content or attributes). `self`: of the folder itself.
   */
  readonly what: 'made' | 'gone' | 'from' | 'to' | 'written' | 'self';
  /** Its bytes, one letter a byte; empty with `self`. */
  readonly name: string;
  readonly isFolder: boolean;
  readonly cookie: number;
}

/** Tells what happened in folders, in the order of the kernel and without gaps that it does not tell of. */
export interface DirectoryEvents {
  /** Watches a folder, not what a link leads to; null where it cannot. The same folder has one number. */
  add(path: string | Buffer): number | null;
  remove(watch: number): void;
  /** All that has happened up to now. `overflow`: so much that some of it was dropped. */
  read(): readonly DirectoryEvent[] | 'overflow';
  close(): void;
}

const IN_NONBLOCK = 0o4000;
const IN_CLOEXEC = 0o2000000;
const IN_ATTRIB = 0x4;
const IN_MOVED_FROM = 0x40;
const IN_MOVED_TO = 0x80;
const IN_CREATE = 0x100;
const IN_DELETE = 0x200;
/** Written, attributes, closed after writing, moved, made, removed, itself removed or moved. */
const whatChanges =
  0x2 | IN_ATTRIB | 0x8 | IN_MOVED_FROM | IN_MOVED_TO | IN_CREATE | IN_DELETE | 0x400 | 0x800;
const IN_ONLYDIR = 0x01000000;
const IN_DONT_FOLLOW = 0x02000000;
const IN_UNMOUNT = 0x2000;
const IN_Q_OVERFLOW = 0x4000;
const IN_IGNORED = 0x8000;
const IN_ISDIR = 0x40000000;
const headBytes = 16;

/**
 * The kernel's own queue (inotify). Node's `fs.watch` does not say when events were dropped, and
 * cannot be asked whether there are more. Null where the system has none.
 */
export function openDirectoryEvents(): DirectoryEvents | null {
  if (process.platform !== 'linux') return null;
  const { inotify, close } = libc();
  const fd = inotify?.init(IN_NONBLOCK | IN_CLOEXEC) ?? -1;
  if (inotify === null || fd < 0) return null;
  const buffer = Buffer.alloc(64 * 1024);
  return {
    add: (path) => {
      const name = Buffer.concat([Buffer.from(path as string), Buffer.alloc(1)]);
      const watch = inotify.add(fd, name, whatChanges | IN_ONLYDIR | IN_DONT_FOLLOW);
      return watch < 0 ? null : watch;
    },
    remove: (watch) => void inotify.remove(fd, watch),
    read: () => {
      const events: DirectoryEvent[] = [];
      let isOverflow = false;
      for (;;) {
        const length = readSome(fd, buffer);
        if (length === 0) return isOverflow ? 'overflow' : events;
        for (let at = 0; at + headBytes <= length;) {
          const mask = buffer.readUInt32LE(at + 4);
          const end = at + headBytes + buffer.readUInt32LE(at + 12);
          if ((mask & (IN_Q_OVERFLOW | IN_UNMOUNT)) !== 0) isOverflow = true;
          else if ((mask & IN_IGNORED) === 0) {
            const padded = buffer.toString('latin1', at + headBytes, end);
            const name = padded.slice(0, Math.max(0, padded.indexOf('\0')));
            events.push({
              watch: buffer.readInt32LE(at),
              what: name === '' ? 'self' : whatOf(mask),
              name,
              isFolder: (mask & IN_ISDIR) !== 0,
              cookie: buffer.readUInt32LE(at + 8),
            });
          }
          at = end;
        }
      }
    },
    // As it was opened: Node warns of a descriptor that a thread closes and has not opened by it.
    close: () => void close(fd),
  };
}

function whatOf(mask: number): DirectoryEvent['what'] {
  if ((mask & IN_CREATE) !== 0) return 'made';
  if ((mask & IN_DELETE) !== 0) return 'gone';
  if ((mask & IN_MOVED_FROM) !== 0) return 'from';
  return (mask & IN_MOVED_TO) !== 0 ? 'to' : 'written';
}

function readSome(fd: number, buffer: Buffer): number {
  try {
    return readSync(fd, buffer, 0, buffer.length, null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0;
    throw error;
  }
}
