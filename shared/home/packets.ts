import { constants, openSync } from 'node:fs';
import { libc, sockets } from './libc.ts';

const { AF_UNIX, SOCK_CLOEXEC, MSG_NOSIGNAL, MSG_DONTWAIT, mostPathBytes } = sockets;
const SOCK_DGRAM = 2;

/** `struct sockaddr_un` for a path, or for an abstract name that begins with `@`; null for none. */
export function datagramAddress(socket: string | undefined): Buffer | null {
  if (socket === undefined || process.platform !== 'linux') return null;
  if (!socket.startsWith('/') && !socket.startsWith('@')) return null;
  const path = Buffer.from(socket);
  if (path.length >= mostPathBytes) return null;
  if (path[0] === 0x40) path[0] = 0;
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX);
  return Buffer.concat([family, path]);
}

/**
 * Sends one datagram. Node has no Unix datagram sockets. Whoever hangs at the other end must not hang us.
 * Returns why it failed, or null.
 */
export function sendDatagram(address: Buffer, bytes: Buffer): string | null {
  try {
    const { socket, sendto, close } = libc();
    const fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return 'no socket could be made';
    const sent = sendto(
      fd,
      bytes,
      bytes.length,
      MSG_NOSIGNAL | MSG_DONTWAIT,
      address,
      address.length,
    );
    close(fd);
    return sent === bytes.length ? null : 'its socket does not take them';
  } catch (error) {
    return error instanceof Error ? error.message : 'unknown error';
  }
}

/** Both ends of a socket that keeps packets apart, as descriptors of this process. */
interface PacketPair {
  readonly ours: number;
  readonly theirs: number;
}

const SOCK_SEQPACKET = 5;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_CMSG_CLOEXEC = 0x40000000;
const SO_RCVTIMEO = 20;
const O_CLOEXEC = 0o2000000;
const TIOCSPTLCK = 0x40045431;
const TIOCGPTPEER = 0x5441;
const TIOCSWINSZ = 0x5414;
/** Of `struct cmsghdr` where a `size_t` has eight bytes, as on every machine that Node runs on. */
const headBytes = 16;

/** A pair of connected sockets that no other program inherits by chance; null where there are none. */
export function openPacketPair(): PacketPair | null {
  const { packets } = libc();
  const pair = Buffer.alloc(8);
  if (packets?.socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) !== 0) return null;
  return { ours: pair.readInt32LE(0), theirs: pair.readInt32LE(4) };
}

/**
 * Sends one packet with copies of descriptors, which Node itself cannot do. Never waits: answers
 * false where the other end is gone or takes no more for now.
 */
export function sendPacket(fd: number, bytes: Buffer, descriptors: readonly number[]): boolean {
  const length = headBytes + 4 * descriptors.length;
  const control = roomFor(descriptors.length);
  control.writeBigUInt64LE(BigInt(length), 0);
  control.writeInt32LE(SOL_SOCKET, 8);
  control.writeInt32LE(SCM_RIGHTS, 12);
  descriptors.forEach((each, index) => control.writeInt32LE(each, headBytes + 4 * index));
  const isBare = descriptors.length === 0;
  const message = {
    name: null,
    nameLength: 0,
    parts: [{ base: bytes, length: bytes.length }],
    partCount: 1,
    control: isBare ? null : control,
    controlLength: isBare ? 0 : control.length,
    flags: 0,
  };
  const sent = libc().packets?.sendmsg(fd, message, MSG_DONTWAIT | MSG_NOSIGNAL);
  return Number(sent) === bytes.length;
}

/** A socket of packets at a path. */
function packetSocket(path: string): { readonly fd: number; readonly address: Buffer } | null {
  const name = Buffer.from(`${path}\0`);
  const address = Buffer.alloc(2 + name.length);
  address.writeUInt16LE(AF_UNIX, 0);
  name.copy(address, 2);
  if (name.length > mostPathBytes || path.includes('\0')) return null;
  const { packets, socket } = libc();
  const fd = packets === null ? -1 : socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  return fd < 0 ? null : { fd, address };
}

/** Listens for packets at a path, which must be free and in a folder that is ours alone; null where it cannot. */
export function listenForPackets(path: string): number | null {
  const made = packetSocket(path);
  if (made === null) return null;
  const { packets, close } = libc();
  const { fd, address } = made;
  if (packets?.bind(fd, address, address.length) === 0 && packets.listen(fd, 64) === 0) return fd;
  close(fd);
  return null;
}

/** A connection to who listens at a path; null where nobody does. */
export function connectForPackets(path: string): number | null {
  const made = packetSocket(path);
  if (made === null) return null;
  const { packets, close } = libc();
  const { fd, address } = made;
  if (packets?.connect(fd, address, address.length) === 0) return fd;
  close(fd);
  return null;
}

/**
 * Takes one packet of one byte and at most one descriptor, waiting for it at most `waitMs`. Null where
 * none came; `descriptor` is null where it brought none.
 */
export function receivePacket(
  fd: number,
  waitMs: number,
): { readonly word: number; readonly descriptor: number | null } | null {
  const { packets } = libc();
  const patience = Buffer.alloc(16);
  patience.writeBigInt64LE(BigInt(Math.floor(waitMs / 1_000)), 0);
  patience.writeBigInt64LE(BigInt((waitMs % 1_000) * 1_000), 8);
  if (libc().setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, patience, patience.length) !== 0) return null;
  const bytes = Buffer.alloc(1);
  const control = roomFor(1);
  const message = {
    name: null,
    nameLength: 0,
    parts: [{ base: bytes, length: 1 }],
    partCount: 1,
    control,
    controlLength: control.length,
    flags: 0,
  };
  if (Number(packets?.recvmsg(fd, message, MSG_CMSG_CLOEXEC)) !== 1) return null;
  const isDescriptor =
    control.readBigUInt64LE(0) === BigInt(headBytes + 4) &&
    control.readInt32LE(8) === SOL_SOCKET &&
    control.readInt32LE(12) === SCM_RIGHTS;
  return {
    word: bytes.readUInt8(0),
    descriptor: isDescriptor ? control.readInt32LE(headBytes) : null,
  };
}

function roomFor(descriptors: number): Buffer {
  return Buffer.alloc(Math.ceil((headBytes + 4 * descriptors) / 8) * 8);
}

/** A terminal of our own: what is written into one side is typed on the other. */
interface TerminalPair {
  /** The side that a program shows and reads. */
  readonly ours: number;
  /** The side that a program has as its terminal. */
  readonly theirs: number;
}

/** Opens a terminal that is nobody's controlling one; null where there are none. */
export function openTerminal(): TerminalPair | null {
  const { packets, close } = libc();
  if (packets === null) return null;
  let ours = -1;
  try {
    ours = openSync('/dev/ptmx', constants.O_RDWR | constants.O_NOCTTY);
    const theirs =
      packets.ioctl(ours, TIOCSPTLCK, Buffer.alloc(4)) === 0
        ? packets.ioctl(ours, TIOCGPTPEER, constants.O_RDWR | constants.O_NOCTTY | O_CLOEXEC)
        : -1;
    if (theirs >= 0) return { ours, theirs };
  } catch {
    return null;
  }
  close(ours);
  return null;
}

/** Tells a terminal how large it is shown; its program hears of it. */
export function resizeTerminal(fd: number, columns: number, rows: number): void {
  const size = Buffer.alloc(8);
  size.writeUInt16LE(Math.min(Math.max(rows, 1), 1_000), 0);
  size.writeUInt16LE(Math.min(Math.max(columns, 1), 1_000), 2);
  libc().packets?.ioctl(fd, TIOCSWINSZ, size);
}
