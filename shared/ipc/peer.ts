import type { Socket } from 'node:net';
import { libc } from '../home/index.ts';

/** Who is at the other end of a socket, as the kernel tells it. */
export interface PeerCredentials {
  readonly uid: number;
  /** A snapshot from the time of the connection: good for showing, never for authorising. */
  readonly pid: number | null;
}

/**
 * The kernel's word on who is at the other end of a Unix socket, or null when it cannot be had
 * (no Unix socket, already closed, unknown platform): callers must then refuse. Call it in the turn
 * of the `connection` event. Works on a client's socket too: it then names who listens.
 */
export function peerCredentials(socket: Socket): PeerCredentials | null {
  const fd = descriptorOf(socket);
  if (fd === null) return null;
  try {
    if (process.platform === 'linux') return linuxPeer(fd);
    if (process.platform === 'darwin') return darwinPeer(fd);
    return null;
  } catch {
    return null;
  }
}

/** Node has no public way to a socket's descriptor; the handle of a pipe carries it. */
function descriptorOf(socket: Socket): number | null {
  if (socket.destroyed) return null;
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly fd?: unknown } };
  const fd = handle?.fd;
  return typeof fd === 'number' && Number.isInteger(fd) && fd >= 0 ? fd : null;
}

/** `struct ucred`: pid, uid, gid, each 32 bits. A socket that is not a Unix socket yields pid 0, uid -1. */
function linuxPeer(fd: number): PeerCredentials | null {
  const SOL_SOCKET = 1;
  const SO_PEERCRED = 17;
  const ucred = Buffer.alloc(12);
  const size = int(ucred.length);
  if (libc().getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ucred, size) !== 0) return null;
  if (size.readInt32LE() !== ucred.length) return null;
  return peer(ucred.readUInt32LE(4), ucred.readInt32LE(0));
}

function darwinPeer(fd: number): PeerCredentials | null {
  const SOL_LOCAL = 0;
  const LOCAL_PEERPID = 2;
  const { getpeereid, getsockopt } = libc();
  const uid = int(0);
  if (getpeereid === null || getpeereid(fd, uid, int(0)) !== 0) return null;
  const pid = int(0);
  const known = getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, pid, int(pid.length)) === 0;
  return peer(uid.readUInt32LE(), known ? pid.readInt32LE() : 0);
}

function peer(uid: number, pid: number): PeerCredentials | null {
  const nobody = 0xffff_ffff;
  return uid === nobody ? null : { uid, pid: pid > 0 ? pid : null };
}

/** Both platforms run on little-endian machines only. */
function int(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32LE(value);
  return buffer;
}
