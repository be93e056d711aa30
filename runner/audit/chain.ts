import { createHmac, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fdatasync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What the first row of a log is chained to. */
const genesis = '0'.repeat(64);

/** One line of the log: the row's exact text, its place, and the mac over both and the row before. */
export interface ChainLine {
  /** 1 for the first row of the home, never reused. */
  readonly seq: number;
  readonly mac: string;
  readonly rowText: string;
}

/** Where the chain stands: what the next row is chained to. */
export interface ChainHead {
  readonly seq: number;
  readonly mac: string;
}

export const chainStart: ChainHead = { seq: 0, mac: genesis };

const label = 'interlock audit chain 1';
const shape = /^\{"seq":([1-9]\d{0,15}),"mac":"([0-9a-f]{64})","row":(\{.*\})\}$/;

/**
 * HMAC-SHA256 over label, previous mac, place and exact text of the row. Without the key nobody can
 * make a row, change one, or move one to another place.
 */
function linkMac(key: Uint8Array, previous: ChainHead, rowText: string): string {
  return createHmac('sha256', key)
    .update(`${label}\n${previous.mac}\n${previous.seq + 1}\n`)
    .update(rowText)
    .digest('hex');
}

/** The next line of the log, without its newline, and the head after it. */
export function appendLink(
  key: Uint8Array,
  previous: ChainHead,
  rowText: string,
): { readonly line: string; readonly head: ChainHead } {
  const head = { seq: previous.seq + 1, mac: linkMac(key, previous, rowText) };
  return { line: `{"seq":${head.seq},"mac":"${head.mac}","row":${rowText}}`, head };
}

/** Takes a line apart without changing a byte of the row; null when it does not have our shape. */
export function parseLink(line: string): ChainLine | null {
  const match = shape.exec(line);
  if (match === null) return null;
  const [, seq, mac, rowText] = match;
  return { seq: Number(seq), mac: mac ?? '', rowText: rowText ?? '' };
}

/** True when the line follows `previous` and carries the right mac. */
export function linksTo(key: Uint8Array, previous: ChainHead, line: ChainLine): boolean {
  if (line.seq !== previous.seq + 1) return false;
  const expected = Buffer.from(linkMac(key, previous, line.rowText), 'hex');
  return timingSafeEqual(expected, Buffer.from(line.mac, 'hex'));
}

/** The checkpoint of the log below `directory`. */
export function checkpointPath(directory: string): string {
  return join(directory, 'checkpoint');
}

/**
 * How far the log had come, kept outside it, so that rows cut from its end are missed. Two slots of
 * one file are written in turn: a write that a crash cuts short spoils only the older one.
 */
export interface Checkpoint {
  /** The newest head that was saved when the file was opened; null when there is none. */
  readonly found: ChainHead | null;
  /**
   * In the file when this returns; it outlives a crash of the process, not yet one of the machine.
   * A head that is not ahead of the one before (rows were taken out again) takes both slots.
   */
  save(head: ChainHead): void;
  /** Settles when what was saved is on the disk. */
  sync(): Promise<void>;
  close(): void;
}

const slotBytes = 256;
const checkpointLabel = 'interlock audit checkpoint 1';
const datasync = promisify(fdatasync);

/** Opens or makes the checkpoint file (0600), at its full length from the start. */
export function openCheckpoint(path: string, key: Uint8Array): Checkpoint {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
  const slots = slotsOf(fd, key);
  const found = newestOf(slots);
  if (fstatSync(fd).size < 2 * slotBytes) fill(fd);
  let next = found !== null && found === slots[0] ? 1 : 0;
  let last = found?.seq ?? 0;
  const put = (text: string): void => {
    writeSync(fd, Buffer.from(text), 0, slotBytes, next * slotBytes);
    next = 1 - next;
  };
  return {
    found,
    save: (head) => {
      const text = `${sealedHead(key, head).padEnd(slotBytes - 1)}\n`;
      put(text);
      if (head.seq <= last) put(text);
      last = head.seq;
    },
    sync: async () => datasync(fd),
    close: () => closeSync(fd),
  };
}

/** The newest head in a checkpoint file, without touching it; null when there is no valid one. */
export function readCheckpoint(path: string, key: Uint8Array): ChainHead | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as { readonly code?: string }).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return newestOf(slotsOf(fd, key));
  } finally {
    closeSync(fd);
  }
}

/** A full disk must not keep the checkpoint from being written later: its room is taken at once. */
function fill(fd: number): void {
  const { size } = fstatSync(fd);
  const missing = Buffer.alloc(2 * slotBytes - size, 0x20);
  writeSync(fd, missing, 0, missing.length, size);
}

function slotsOf(fd: number, key: Uint8Array): readonly (ChainHead | null)[] {
  return [readSlot(fd, 0, key), readSlot(fd, 1, key)];
}

function newestOf(slots: readonly (ChainHead | null)[]): ChainHead | null {
  return slots.reduce(newerHead, null);
}

function readSlot(fd: number, index: number, key: Uint8Array): ChainHead | null {
  const bytes = Buffer.alloc(slotBytes);
  if (readSync(fd, bytes, 0, slotBytes, index * slotBytes) < slotBytes) return null;
  return openedHead(key, bytes.toString('latin1'));
}

/** A head as it is kept outside the log: nobody without the key can make one. */
export function sealedHead(key: Uint8Array, head: ChainHead): string {
  return `${String(head.seq)} ${head.mac} ${slotMac(key, head)}`;
}

/** The head in a text that `sealedHead` made; null for any other. */
export function openedHead(key: Uint8Array, text: string): ChainHead | null {
  const match = /^(\d{1,16}) ([0-9a-f]{64}) ([0-9a-f]{64})\s*$/.exec(text);
  if (match === null) return null;
  const head = { seq: Number(match[1]), mac: match[2] ?? '' };
  const right = Buffer.from(slotMac(key, head), 'hex');
  return timingSafeEqual(right, Buffer.from(match[3] ?? '', 'hex')) ? head : null;
}

/** The one that is further on. */
export function newerHead(one: ChainHead | null, other: ChainHead | null): ChainHead | null {
  if (one === null || other === null) return one ?? other;
  return other.seq > one.seq ? other : one;
}

function slotMac(key: Uint8Array, head: ChainHead): string {
  return createHmac('sha256', key)
    .update(`${checkpointLabel}\n${head.seq}\n${head.mac}`)
    .digest('hex');
}
