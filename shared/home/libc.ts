import type koffi from 'koffi';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { refuse } from '../base/index.ts';
import type { Clock } from '../base/index.ts';

/** What sockets are made and used with, as Linux counts it. */
export const sockets = {
  AF_UNIX: 1,
  SOCK_CLOEXEC: 0o2000000,
  MSG_DONTWAIT: 0x40,
  MSG_NOSIGNAL: 0x4000,
  /** Bytes of `sun_path`, with the final NUL. */
  mostPathBytes: 108,
} as const;

/** The few functions of the C library that Node does not offer. Each returns -1 on failure. */
interface Libc {
  readonly getsockopt: (
    fd: number,
    level: number,
    name: number,
    value: Buffer,
    size: Buffer,
  ) => number;
  /** Null where the C library has none (Linux). */
  readonly getpeereid: ((fd: number, uid: Buffer, gid: Buffer) => number) | null;
  /** Linux alone; null elsewhere. Fills in two descriptors. */
  readonly pipe2: ((fds: Buffer, flags: number) => number) | null;
  /** Linux alone; null elsewhere. `pair` gets two descriptors. */
  readonly packets: {
    readonly socketpair: (domain: number, type: number, protocol: number, pair: Buffer) => number;
    readonly sendmsg: (fd: number, message: PacketMessage, flags: number) => number;
    readonly recvmsg: (fd: number, message: PacketMessage, flags: number) => number;
    /** `address` is a `struct sockaddr` of `size` bytes. */
    readonly bind: (fd: number, address: Buffer, size: number) => number;
    readonly connect: (fd: number, address: Buffer, size: number) => number;
    readonly listen: (fd: number, waiting: number) => number;
    /** `value` is what the request takes. */
    readonly ioctl: (fd: number, request: number, value: Buffer | number) => number;
  } | null;
  readonly flock: (fd: number, operation: number) => number;
  readonly socket: (domain: number, type: number, protocol: number) => number;
  /** Bytes sent. `address` is a `struct sockaddr`. */
  readonly sendto: (
    fd: number,
    bytes: Buffer,
    length: number,
    flags: number,
    address: Buffer,
    size: number,
  ) => number;
  readonly setsockopt: (
    fd: number,
    level: number,
    name: number,
    value: Buffer,
    size: number,
  ) => number;
  readonly close: (fd: number) => number;
  /** `status` may be null. */
  readonly waitpid: (pid: number, status: null, options: number) => number;
  /** `limit` is a `struct rlimit`: two numbers of 64 bits. */
  readonly getrlimit: (resource: number, limit: Buffer) => number;
  readonly setrlimit: (resource: number, limit: Buffer) => number;
  /** Below a folder that is open, whatever became of its path. `openat` takes `mode` where it makes. */
  readonly at: {
    readonly openat: (fd: number, name: string, flags: number, mode?: number) => number;
    readonly mkdirat: (fd: number, name: string, mode: number) => number;
    readonly renameat: (from: number, name: string, to: number, newName: string) => number;
    readonly unlinkat: (fd: number, name: string, flags: number) => number;
    /** Of the call before. */
    readonly errorName: () => string;
  };
  /** Linux alone; null elsewhere. */
  readonly inotify: {
    readonly init: (flags: number) => number;
    /** `path` ends in a NUL. */
    readonly add: (fd: number, path: Buffer, mask: number) => number;
    readonly remove: (fd: number, watch: number) => number;
  } | null;
  /** `descriptors` are so many `struct pollfd`. */
  readonly poll: (descriptors: Buffer, count: number, milliseconds: number) => number;
  /** Null where the C library has none (all but glibc). */
  readonly malloc_trim: ((kept: number) => number) | null;
}

/** A `struct msghdr`. */
interface PacketMessage {
  readonly name: null;
  readonly nameLength: number;
  readonly parts: readonly { readonly base: Buffer; readonly length: number }[];
  readonly partCount: number;
  readonly control: Buffer | null;
  readonly controlLength: number;
  readonly flags: number;
}

let loaded: Libc | null = null;

/** The C library of this process, opened once. Throws `host-unavailable` where that cannot be done. */
export function libc(): Libc {
  loaded ??= load();
  return loaded;
}

/** Loaded late, so that a machine without the native part gets a refusal and not a crash at start. */
function load(): Libc {
  try {
    const native = createRequire(import.meta.url)('koffi') as typeof koffi;
    const library = native.load(null);
    const getpeereid = 'int getpeereid(int, void *, void *)';
    return {
      getsockopt: library.func('int getsockopt(int, int, int, void *, void *)'),
      getpeereid: process.platform === 'darwin' ? library.func(getpeereid) : null,
      pipe2: process.platform === 'linux' ? library.func('int pipe2(void *, int)') : null,
      packets:
        process.platform === 'linux'
          ? {
              socketpair: library.func('int socketpair(int, int, int, void *)'),
              ...messagesOf(native, library),
              bind: library.func('int bind(int, void *, uint32_t)'),
              connect: library.func('int connect(int, void *, uint32_t)'),
              listen: library.func('int listen(int, int)'),
              ioctl: controlOf(library),
            }
          : null,
      flock: library.func('int flock(int, int)'),
      socket: library.func('int socket(int, int, int)'),
      sendto: library.func('int64_t sendto(int, void *, size_t, int, void *, uint32_t)'),
      setsockopt: library.func('int setsockopt(int, int, int, void *, uint32_t)'),
      close: library.func('int close(int)'),
      waitpid: library.func('int waitpid(int, void *, int)'),
      getrlimit: library.func('int getrlimit(int, void *)'),
      setrlimit: library.func('int setrlimit(int, void *)'),
      at: callsBelow(native, library),
      inotify:
        process.platform === 'linux'
          ? {
              init: library.func('int inotify_init1(int)'),
              add: library.func('int inotify_add_watch(int, void *, uint32_t)'),
              remove: library.func('int inotify_rm_watch(int, int)'),
            }
          : null,
      poll: library.func('int poll(void *, unsigned long, int)'),
      malloc_trim: trimOf(library),
    };
  } catch (error) {
    throw refuse(
      'host-unavailable',
      'The C library could not be reached: without it no lock can be taken and no peer checked.',
      'Install the dependencies again: npm ci',
      { cause: error },
    );
  }
}

function trimOf(library: ReturnType<typeof koffi.load>): Libc['malloc_trim'] {
  try {
    return library.func('int malloc_trim(size_t)');
  } catch {
    return null;
  }
}

function callsBelow(native: typeof koffi, library: ReturnType<typeof koffi.load>): Libc['at'] {
  const open = library.func('int openat(int, const char *, int, ...)') as (
    fd: number,
    name: string,
    flags: number,
    type: 'int',
    mode: number,
  ) => number;
  const names = new Map(Object.entries(constants.errno).map(([name, code]) => [code, name]));
  return {
    openat: (fd, name, flags, mode = 0) => open(fd, name, flags, 'int', mode),
    mkdirat: library.func('int mkdirat(int, const char *, unsigned int)'),
    renameat: library.func('int renameat(int, const char *, int, const char *)'),
    unlinkat: library.func('int unlinkat(int, const char *, int)'),
    errorName: () => names.get(native.errno()) ?? `error ${String(native.errno())}`,
  };
}

function messagesOf(native: typeof koffi, library: ReturnType<typeof koffi.load>) {
  const types = ['int', native.pointer(messageType(native)), 'int'];
  return {
    sendmsg: library.func('sendmsg', 'int64_t', types),
    recvmsg: library.func('recvmsg', 'int64_t', types),
  };
}

function controlOf(library: ReturnType<typeof koffi.load>) {
  const control = library.func('int ioctl(int, unsigned long, ...)') as (
    fd: number,
    request: number,
    type: 'void *' | 'int',
    value: Buffer | number,
  ) => number;
  return (fd: number, request: number, value: Buffer | number): number =>
    control(fd, request, typeof value === 'number' ? 'int' : 'void *', value);
}

function messageType(native: typeof koffi) {
  return native.struct({
    name: 'void *',
    nameLength: 'uint32_t',
    parts: native.pointer(native.struct({ base: 'void *', length: 'size_t' })),
    partCount: 'size_t',
    control: 'void *',
    controlLength: 'size_t',
    flags: 'int',
  });
}

/** Both ends of a pipe, as descriptors of this process. */
interface Pipe {
  readonly read: number;
  readonly write: number;
}

const O_CLOEXEC = 0o2000000;

/** A pipe that no other program inherits by chance; null where the system has no such call. */
export function openPipe(): Pipe | null {
  const { pipe2 } = libc();
  const fds = Buffer.alloc(8);
  if (pipe2 === null || pipe2(fds, O_CLOEXEC) !== 0) return null;
  return { read: fds.readInt32LE(0), write: fds.readInt32LE(4) };
}

const RLIMIT_CORE = 4;

/**
 * From here on a crash of this process writes no core file, in which the secrets of its memory would
 * stand. The hard limit stays, so that whoever it starts may ask for one. False where the system
 * would not; what is at work goes on.
 */
export function leaveNoCore(): boolean {
  if (process.platform === 'win32') return false;
  try {
    const limit = Buffer.alloc(16);
    if (libc().getrlimit(RLIMIT_CORE, limit) !== 0) return false;
    limit.writeBigUInt64LE(0n, 0);
    return libc().setrlimit(RLIMIT_CORE, limit) === 0;
  } catch {
    return false;
  }
}

/** How soon after a start, which leaves most behind, and how often from then on. */
const returnAfterMs = { first: 5_000, next: 60_000 };

/**
 * Gives memory that is free back to the system, soon and then each minute: glibc keeps what the busiest
 * moment took, of every thread. Does nothing where the C library cannot. The answer ends it.
 */
export function keepReturningMemory(clock: Clock, trim = trimmer()): () => void {
  if (trim === null) return () => undefined;
  const again = (): void => {
    trim();
    cancel = clock.after(returnAfterMs.next, again);
  };
  let cancel = clock.after(returnAfterMs.first, again);
  return () => cancel();
}

function trimmer(): (() => void) | null {
  try {
    const { malloc_trim: trim } = libc();
    return trim === null ? null : () => void trim(0);
  } catch {
    return null;
  }
}
