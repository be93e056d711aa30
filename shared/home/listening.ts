import { closeSync, openSync, readSync } from 'node:fs';

/** Of some 7,000 sockets. What has more costs too much to look at. */
const mostBytes = 1024 * 1024;

/**
 * TCP ports on which something listens in the network of a process; absent: in that of this one.
 * Null where that cannot be read, or there are too many sockets.
 */
export function listeningPorts(pid: number | 'self' = 'self'): ReadonlySet<number> | null {
  const ports = new Set<number>();
  for (const name of ['tcp', 'tcp6']) {
    let text: string | null;
    try {
      text = allOf(`/proc/${pid}/net/${name}`);
    } catch (error) {
      // A kernel without IPv6 has no such file.
      if (name === 'tcp6' && (error as NodeJS.ErrnoException).code === 'ENOENT') return ports;
      return null;
    }
    if (text === null) return null;
    for (const line of text.split('\n')) {
      // "  0: 0100007F:1F90 00000000:0000 0A …", where 0A is a socket that listens.
      const found = /^ *\d+: [\dA-F]+:([\dA-F]{4}) [\dA-F]+:[\dA-F]{4} 0A /.exec(line);
      if (found?.[1] !== undefined) ports.add(Number.parseInt(found[1], 16));
    }
  }
  return ports;
}

/** The kernel gives such a file piece by piece; null where it is too long. */
function allOf(path: string): string | null {
  const file = openSync(path, 'r');
  try {
    const pieces: Buffer[] = [];
    let length = 0;
    for (;;) {
      const piece = Buffer.allocUnsafe(64 * 1024);
      const read = readSync(file, piece, 0, piece.length, null);
      if (read === 0) return Buffer.concat(pieces).toString('latin1');
      length += read;
      if (length > mostBytes) return null;
      pieces.push(piece.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
}
