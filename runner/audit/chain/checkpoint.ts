import { createHmac, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fdatasync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { ChainHead } from './link.ts';

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
const label = 'interlock audit checkpoint 1';
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
      const text = `${`${head.seq} ${head.mac} ${slotMac(key, head)}`.padEnd(slotBytes - 1)}\n`;
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
  let newest: ChainHead | null = null;
  for (const slot of slots) if (slot !== null && slot.seq > (newest?.seq ?? -1)) newest = slot;
  return newest;
}

function readSlot(fd: number, index: number, key: Uint8Array): ChainHead | null {
  const bytes = Buffer.alloc(slotBytes);
  if (readSync(fd, bytes, 0, slotBytes, index * slotBytes) < slotBytes) return null;
  const match = /^(\d{1,16}) ([0-9a-f]{64}) ([0-9a-f]{64}) *\n$/.exec(bytes.toString('latin1'));
  if (match === null) return null;
  const head = { seq: Number(match[1]), mac: match[2] ?? '' };
  const right = Buffer.from(slotMac(key, head), 'hex');
  return timingSafeEqual(right, Buffer.from(match[3] ?? '', 'hex')) ? head : null;
}

function slotMac(key: Uint8Array, head: ChainHead): string {
  return createHmac('sha256', key).update(`${label}\n${head.seq}\n${head.mac}`).digest('hex');
}
