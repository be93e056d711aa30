import { libc } from './libc.ts';

/** Both ends of a socket that keeps packets apart, as descriptors of this process. */
export interface PacketPair {
  readonly ours: number;
  readonly theirs: number;
}

const AF_UNIX = 1;
const SOCK_SEQPACKET = 5;
const SOCK_CLOEXEC = 0o2000000;
const SOL_SOCKET = 1;
const SCM_RIGHTS = 1;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;
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
  const control = Buffer.alloc(Math.ceil(length / 8) * 8);
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
