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
