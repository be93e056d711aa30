import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** Contents by their SHA-256, in a folder of ours. What is damaged on the disk is never given out. */
export interface Store {
  has(hash: string): boolean;
  /** Keeps bytes; their hash. They are on the disk after the next `sync`. */
  put(bytes: Uint8Array): string;
  /** Keeps a large open file: shares its blocks with the copy where the file system can. */
  putFile(fd: number): { readonly hash: string; readonly size: number };
  /** The bytes; null where they are not there, or no longer what they were. */
  read(hash: string): Buffer | null;
  sync(): void;
  /** What is kept, in bytes on the disk. */
  bytes(): number;
  /** Removes what nobody needs, where that frees enough of a file to be worth it. */
  sweep(isNeeded: (hash: string) => boolean): void;
  close(): void;
}

/** From this size on a file lies by itself. */
export const largeBytes = 1 << 20;
const bufferBytes = 1 << 20;

interface Place {
  /** 0: a file by itself. */
  readonly segment: number;
  readonly offset: number;
  readonly length: number;
}

/** What is kept in a folder of ours. A segment is closed once it has `segmentBytes`. */
export function openStore(directory: string, segmentBytes = 64 << 20): Store {
  const large = join(directory, 'large');
  const small = join(directory, 'segments');
  for (const path of [small, large]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const places = new Map<string, Place>();
  const sizes = new Map<number, number>();
  load({ segments: small, large, places, sizes });
  const segments = openSegments(small, sizes, segmentBytes);
  let largeTotal = [...places.values()]
    .filter((place) => place.segment === 0)
    .reduce((sum, place) => sum + place.length, 0);
  const put = (bytes: Uint8Array): string => {
    const hash = hashOf(bytes);
    if (!places.has(hash)) places.set(hash, segments.append(hash, bytes));
    return hash;
  };
  const read = (hash: string): Buffer | null => {
    const place = places.get(hash);
    if (place === undefined) return null;
    const bytes = place.segment === 0 ? bytesAt(join(large, hash), place) : segments.read(place);
    return bytes !== null && hashOf(bytes) === hash ? bytes : null;
  };
  const forget = (hash: string, place: Place): void => {
    rmSync(join(large, hash), { force: true });
    largeTotal -= place.length;
    places.delete(hash);
  };
  return {
    has: (hash) => places.has(hash),
    put,
    putFile: (source) => {
      const temporary = join(large, `.${process.pid}-${String(source)}.tmp`);
      try {
        const { hash, size } = copied(source, temporary);
        if (!places.has(hash)) {
          renameSync(temporary, join(large, hash));
          places.set(hash, { segment: 0, offset: 0, length: size });
          largeTotal += size;
        }
        return { hash, size };
      } finally {
        rmSync(temporary, { force: true });
      }
    },
    read,
    sync: segments.sync,
    bytes: () => largeTotal + [...sizes.values()].reduce((sum, size) => sum + size, 0),
    sweep: (isNeeded) => {
      segments.sync();
      for (const [hash, place] of places)
        if (place.segment === 0 && !isNeeded(hash)) forget(hash, place);
      const needed = bySegment(places, isNeeded);
      // Those of now: what is moved below goes to others.
      for (const [number, size] of segments.closed()) {
        const kept = needed.get(number) ?? [];
        const live = kept.reduce((sum, hash) => sum + (places.get(hash)?.length ?? 0), 0);
        if (live > size / 2) continue;
        const contents = kept.map(read);
        for (const [hash, place] of places) if (place.segment === number) places.delete(hash);
        for (const bytes of contents) if (bytes !== null) put(bytes);
        segments.sync();
        segments.remove(number);
      }
    },
    close: segments.close,
  };
}

/** What is needed of small contents, by where it lies. */
function bySegment(
  places: ReadonlyMap<string, Place>,
  isNeeded: (hash: string) => boolean,
): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  for (const [hash, { segment }] of places) {
    if (segment === 0 || !isNeeded(hash)) continue;
    const others = found.get(segment);
    if (others === undefined) found.set(segment, [hash]);
    else others.push(hash);
  }
  return found;
}

/**
 * Small contents lie one after the other in segments, each with a list of what it holds: a file each
 * would cost more than its content. A list is only written once the segment is on the disk, so after
 * a crash there is nothing in a list that the segment does not have.
 */
function openSegments(directory: string, sizes: Map<number, number>, segmentBytes: number) {
  let segment = Math.max(0, ...sizes.keys());
  let fd: number | null = null;
  let offset = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  let lines: string[] = [];
  const pathOf = (number: number, ending: 'seg' | 'idx'): string =>
    join(directory, `${String(number).padStart(8, '0')}.${ending}`);
  const flush = (): void => {
    if (fd === null || waiting.length === 0) return;
    const bytes = Buffer.concat(waiting, waitingBytes);
    for (let written = 0; written < bytes.length;)
      written += writeSync(fd, bytes, written, undefined, offset - bytes.length + written);
    waiting = [];
    waitingBytes = 0;
  };
  const sync = (): void => {
    if (lines.length === 0 || fd === null) return;
    flush();
    fdatasyncSync(fd);
    const list = openSync(pathOf(segment, 'idx'), 'a', 0o600);
    try {
      writeSync(list, lines.join(''));
    } finally {
      closeSync(list);
    }
    lines = [];
  };
  const begin = (): void => {
    if (fd !== null && offset < segmentBytes) return;
    sync();
    if (fd !== null) closeSync(fd);
    // Always a new one: the end of an old one may not be what its list says.
    segment += 1;
    offset = 0;
    fd = openSync(pathOf(segment, 'seg'), 'wx+', 0o600);
  };
  return {
    append: (hash: string, bytes: Uint8Array): Place => {
      begin();
      waiting.push(Buffer.from(bytes));
      waitingBytes += bytes.length;
      const place = { segment, offset, length: bytes.length };
      lines.push(`${hash} ${offset} ${bytes.length}\n`);
      offset += bytes.length;
      sizes.set(segment, offset);
      if (waitingBytes >= bufferBytes) flush();
      return place;
    },
    read: (place: Place): Buffer | null => {
      flush();
      return bytesAt(pathOf(place.segment, 'seg'), place);
    },
    sync,
    /** Those that nothing is added to, with their sizes. */
    closed: (): readonly (readonly [number, number])[] =>
      [...sizes].filter(([number]) => number !== segment || fd === null),
    remove: (number: number): void => {
      rmSync(pathOf(number, 'idx'), { force: true });
      rmSync(pathOf(number, 'seg'), { force: true });
      sizes.delete(number);
    },
    close: (): void => {
      try {
        sync();
      } finally {
        // On a full disk, too: the next one begins a segment of its own.
        if (fd !== null) closeSync(fd);
        fd = null;
      }
    },
  };
}

/** Of bytes, as hex. */
function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

interface Found {
  readonly segments: string;
  readonly large: string;
  readonly places: Map<string, Place>;
  readonly sizes: Map<number, number>;
}

function load({ segments, large, places, sizes }: Found): void {
  for (const name of readdirSync(segments)) {
    const [, number] = /^(\d{8})\.seg$/.exec(name) ?? [];
    if (number === undefined) continue;
    const { size } = statSync(join(segments, name));
    const segment = Number(number);
    sizes.set(segment, size);
    const list = join(segments, `${number}.idx`);
    if (!existsSync(list)) continue;
    for (const line of readFileSync(list, 'latin1').split('\n')) {
      const [, hash = '', from, length] = /^([0-9a-f]{64}) (\d+) (\d+)$/.exec(line) ?? [];
      const place = { segment, offset: Number(from), length: Number(length) };
      // A line that was cut off, or one about what the disk has lost.
      if (hash !== '' && place.offset + place.length <= size) places.set(hash, place);
    }
  }
  for (const name of readdirSync(large)) {
    const path = join(large, name);
    if (/^[0-9a-f]{64}$/.test(name))
      places.set(name, { segment: 0, offset: 0, length: statSync(path).size });
    else rmSync(path, { force: true });
  }
}

function bytesAt(path: string, { offset, length }: Place): Buffer | null {
  try {
    const fd = openSync(path, 'r');
    try {
      const bytes = Buffer.allocUnsafe(length);
      let filled = 0;
      while (filled < length) {
        const count = readSync(fd, bytes, filled, length - filled, offset + filled);
        if (count === 0) return null;
        filled += count;
      }
      return bytes;
    } finally {
      closeSync(fd);
    }
  } catch {
    return null;
  }
}

/** A copy of an open file, and the hash of the copy: what is read twice may differ. */
function copied(source: number, target: string): { readonly hash: string; readonly size: number } {
  copyFileSync(`/proc/self/fd/${source}`, target, constants.COPYFILE_FICLONE);
  chmodSync(target, 0o600);
  const fd = openSync(target, 'r');
  try {
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(bufferBytes);
    for (let count = readSync(fd, buffer); count > 0; count = readSync(fd, buffer))
      hash.update(buffer.subarray(0, count));
    fdatasyncSync(fd);
    return { hash: hash.digest('hex'), size: fstatSync(fd).size };
  } finally {
    closeSync(fd);
  }
}
